import { expect, test } from "vitest";
import { speechOf } from "../src/lib/speech";
import type { Advice } from "../src/lib/types";

const counsel = {
  text: "keep 5 roll",
  words: "Keep a 5 for 5",
  effect: "Roll five dice",
  worth: "",
  value: 0,
  cost: 0,
  why: "Going on is worth more.",
  odds: [],
};
const advice = (...counsels: object[]) => ({ counsels }) as unknown as Advice;

test("the coach says the best choice and why", () => {
  expect(speechOf(advice(counsel, { ...counsel, words: "Other" }))).toBe(
    "Keep a 5 for 5: roll five dice. Going on is worth more.",
  );
  expect(speechOf(advice({ ...counsel, effect: "" }))).toBe(
    "Keep a 5 for 5. Going on is worth more.",
  );
});

test("the coach is quiet without advice", () => {
  expect(speechOf(null)).toBe("");
  expect(speechOf(advice())).toBe("");
});
