import { describe, expect, test } from "vitest";
import { actionOf, keysOf, tabAfter, typesRoll, type Possible, type Press } from "../src/lib/keys";
import { slotsOf } from "../src/lib/selecting";
import { choice, keep } from "./builders";

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

  test("keys with modifiers are left to the browser", () => {
    expect(act("r", { phase: "rolling" }, { modified: true })).toBeNull();
  });

  test("keys in a field are left to it", () => {
    expect(act("a", {}, { on: "field" })).toBeNull();
    expect(act("Escape", {}, { on: "field" })).toBeNull();
  });

  test("Escape closes a sheet, even from a field in it", () => {
    expect(act("Escape", { sheet: true }, { on: "field" })).toEqual({ do: "close sheet" });
    expect(act("Escape", { sheet: true, phase: "showing" })).toEqual({ do: "close sheet" });
  });
});

test("space or Escape skips the animation, wherever the focus is", () => {
  expect(act(" ", { phase: "showing" }, { on: "button" })).toEqual({ do: "skip" });
  expect(act("Escape", { phase: "showing" })).toEqual({ do: "skip" });
  expect(act("r", { phase: "showing", slots: [] })).toEqual({ do: "go on" });
  expect(act("Enter", { phase: "showing", slots: [] })).toBeNull();
});

test("a choice that is known already can be made while others are shown", () => {
  expect(act("x", { phase: "showing" })).toBeNull();
  const go = choice("continue", { verb: "continue" });
  const now = { phase: "showing" as const, slots: slotsOf([go], []) };
  expect(act("c", now)).toEqual({ do: "choose", choice: go });
  expect(act("Enter", now)).toEqual({ do: "choose", choice: go });
});

test("after the end, r plays again, for players with a seat", () => {
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

  test("space and Enter press the focused button", () => {
    expect(act(" ", { phase: "rolling" }, { on: "button" })).toBeNull();
    expect(act("Enter", { phase: "rolling" }, { on: "button" })).toBeNull();
    expect(act("r", { phase: "rolling" }, { on: "button" })).toEqual({ do: "roll" });
  });

  test("not while real dice are entered, and not for others", () => {
    expect(act("r", { phase: "typing" })).toBeNull();
    expect(act("r", { phase: "waiting" })).toBeNull();
  });
});

test("space or Enter takes the device; nothing can be chosen before", () => {
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

  test("a selects all scoring dice", () => {
    expect(act("a")).toEqual({ do: "pick", choice: CHOICES[2] });
    expect(act("a", { choices: [] })).toBeNull();
  });

  test("Escape clears the selection", () => {
    expect(act("Escape")).toEqual({ do: "select nothing" });
  });

  test("a button's letter presses it, if the selected dice match", () => {
    expect(act("b", { codes: [1] })).toEqual({ do: "choose", choice: CHOICES[1] });
    expect(act("b", { codes: [5] })).toBeNull();
    expect(act("x", { codes: [1] })).toBeNull();
  });

  test("Enter presses the highlighted button", () => {
    expect(act("Enter", { codes: [1] })).toEqual({ do: "choose", choice: CHOICES[0] });
    expect(act("Enter", { codes: [1], wanted: "1 bank" })).toEqual({
      do: "choose",
      choice: CHOICES[1],
    });
    expect(act("Enter")).toBeNull();
  });

  test("Enter on a die does so too; on a button it presses that button", () => {
    expect(act("Enter", { codes: [1] }, { on: "die" })).toMatchObject({ do: "choose" });
    expect(act("Enter", { codes: [1] }, { on: "button" })).toBeNull();
    expect(act(" ", { codes: [1] }, { on: "die" })).toBeNull();
  });
});

test("arrow keys switch tabs and wrap around; Home and End go to the ends", () => {
  const tabs = ["a", "b", "c"];
  expect(tabAfter(tabs, "a", "ArrowRight")).toBe("b");
  expect(tabAfter(tabs, "c", "ArrowRight")).toBe("a");
  expect(tabAfter(tabs, "a", "ArrowLeft")).toBe("c");
  expect(tabAfter(tabs, "b", "Home")).toBe("a");
  expect(tabAfter(tabs, "b", "End")).toBe("c");
  expect(tabAfter(tabs, "b", "x")).toBeUndefined();
});

test("keysOf names what the buttons say, and keys for dice only where there are some", () => {
  const pass = choice("pass", { verb: "pass", words: "Use nothing" });
  const use = choice("use 5", { verb: "use", dice: [5], words: "Use the 5" });
  const both = keysOf(slotsOf([use, pass], []));
  expect(both.map(([key]) => key)).toEqual(["1 to 9", "a", "s", "p"]);
  expect(both.map(([, what]) => what).slice(2)).toEqual(["use", "use nothing"]);
  expect(keysOf(slotsOf([pass], []))).toEqual([["p", "use nothing"]]);
});

describe("real dice", () => {
  const types = (key: string, more: Partial<Press> = {}) =>
    typesRoll({ key, modified: false, on: "page", ...more });

  test("digits and letters begin to type a roll, wherever the focus is", () => {
    for (const key of ["1", "b", "C"]) expect(types(key)).toBe(true);
    expect(types("1", { on: "button" })).toBe(true);
  });

  test("not the keys of the table, nor with a modifier, nor in another field", () => {
    for (const key of ["h", "l", "u", "?", " ", "Enter", "ArrowLeft"])
      expect(types(key)).toBe(false);
    expect(types("1", { modified: true })).toBe(false);
    expect(types("1", { on: "field" })).toBe(false);
  });
});
