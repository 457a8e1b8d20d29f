// Finds the choice for the selected dice. The server lists all legal choices; there are no rules
// here.

import { nameOf } from "./dice";
import type { Advice, Blocked, Choice, DieView, View } from "./types";
import { capital } from "./words";

/** A button: one kind of action. */
export interface Slot {
  id: string;
  word: string;
  key: string;
  ends: boolean;
  choices: Choice[];
  blocked: Blocked | null;
}

/** Equal for equal dice in any order. */
export const diceKey = (codes: readonly number[]) => [...codes].sort((a, b) => a - b).join(",");

const title = (word: string) => capital(word === "reroll" ? "re-roll" : word);

/** Keys that the table uses itself. */
const TAKEN = new Set(["a", "h", "u", "l"]);

/** The buttons of a state, in an order that does not depend on the selection. */
export function slotsOf(choices: readonly Choice[], blocked: readonly Blocked[]): Slot[] {
  const found = new Map<string, Slot>();
  for (const choice of choices) {
    const id = choice.then || choice.verb;
    const slot = found.get(id);
    if (slot) slot.choices.push(choice);
    else
      found.set(id, {
        id,
        word: title(id),
        key: "",
        ends: choice.ends_turn,
        choices: [choice],
        blocked: null,
      });
  }
  for (const one of blocked) {
    const slot = found.get(one.action);
    if (slot) slot.blocked = one;
    else
      found.set(one.action, {
        id: one.action,
        word: title(one.action),
        key: "",
        ends: one.ends_turn,
        choices: [],
        blocked: one,
      });
  }
  // First the actions that need dice, those that continue the turn before those that end it; then
  // the others by name.
  const rank = (slot: Slot) => {
    if (!slot.choices.length && !slot.ends) return 0;
    return slot.choices.some((choice) => choice.dice.length) ? Number(slot.ends) : 2;
  };
  const slots = [...found.values()].sort((a, b) => rank(a) - rank(b) || a.id.localeCompare(b.id));
  const keys = new Set(TAKEN);
  for (const slot of slots) {
    slot.key = [...slot.id].find((letter) => !keys.has(letter)) ?? "";
    keys.add(slot.key);
  }
  return slots;
}

/** The choice that a button makes with these dice selected. */
export function fitting(slot: Slot, codes: readonly number[]): Choice | undefined {
  const [only] = slot.choices;
  if (slot.choices.length === 1 && only && !only.dice.length) return only;
  const wanted = diceKey(codes);
  return slot.choices.find((choice) => diceKey(choice.dice) === wanted);
}

/**
 * The button that Enter presses: that of the choice picked from a list, else the first that uses the selected dice.
 * A choice without dice gives up or spends something, so it is the default only if there is no other.
 */
export function defaultSlot(
  slots: readonly Slot[],
  codes: readonly number[],
  wanted: string,
): Slot | undefined {
  const picked = slots.find((slot) => wanted && fitting(slot, codes)?.text === wanted);
  return (
    picked ??
    slots.find((slot) => fitting(slot, codes)?.dice.length) ??
    (slots.length === 1 && slots[0]?.choices.length === 1 ? slots[0] : undefined)
  );
}

/** Why a button is disabled; `taking`: how dice may be taken together. */
export function reason(
  slot: Slot,
  slots: readonly Slot[],
  codes: readonly number[],
  taking = "",
): string {
  if (slot.blocked && (!slot.choices.length || codes.length)) return slot.blocked.reason;
  if (!codes.length) return "Select dice first.";
  const elsewhere = slots.some((other) => other !== slot && fitting(other, codes)?.dice.length);
  if (elsewhere) return "Not with these dice.";
  if (taking) return taking;
  return codes.length === 1 ? "Not with this die alone." : "Not with these dice together.";
}

/** The positions in the tray of dice with these codes; none if one is missing. */
export function placesOf(codes: readonly number[], dice: readonly DieView[]): number[] {
  const left = [...codes];
  const places: number[] = [];
  dice.forEach((die, place) => {
    const at = left.indexOf(die.code);
    if (at < 0) return;
    left.splice(at, 1);
    places.push(place);
  });
  return left.length ? [] : places;
}

/** The selected die over which points float: the one in the middle, of those that no badge covers. */
export function middleOf(
  selected: ReadonlySet<number>,
  isCovered: (place: number) => boolean,
): number | undefined {
  const all = [...selected].sort((a, b) => a - b);
  const free = all.filter((place) => !isCovered(place));
  const places = free.length ? free : all;
  return places[Math.floor((places.length - 1) / 2)];
}

/** Why a die of the tray cannot be selected, in the words of the rules; empty if it can. */
export function whyUnused(die: DieView, view: Pick<View, "choices" | "unused">): string {
  if (view.choices.some((choice) => choice.dice.includes(die.code))) return "";
  const known = view.unused.find(({ code }) => code === die.code)?.reason;
  return known ?? `The ${nameOf(die)} cannot be taken now.`;
}

/** The selected positions after a tap on one. */
export function toggled(places: ReadonlySet<number>, place: number): ReadonlySet<number> {
  const next = new Set(places);
  if (!next.delete(place)) next.add(place);
  return next;
}

/** The choices grouped by verb and dice. */
export function keepsOf(choices: readonly Choice[]): Choice[][] {
  const found = new Map<string, Choice[]>();
  for (const choice of choices) {
    const id = `${choice.verb} ${diceKey(choice.dice)}`;
    const keep = found.get(id);
    if (keep) keep.push(choice);
    else found.set(id, [choice]);
  }
  return [...found.values()];
}

/** What to do with dice picked from a list: what the coach thinks best, else what continues the turn. */
export function bestOf(keep: readonly Choice[], advice: Advice | null): Choice | undefined {
  const worth = (choice: Choice) =>
    advice?.counsels.find((one) => one.text === choice.text)?.value ?? -Number(choice.ends_turn);
  return [...keep].sort((a, b) => worth(b) - worth(a))[0];
}

/** The choice with the most dice, then the most points; what continues the turn comes first. */
export function everything(choices: readonly Choice[]): Choice | undefined {
  return [...choices].sort(
    (a, b) =>
      b.dice.length - a.dice.length ||
      b.points - a.points ||
      Number(a.ends_turn) - Number(b.ends_turn),
  )[0];
}

/** A chance in whole percents; what is not impossible is not 0. */
export function percent(chance: number): string {
  const whole = Math.round(100 * chance);
  if (whole === 0 && chance > 0) return "< 1 %";
  return whole === 100 && chance < 1 ? "> 99 %" : `${whole} %`;
}

/** The main risk of the next roll, from the coach's advice. */
export function risk(choice: Choice, advice: Advice | null): string {
  const counsel = advice?.counsels.find((one) => one.text === choice.text);
  const [first] = counsel?.odds ?? [];
  return first?.chance ? `${percent(first.chance)} ${first.name}` : "";
}
