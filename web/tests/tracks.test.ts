import { expect, test } from "vitest";
import { farthest, percentAlong, stepBelow, stepOf } from "../src/lib/tracks";
import type { Track } from "../src/lib/types";

const track = (value: number, pending = 0, goal: number | null = 1000): Track => ({
  seat: 0,
  value,
  goal,
  milestones: [],
  pending,
  standing: "",
});

test("the way ends at the goal, or with whoever is beyond it", () => {
  expect(farthest([track(100), track(300)])).toBe(1000);
  expect(farthest([track(900, 250), track(300)])).toBe(1150);
  expect(farthest([track(900, -250)])).toBe(1000);
  expect(farthest([track(0, 0, null)])).toBe(1);
});

test("nobody leaves the way", () => {
  expect(percentAlong(250, 1000)).toBe(25);
  expect(percentAlong(-21, 100)).toBe(0);
  expect(percentAlong(1200, 1000)).toBe(100);
});

test("steps are as the look says, but not too many or too few", () => {
  expect(stepOf(50, 150)).toBe(5);
  expect(stepOf(1, 6)).toBe(1);
  expect(stepOf(50, 2000)).toBe(50);
  expect(stepOf(50, 20_000)).toBe(400);
  expect(stepOf(1, 25)).toBe(1);
});

test("a peg stands in a hole", () => {
  expect(stepBelow(0, 50)).toBe(0);
  expect(stepBelow(7, 50)).toBe(50);
  expect(stepBelow(149, 50)).toBe(100);
});
