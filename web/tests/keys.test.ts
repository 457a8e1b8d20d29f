import { describe, expect, test } from "vitest";
import { actionOf, tabAfter, type Possible, type Press } from "../src/lib/keys";
import { slotsOf } from "../src/lib/selecting";
import { keep } from "./made";

const CHOICES = [keep([1], "roll"), keep([1], "bank"), keep([1, 5], "bank")];
const SLOTS = slotsOf(CHOICES, []);

function act(key: string, now: Partial<Possible> = {}, press: Partial<Press> = {}) {
  const possible: Possible = {
    phase: "choosing",
    sheet: false,
    seated: true,
    choices: CHOICES,
    slots: SLOTS,
    codes: [],
    wanted: "",
    ...now,
  };
  return actionOf({ key, modified: false, on: "page", ...press }, possible);
}

const PHASES = ["lobby", "showing", "over", "typing", "rolling", "handing", "waiting"] as const;

describe("anywhere", () => {
  test.each([...PHASES, "choosing" as const])("help, coach and log while %s", (phase) => {
    expect(act("?", { phase })).toEqual({ do: "explain keys" });
    expect(act("h", { phase })).toEqual({ do: "show", tab: "coach" });
    expect(act("l", { phase })).toEqual({ do: "show", tab: "log" });
    expect(act("u", { phase })).toEqual({ do: "undo" });
  });

  test("keys that are held with others belong to the browser", () => {
    expect(act("r", { phase: "rolling" }, { modified: true })).toBeNull();
  });

  test("in a field, keys are typed", () => {
    expect(act("a", {}, { on: "field" })).toBeNull();
    expect(act("Escape", {}, { on: "field" })).toBeNull();
  });

  test("a sheet is closed by Escape, even from a field in it", () => {
    expect(act("Escape", { sheet: true }, { on: "field" })).toEqual({ do: "close sheet" });
    expect(act("Escape", { sheet: true, phase: "showing" })).toEqual({ do: "close sheet" });
  });
});

test("what is being shown is skipped by space or Escape, wherever the focus is", () => {
  expect(act(" ", { phase: "showing" }, { on: "button" })).toEqual({ do: "skip" });
  expect(act("Escape", { phase: "showing" })).toEqual({ do: "skip" });
  expect(act("Enter", { phase: "showing" })).toBeNull();
});

test("at the end, r plays again, for those who have a seat", () => {
  expect(act("r", { phase: "over" })).toEqual({ do: "rematch" });
  expect(act("r", { phase: "over", seated: false })).toBeNull();
  expect(act("Enter", { phase: "over" })).toBeNull();
});

describe("rolling", () => {
  test("by r, space or Enter", () => {
    for (const key of ["r", " ", "Enter"]) {
      expect(act(key, { phase: "rolling" })).toEqual({ do: "roll" });
    }
  });

  test("space and Enter press a button that has the focus", () => {
    expect(act(" ", { phase: "rolling" }, { on: "button" })).toBeNull();
    expect(act("Enter", { phase: "rolling" }, { on: "button" })).toBeNull();
    expect(act("r", { phase: "rolling" }, { on: "button" })).toEqual({ do: "roll" });
  });

  test("not while real dice are entered, and not for others", () => {
    expect(act("r", { phase: "typing" })).toBeNull();
    expect(act("r", { phase: "waiting" })).toBeNull();
  });
});

test("the device is taken by space or Enter; nothing is chosen before", () => {
  expect(act(" ", { phase: "handing" })).toEqual({ do: "take device" });
  expect(act("Enter", { phase: "handing" })).toEqual({ do: "take device" });
  expect(act("1", { phase: "handing" })).toBeNull();
  expect(act("b", { phase: "handing", codes: [1] })).toBeNull();
});

describe("choosing", () => {
  test("digits select dice", () => {
    expect(act("1")).toEqual({ do: "toggle", place: 0 });
    expect(act("9")).toEqual({ do: "toggle", place: 8 });
    expect(act("0")).toBeNull();
  });

  test("a selects everything that counts", () => {
    expect(act("a")).toEqual({ do: "pick", choice: CHOICES[2] });
    expect(act("a", { choices: [] })).toBeNull();
  });

  test("Escape selects nothing", () => {
    expect(act("Escape")).toEqual({ do: "select nothing" });
  });

  test("a button's letter chooses, if the dice fit", () => {
    expect(act("b", { codes: [1] })).toEqual({ do: "choose", choice: CHOICES[1] });
    expect(act("b", { codes: [5] })).toBeNull();
    expect(act("x", { codes: [1] })).toBeNull();
  });

  test("Enter does what the highlighted button says", () => {
    expect(act("Enter", { codes: [1] })).toEqual({ do: "choose", choice: CHOICES[0] });
    expect(act("Enter", { codes: [1], wanted: "1 bank" })).toEqual({
      do: "choose",
      choice: CHOICES[1],
    });
    expect(act("Enter")).toBeNull();
  });

  test("Enter on a die does so too; on a button it presses that", () => {
    expect(act("Enter", { codes: [1] }, { on: "die" })).toMatchObject({ do: "choose" });
    expect(act("Enter", { codes: [1] }, { on: "button" })).toBeNull();
    expect(act(" ", { codes: [1] }, { on: "die" })).toBeNull();
  });
});

test("tabs turn by arrows, round and round, and to their ends", () => {
  const tabs = ["a", "b", "c"];
  expect(tabAfter(tabs, "a", "ArrowRight")).toBe("b");
  expect(tabAfter(tabs, "c", "ArrowRight")).toBe("a");
  expect(tabAfter(tabs, "a", "ArrowLeft")).toBe("c");
  expect(tabAfter(tabs, "b", "Home")).toBe("a");
  expect(tabAfter(tabs, "b", "End")).toBe("c");
  expect(tabAfter(tabs, "b", "x")).toBeUndefined();
});
