import { expect, test } from "vitest";
import { dieShowing, nameOf, pipDie } from "../src/lib/looks";
import type { DieDue } from "../src/lib/types";
import { die } from "./made";

test("a plain die is called by its label, any other by its name too", () => {
  expect(nameOf(die(5))).toBe("5");
  expect(nameOf(die(5, { called: "red" }))).toBe("red 5");
  expect(nameOf(die(5, { called: "black", label: "" }))).toBe("black");
});

test("a die with pips has a name unless it is white", () => {
  expect(pipDie(3, "white")).toMatchObject({ drawn: "pips", pips: 3, called: "" });
  expect(pipDie(3, "red")).toMatchObject({ colour: "red", called: "red" });
});

test("a die to be rolled shows its face as the server says", () => {
  const face = {
    token: "f",
    label: "go",
    ring: true,
    drawn: "flag",
    pips: 0,
    flag: "green",
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
