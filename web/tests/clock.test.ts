import { expect, test } from "vitest";
import { clockText, secondsLeft } from "../src/lib/clock";

test("secondsLeft rounds up and is never negative", () => {
  expect(secondsLeft(110, 100.5)).toBe(10);
  expect(secondsLeft(110, 200)).toBe(0);
  expect(secondsLeft(null, 100)).toBeNull();
});

test("clockText shows hours only from one hour on", () => {
  expect([5, 65, 600, 3600, 86_399].map(clockText)).toEqual([
    "0:05",
    "1:05",
    "10:00",
    "1:00:00",
    "23:59:59",
  ]);
});
