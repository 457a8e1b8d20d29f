import { describe, expect, test } from "vitest";
import { apart, farthest, percentAlong, stepBelow, stepOf } from "../src/lib/tracks";
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

describe("apart", () => {
  test("far from each other everything is where it is", () => {
    expect(apart([80, 20, 50], 10)).toEqual([80, 20, 50]);
  });

  test("at one place they lie beside each other, in their order, and none leaves the way", () => {
    expect(apart([50, 50, 50], 10)).toEqual([40, 50, 60]);
    expect(apart([0, 0, 0], 10)).toEqual([0, 10, 20]);
    expect(apart([100, 100], 10)).toEqual([90, 100]);
  });

  test("who is ahead is drawn ahead, and those who are pushed push others", () => {
    expect(apart([51, 50, 58], 10)).toEqual([53, 43, 63]);
    expect(apart([2, 1, 12, 90], 10)).toEqual([10, 0, 20, 90]);
  });
});
