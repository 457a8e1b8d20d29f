// What is selected before a player selects anything. There are no rules here: only the view counts.

import { diceKey } from "./selecting";
import type { Choice, DieView, View } from "./types";

const NOTHING: ReadonlySet<number> = new Set();

/**
 * The places in the tray that are selected at first: all dice that have yet to be picked for a roll, or those that do
 * not fit the pattern that is wanted. Nothing, if no choice uses exactly these dice.
 */
export function preselected(
  view: View,
  tray: readonly DieView[],
  choices: readonly Choice[],
): ReadonlySet<number> {
  const places = candidates(view, tray);
  const codes = diceKey(places.flatMap((place) => tray[place]?.code ?? []));
  const fits = places.length && choices.some((choice) => diceKey(choice.dice) === codes);
  return fits ? new Set(places) : NOTHING;
}

function candidates(view: View, tray: readonly DieView[]): number[] {
  const all = [...tray.keys()];
  if (tray.every((die) => die.drawn === "blank")) return all;
  if (!view.pattern.length) return [];
  const wanted = new Set(view.pattern.map((one) => one.die.code));
  return all.filter((place) => !wanted.delete(tray[place]?.code ?? -1));
}
