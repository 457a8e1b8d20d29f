import { expect, test } from "vitest";
import { dieShowing, nameOf, nthOf, pipDie } from "../src/lib/dice";
import type { DieDue } from "../src/lib/types";
import { die } from "./builders";

test("nameOf is the label, with the kind of die if it has one", () => {
  expect(nameOf(die(5))).toBe("5");
  expect(nameOf(die(5, { called: "red" }))).toBe("red 5");
  expect(nameOf(die(5, { called: "black", label: "" }))).toBe("black");
  expect(nameOf(die(5, { called: "flag", label: "green", name: "green flag" }))).toBe("green flag");
});

test("nthOf counts equal dice", () => {
  const dice = [die(5), die(3), die(5), die(5)];
  expect(dice.map((_, at) => nthOf(dice, at))).toEqual([0, 0, 1, 2]);
});

test("pipDie has a name unless it is white", () => {
  expect(pipDie(3, "white")).toMatchObject({ drawn: "pips", pips: 3, called: "" });
  expect(pipDie(3, "red")).toMatchObject({ colour: "red", called: "red" });
});

test("dieShowing combines a die with one of its faces", () => {
  const face = {
    token: "f",
    label: "go",
    ring: true,
    drawn: "flag",
    pips: 0,
    flag: "green",
    name: "",
  } as const;
  const due: DieDue = { kind: "flag", colour: "white", called: "flag", faces: [face] };
  expect(dieShowing(due, face)).toMatchObject({
    label: "go",
    drawn: "flag",
    flag: "green",
    colour: "white",
    called: "flag",
    ring: true,
  });
});
