import { describe, expect, test } from "vitest";
import {
  bestOf,
  everything,
  fitting,
  defaultSlot,
  keepsOf,
  middleOf,
  percent,
  placesOf,
  reason,
  risk,
  slotsOf,
  toggled,
  whyUnused,
} from "../src/lib/selecting";
import type { Advice } from "../src/lib/types";
import { blocked, choice, die, keep } from "./builders";

const CHOICES = [
  keep([1], "bank", { points: 100 }),
  keep([1], "roll", { points: 100 }),
  keep([1, 5], "bank", { points: 150 }),
  keep([1, 5], "roll", { points: 150 }),
];
const SLOTS = slotsOf(CHOICES, []);
const slot = (id: string) => SLOTS.find((one) => one.id === id)!;

describe("slotsOf", () => {
  test("one button per action, those that continue the turn first", () => {
    expect(SLOTS.map((one) => one.id)).toEqual(["roll", "bank"]);
    expect(SLOTS.map((one) => one.word)).toEqual(["Roll", "Bank"]);
  });

  test("buttons that need no dice come last, by name", () => {
    const slots = slotsOf([choice("pass", { verb: "pass" }), ...CHOICES], []);
    expect(slots.map((one) => one.id)).toEqual(["roll", "bank", "pass"]);
  });

  test("keys are unique letters of the words, none that the table uses itself", () => {
    const verbs = ["accept", "reroll", "roll", "halt"];
    const slots = slotsOf(
      verbs.map((verb) => choice(verb, { verb })),
      [],
    );
    const keys = Object.fromEntries(slots.map((one) => [one.id, one.key]));
    expect(keys).toEqual({ accept: "c", halt: "t", reroll: "r", roll: "o" });
  });

  test("a blocked action gets its own button or blocks an existing one", () => {
    const slots = slotsOf(CHOICES, [blocked("bank", "Too little."), blocked("stop", "Not yet.")]);
    expect(slots.find((one) => one.id === "bank")?.blocked?.reason).toBe("Too little.");
    expect(slots.find((one) => one.id === "stop")?.choices).toEqual([]);
  });

  test("a blocked action that would continue the turn keeps its place", () => {
    const roll = { ...blocked("roll", "Nothing is left."), ends_turn: false };
    const slots = slotsOf([keep([1], "bank", { ends_turn: true })], [roll]);
    expect(slots.map((one) => one.id)).toEqual(["roll", "bank"]);
  });

  test("re-roll is written with a hyphen", () => {
    expect(slotsOf([choice("x", { verb: "reroll" })], [])[0]?.word).toBe("Re-roll");
  });
});

describe("fitting", () => {
  test("finds the choice for the selected dice, in any order", () => {
    expect(fitting(slot("bank"), [5, 1])?.points).toBe(150);
    expect(fitting(slot("bank"), [5])).toBeUndefined();
    expect(fitting(slot("bank"), [])).toBeUndefined();
  });

  test("a single choice without dice matches any selection", () => {
    const [pass] = slotsOf([choice("pass", { verb: "pass" })], []);
    expect(fitting(pass!, [1, 2])?.text).toBe("pass");
  });
});

describe("defaultSlot", () => {
  test("is the first button that uses the selected dice", () => {
    expect(defaultSlot(SLOTS, [1], "")?.id).toBe("roll");
    expect(defaultSlot(SLOTS, [], "")).toBeUndefined();
  });

  test("is the button of a choice picked from a list", () => {
    expect(defaultSlot(SLOTS, [1], "1 bank")?.id).toBe("bank");
  });

  test("is a choice without dice only if there is no other", () => {
    const pass = choice("pass", { verb: "pass" });
    expect(defaultSlot(slotsOf([pass], []), [], "")?.id).toBe("pass");
    expect(defaultSlot(slotsOf([pass, ...CHOICES], []), [], "")).toBeUndefined();
  });
});

