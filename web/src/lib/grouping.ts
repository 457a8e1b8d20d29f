// Groups choices that are worth the same, and writes values only as exactly as they matter.

import { keepsOf } from "./selecting";
import type { Advice, Choice, Counsel } from "./types";

/** What looks equally good; the first stands for all. */
export interface Group<T> {
  /** The value as text; empty if it is not known. */
  worth: string;
  isBest: boolean;
  first: T;
  others: T[];
}

type Values = Pick<Advice, "objective" | "counsels">;

/** A difference below this part of the spread of all values says nothing. */
const TELLING = 0.1;
const NAMED = 3;

/** Writes values: in whole percents or points if tenths of them say nothing. */
export function writer({ objective, counsels }: Values): (value: number) => string {
  const isChance = objective !== "points";
  const unit = isChance ? 100 : 1;
  const values = counsels.map((one) => one.value * unit);
  const spread = Math.max(...values) - Math.min(...values);
  const digits = spread < 0.05 || TELLING * spread >= 1 ? 0 : 1;
  const format = new Intl.NumberFormat("en", {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
  return (value) => {
    const text = format.format(value * unit).replace("-", "−");
    if (isChance) return `${text} %`;
    return `${text} ${text === "1" ? "point" : "points"}`;
  };
}

/** Points that make a bar a good deal shorter, however few there are to win. */
const LEAST = 10;

/** The length of a bar, of 100: the chance to win itself, or points against the best choice. */
export function barOf({ value, cost }: Pick<Counsel, "value" | "cost">, advice: Values): number {
  if (advice.objective === "win") return 100 * value;
  const best = Math.abs(advice.counsels[0]?.value ?? 0);
  return Math.max(0, 100 - (100 * cost) / Math.max(LEAST, best));
}

/** What has a value, in groups, best first. */
export function groupsOf<T>(
  all: readonly T[],
  valueOf: (one: T) => number,
  write: (value: number) => string,
): Group<T>[] {
  const found = new Map<string, Group<T>>();
  for (const one of [...all].sort((a, b) => valueOf(b) - valueOf(a))) {
    const worth = write(valueOf(one));
    const group = found.get(worth);
    if (group) group.others.push(one);
    else found.set(worth, { worth, isBest: !found.size, first: one, others: [] });
  }
  const [only, ...more] = found.values();
  if (only && !more.length && !only.others.length) only.isBest = false; // there is no choice
  return [...found.values()];
}

/** The choices by what they do with dice, in groups; each alone if values are not known. */
export function keepGroups(choices: readonly Choice[], advice: Values | null): Group<Choice[]>[] {
  const keeps = keepsOf(choices);
  const values = new Map(advice?.counsels.map((one) => [one.text, one.value]));
  if (!advice || choices.some((one) => !values.has(one.text)))
    return keeps.map((keep) => ({ worth: "", isBest: false, first: keep, others: [] }));
  const valueOf = (keep: Choice[]) => Math.max(...keep.map((one) => values.get(one.text) ?? 0));
  return groupsOf(keeps, valueOf, writer(advice));
}

/** The other choices of a group in a few words. */
export function alsoWords(words: readonly string[]): string {
  const named = words.slice(0, words.length > NAMED + 1 ? NAMED : words.length).join(", ");
  const more = words.length > NAMED + 1 ? ` and ${words.length - NAMED} more` : "";
  return `Worth the same: ${named}${more}`;
}
