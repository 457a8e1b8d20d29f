import { expect, test } from "vitest";
import { preselected } from "../src/lib/preselect";
import { choice, die, view } from "./builders";

const uses = (...dice: number[]) => choice(dice.join(), { dice });

test("all dice that have yet to be rolled", () => {
  const tray = [die(7, { drawn: "blank" }), die(8, { drawn: "blank" })];
  expect([...preselected(view(), tray, [uses(7), uses(7, 8)])]).toEqual([0, 1]);
  expect([...preselected(view(), tray, [uses(7)])]).toEqual([]);
});

test("the dice that do not fit the pattern, but the first of each that does", () => {
  const pattern = [1, 2, 3].map((code) => ({ die: die(code), filled: true, scores: true }));
  const tray = [die(1), die(2), die(2), die(5)];
  expect([...preselected(view({ pattern }), tray, [uses(2, 5)])]).toEqual([2, 3]);
  expect([...preselected(view({ pattern }), [die(1)], [uses(1)])]).toEqual([]);
});

test("nothing otherwise", () => {
  expect([...preselected(view(), [die(1)], [uses(1)])]).toEqual([]);
  expect([...preselected(view(), [], [])]).toEqual([]);
});
