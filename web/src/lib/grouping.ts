// Groups choices that are worth the same, and writes values only as exactly as they matter.

import type { Advice, Choice, Counsel } from "./types";

/** What is equally good; the first stands for all. */
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
/** Values that differ by no more than this part of them are equal: they were added up in another order. */
const EQUAL = 1e-9;

const areEqual = (one: number, other: number) =>
  Math.abs(one - other) <= EQUAL * Math.max(1, Math.abs(one), Math.abs(other));

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

/** What has a value, in groups of equal ones, best first. */
export function groupsOf<T>(
  all: readonly T[],
  valueOf: (one: T) => number,
  write: (value: number) => string,
): Group<T>[] {
  const found: Group<T>[] = [];
  for (const one of [...all].sort((a, b) => valueOf(b) - valueOf(a))) {
    const group = found.at(-1);
    if (group && areEqual(valueOf(group.first), valueOf(one))) group.others.push(one);
    else found.push({ worth: write(valueOf(one)), isBest: !found.length, first: one, others: [] });
  }
  const [only, ...more] = found;
  if (only && !more.length && !only.others.length) only.isBest = false; // there is no choice
  return found;
}

/** Whether dice can be used in a way that is as good as any; not if all ways are. */
export function isBest(keep: readonly Choice[], advice: Values | null): boolean {
  const values = new Map(advice?.counsels.map((one) => [one.text, one.value]));
  const [most, least] = [Math.max(...values.values()), Math.min(...values.values())];
  if (!advice || areEqual(most, least)) return false;
  return keep.some(({ text }) => {
    const value = values.get(text);
    return value !== undefined && areEqual(value, most);
  });
}

/** The words of a choice, and what follows it: to roll or to bank differs. */
export const fullWords = (words: string, then = "") => (then ? `${words} and ${then}` : words);

/** The other choices of a group in a few words. */
export function alsoWords(words: readonly string[]): string {
  const named = words.slice(0, words.length > NAMED + 1 ? NAMED : words.length).join(", ");
  const more = words.length > NAMED + 1 ? ` and ${words.length - NAMED} more` : "";
  return `Worth the same: ${named}${more}`;
}
