// Challenges in words: what they are, how far they are, how tries went. The server ranks.

import type { ListedChallenge, Tried } from "./types";
import { capital, number, ofHundred } from "./words";

const spelled = ["no", "one", "two", "three", "four", "five", "six", "seven", "eight"];
const count = (size: number, one: string, many: string) =>
  `${spelled[size] ?? number(size)} ${size === 1 ? one : many}`;

/** Whom one plays with: `against a sharp bot`, `alone`. */
export function company({ people, bots }: Pick<ListedChallenge, "people" | "bots">): string {
  const levels = [...new Set(bots)];
  const against =
    bots.length === 1
      ? `against a ${bots[0]} bot`
      : `against ${count(bots.length, "bot", "bots")} (${levels.join(", ")})`;
  if (people === 1) return bots.length ? against : "alone";
  const table = `at tables of ${count(people, "person", "people")}`;
  return bots.length ? `${table}, ${against}` : table;
}

const days = new Intl.DateTimeFormat("en", {
  day: "numeric",
  month: "long",
  year: "numeric",
  timeZone: "UTC",
});

/** A day in words: `18 November 2026`. */
export function dayText(day: string): string {
  const parts = new Map(
    days.formatToParts(new Date(`${day}T00:00:00Z`)).map(({ type, value }) => [type, value]),
  );
  return `${parts.get("day")} ${parts.get("month")} ${parts.get("year")}`;
}

/** A moment in the reader's own time, with its zone: `25 Nov 2026, 01:00 CET`. */
export const momentText = (seconds: number, locale?: string, timeZone?: string): string =>
  new Intl.DateTimeFormat(locale, {
    day: "numeric",
    month: "short",
    year: "numeric",
    hour: "2-digit",
    minute: "2-digit",
    timeZoneName: "short",
    ...(timeZone ? { timeZone } : {}),
  }).format(new Date(1000 * seconds));

/** How many have played, in a few words. */
export function crowd({
  tries,
  finished,
  closed,
}: Pick<ListedChallenge, "tries" | "finished" | "closed">): string {
  if (!tries) return closed ? "nobody has played it" : "nobody has played it yet";
  const busy = tries - finished;
  const done = finished ? `${number(finished)} ${finished === 1 ? "has" : "have"} played` : "";
  const playing = busy ? `${number(busy)} still playing` : "";
  return [done, playing].filter(Boolean).join(", ");
}

/** What there is to know before one plays, in sentences. */
export function factsOf(one: ListedChallenge, closing: string): string[] {
  return [
    "One try each, without the coach.",
    ...(one.rules ? [`House rules: ${one.rules}.`] : []),
    `${capital(crowd(one))}.`,
    ...(one.closed
      ? [closing ? `It closed on ${closing}.` : "It is closed."]
      : closing
        ? [`It can be started until ${closing}.`]
        : []),
  ];
}

/** How a try ended: `won by 120`, `14 points`. */
export function ending(one: Tried, isAlone: boolean): string {
  if (!one.done || one.margin === null) return "still playing";
  const size = number(Math.abs(one.margin));
  if (isAlone) return `${number(one.margin)} ${Math.abs(one.margin) === 1 ? "point" : "points"}`;
  if (one.won) return one.margin > 0 ? `won by ${size}` : "shared the win";
  return one.margin < 0 ? `lost by ${size}` : "lost";
}

/** A part as a percentage; only what is perfect is 100 %. */
export function percentText(part: number): string {
  const shown = Math.round(100 * part);
  return shown === 100 && part < 1 ? "> 99 %" : `${shown} %`;
}

/** How the dice of a try compare with those that others had at such games. */
export const luckText = (percentile: number): string =>
  `luckier than ${ofHundred(percentile)} of 100`;

export type Ranking = "result" | "skill";

/** The tries in the order of a ranking; those without a rank come last. */
export function inOrder(tries: readonly Tried[], by: Ranking): Tried[] {
  const last = tries.length + 1;
  const rank = (one: Tried) => (by === "result" ? one.by_result : one.by_skill) ?? last;
  return tries.toSorted((one, other) => rank(one) - rank(other));
}

/** The finished tries that are not analysed, the player's own first. */
export const toAnalyse = (tries: readonly Tried[]): Tried[] =>
  tries
    .filter((one) => one.done && !one.skill)
    .toSorted((one, other) => Number(other.yours) - Number(one.yours));