describe("reason", () => {
  test("says what is missing", () => {
    expect(reason(slot("bank"), SLOTS, [])).toBe("Select dice first.");
    expect(reason(slot("bank"), SLOTS, [5])).toBe("Not with this die alone.");
    expect(reason(slot("bank"), SLOTS, [5, 5])).toBe("Not with these dice together.");
    expect(reason(slot("bank"), SLOTS, [5, 5], "Two of a kind.")).toBe("Two of a kind.");
  });

  test("says that another button can use the dice", () => {
    const slots = slotsOf([keep([1], "roll"), keep([5], "bank")], []);
    expect(reason(slots[1]!, slots, [1])).toBe("Not with these dice.");
  });

  test("says why an action is blocked, once dice are selected", () => {
    const slots = slotsOf([keep([1], "roll"), keep([5], "bank")], [blocked("bank", "Too little.")]);
    const bank = slots.find((one) => one.id === "bank")!;
    expect(reason(bank, slots, [])).toBe("Select dice first.");
    expect(reason(bank, slots, [1])).toBe("Too little.");
  });
});

describe("placesOf", () => {
  test("uses each die once", () => {
    expect(placesOf([1, 1], [die(1), die(5), die(1), die(1)])).toEqual([0, 2]);
  });

  test("is empty if a die is missing", () => {
    expect(placesOf([1, 2], [die(1), die(5)])).toEqual([]);
  });
});

test("keepsOf groups choices with the same dice", () => {
  expect(keepsOf(CHOICES).map((group) => group.length)).toEqual([2, 2]);
});

test("bestOf is what the coach thinks best, else what continues the turn", () => {
  const [bank, roll] = [keep([1], "bank", { ends_turn: true }), keep([1], "roll")];
  expect(bestOf([bank, roll], null)).toBe(roll);
  const counsels = [
    { text: bank.text, value: 0.6 },
    { text: roll.text, value: 0.4 },
  ];
  expect(bestOf([bank, roll], { counsels } as unknown as Advice)).toBe(bank);
});

test("everything takes the most dice, then the most points, and goes on", () => {
  expect(everything(CHOICES)?.dice).toEqual([1, 5]);
  expect(
    everything([keep([1], "bank", { points: 1 }), keep([5], "bank", { points: 2 })])?.dice,
  ).toEqual([5]);
  const [bank, roll] = [keep([1], "bank", { ends_turn: true }), keep([1], "roll")];
  expect(everything([bank, roll])).toBe(roll);
  expect(everything([])).toBeUndefined();
});

test("percent shows a decimal for small values", () => {
  const shown = [0.5, 0.031, 0, 0.004, 0.996, 1].map(percent);
  expect(shown).toEqual(["50 %", "3 %", "0 %", "< 1 %", "> 99 %", "100 %"]);
});

test("risk is the first of the coach's odds", () => {
  const odds = [{ name: "bust", chance: 0.25 }];
  const advice = { counsels: [{ text: "1 roll", odds }] } as unknown as Advice;
  expect(risk(keep([1], "roll"), advice)).toBe("25 % bust");
  expect(risk(keep([1], "bank"), advice)).toBe("");
  expect(risk(keep([1], "roll"), null)).toBe("");
});

test("toggled selects or deselects a position in a new set", () => {
  const before = new Set([1]);
  expect([...toggled(before, 2)]).toEqual([1, 2]);
  expect([...toggled(before, 1)]).toEqual([]);
  expect([...before]).toEqual([1]);
});

test("whyUnused tells what the rules say of a die that no choice takes", () => {
  const three = { code: 3, reason: "The 3 doesn't score." };
  const shown = { choices: [keep([5], "roll")], unused: [three] };
  expect(whyUnused(die(5), shown)).toBe("");
  expect(whyUnused(die(3), shown)).toBe("The 3 doesn't score.");
  expect(whyUnused(die(2), shown)).toBe("The 2 cannot be taken now.");
});

test("middleOf leaves a badge free where it can", () => {
  const badge = (place: number) => place === 2;
  expect(middleOf(new Set([5, 2, 3]), badge)).toBe(3);
  expect(middleOf(new Set([4, 2, 3, 5]), () => false)).toBe(3);
  expect(middleOf(new Set([2]), badge)).toBe(2);
  expect(middleOf(new Set(), badge)).toBeUndefined();
});
