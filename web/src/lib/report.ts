// An analysed game: what its numbers mean, as text and as a curve.

import type { Assessed, Report } from "./types";
import { capital } from "./words";

type Valued = Pick<Report, "objective">;

const format = new Intl.NumberFormat("en", { minimumFractionDigits: 1, maximumFractionDigits: 1 });

/** A value as text: a chance to win, or points. */
export function valueText({ objective }: Valued, value: number): string {
  const size = format.format(Math.abs(objective === "win" ? 100 * value : value));
  const sign = value < 0 && size !== "0.0" ? "−" : "";
  return objective === "win" ? `${sign}${size} %` : `${sign}${size} points`;
}

/** A difference as text, with its sign. */
export function signedText(valued: Valued, value: number): string {
  const text = valueText(valued, value);
  return value > 0 ? `+${text}` : text;
}

/** What was given away, with its unit: `5.0 % of a win`, or points. */
export const costText = (valued: Valued, cost: number): string =>
  valueText(valued, cost) + (valued.objective === "win" ? " of a win" : "");

const fine = new Intl.NumberFormat("en", { minimumFractionDigits: 2, maximumFractionDigits: 2 });

/** What was given away per decision, on average; finer than that of a whole game. */
export const rateText = ({ objective }: Valued, cost: number): string =>
  objective === "win" ? `${fine.format(100 * cost)} %` : `${fine.format(cost)} points`;

/** A performance rating: thousandths of a win, or points, given away per decision. */
export const ratingText = ({ objective }: Valued, rating: number): string =>
  rating.toFixed(objective === "win" ? 1 : 2);

/** How large a difference is: 1 is a whole win, or the span of all values of a game of points. */
export function scaleOf(report: Report): number {
  if (report.objective === "win") return 1;
  const [low, high] = spanOf(report);
  return high - low || 1;
}

/** The lowest and the highest value of the curve. */
export function spanOf(report: Report): [number, number] {
  if (report.objective === "win") return [0, 1];
  const values = [report.start, ...report.events.map((one) => one.value)];
  return [Math.min(...values), Math.max(...values)];
}

/** The curve in a box of this size: a point before the first event and one after each. */
export function curveOf(report: Report, width: number, height: number): [number, number][] {
  const [low, high] = spanOf(report);
  const values = [report.start, ...report.events.map((one) => one.value)];
  const step = width / Math.max(1, report.events.length);
  return values.map((value, at) => [
    at * step,
    height - (height * (value - low)) / (high - low || 1),
  ]);
}

/** What a single event was, in a few words; empty if there is nothing to say. */
export function remark(report: Report, one: Assessed): string {
  if (!one.choices) {
    if (Math.abs(one.luck) < 5e-4 * scaleOf(report)) return "";
    const word = one.word ? `, ${one.word === "joker" ? "a joker" : article(one.word)}` : "";
    return `Luck ${signedText(report, one.luck)}${word}`;
  }
  if (one.choices === 1) return "The only choice";
  if (!one.cost) return one.spread > 1e-9 ? "The best choice" : "All choices are worth the same";
  return `${capital(article(one.word))}: gave away ${costText(report, one.cost)}`;
}

const article = (word: string) =>
  ["slip", "mistake", "blunder", "disaster"].includes(word) ? `a ${word}` : word;

/** One part of the sum that a result is. */
export interface Part {
  name: string;
  value: string;
}

/** The sum: the value at the start, dice, mistakes, and the result; none for estimates. */
export function sumOf(report: Report): Part[] {
  if (!report.exact) return [];
  const [first, second] = report.seats;
  if (!first) return [];
  const luck = report.events.reduce((sum, one) => sum + one.luck, 0);
  const isOver = first.result !== null;
  const own = report.seats.length === 1 ? "Mistakes" : `Mistakes of ${first.name}`;
  return [
    { name: "At the start", value: valueText(report, report.start) },
    { name: "Dice", value: signedText(report, luck) },
    { name: own, value: signedText(report, -first.cost) },
    ...(second
      ? [{ name: `Mistakes of ${second.name}`, value: signedText(report, second.cost) }]
      : []),
    { name: isOver ? "Result" : "Now", value: valueText(report, report.value) },
  ];
}

/** Whether an event deserves a mark on the curve, and which. */
export function markOf(one: Assessed): "good" | "bad" | "cost" | "" {
  if (one.choices) return ["mistake", "blunder"].includes(one.word) ? "cost" : "";
  if (one.word === "joker" || one.word === "lucky") return "good";
  return one.word ? "bad" : "";
}

/** The link to the position before an event. */
export function positionLink(report: Report, one: Assessed): string {
  const query = new URLSearchParams({ state: one.state });
  if (report.changed) query.set("options", report.changed);
  return `/position/${report.game}?${query}`;
}
