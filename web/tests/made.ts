// Values for the tests: each function fills in what a test does not care about.

import type { Blocked, Choice, DieView } from "../src/lib/types";

export const choice = (text: string, more: Partial<Choice> = {}): Choice => ({
  text,
  verb: "keep",
  dice: [],
  then: "",
  points: 0,
  left: 0,
  words: text,
  effect: "",
  ends_turn: false,
  ...more,
});

export const keep = (dice: number[], then: string, more: Partial<Choice> = {}): Choice =>
  choice(`${dice.join("")} ${then}`, { dice, then, ends_turn: then === "bank", ...more });

export const blocked = (action: string, reason: string): Blocked => ({
  action,
  reason,
  clause: "X1",
});

export const die = (code: number, more: Partial<DieView> = {}): DieView => ({
  code,
  token: String(code),
  label: String(code),
  kind: "die",
  colour: "white",
  place: "tray",
  ring: false,
  drawn: "pips",
  pips: code,
  flag: "",
  called: "",
  ...more,
});
