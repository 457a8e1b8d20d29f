// How evenly dice fell: names, and the bars of a chart. The server counts and judges.

import type { Counted, DieDue, Judged, KindOfDie } from "./types";
import { capital, number } from "./words";

const SOURCES: Record<string, string> = {
  seeded: "virtual dice",
  verified: "verified dice",
  typed: "real dice",
  challenge: "dice of challenges",
};

/** What the dice of a source are called. */
export const sourceName = (source: string): string => SOURCES[source] ?? source;

/** What a kind of die is called, alone or among others. */
export const kindName = (die: DieDue): string =>
  die.kind === "die" ? "Dice" : `${capital(die.called || die.kind)} dice`;

/** The name of a face for screen readers. */
export const faceName = (die: DieDue, at: number): string => die.faces[at]?.label ?? "";

/** The counts to draw side by side: people and bots, or everybody. */
export const drawn = (kind: KindOfDie): Counted[] =>
  kind.parties.length ? kind.parties : [kind.all];

/** One bar, in parts of the height of the chart. */
export interface Bar {
  height: number;
  low: number;
  high: number;
}

export interface Chart {
  /** The height at which all that is expected lies. */
  expected: number;
  /** For every face, a bar for each of the counts that are drawn. */
  faces: Bar[][];
}

/** A little room above the highest bar. */
const ROOM = 1.06;
/** The chart shows at least this multiple of what is expected. */
const LEAST = 1.2;

/** The bars of a kind of die: counts as multiples of what is expected, so that they compare. */
export function chartOf(kind: KindOfDie): Chart {
  const rows = drawn(kind);
  const times = (value: number, expected: number) => (expected ? value / expected : 0);
  const tops = rows.flatMap(({ faces }) =>
    faces.map(({ count, high, expected }) => times(Math.max(count, high), expected)),
  );
  const top = ROOM * Math.max(LEAST, ...tops);
  return {
    expected: 1 / top,
    faces: kind.die.faces.map((_, at) =>
      rows.map(({ faces }) => {
        const { count = 0, expected = 0, low = 0, high = 0 } = faces[at] ?? {};
        const part = (value: number) => times(value, expected) / top;
        return { height: part(count), low: part(low), high: part(high) };
      }),
    ),
  };
}

/** How many were expected, short enough for a narrow column. */
export const expectedText = (value: number): string =>
  value < 100 ? String(Math.round(10 * value) / 10) : number(Math.round(value));

/** How a verdict is marked: as fine, as worth a look, or not at all. */
export const markOf = ({ verdict }: Judged): "fine" | "odd" | "open" =>
  verdict === "too few" ? "open" : verdict === "nothing unusual" ? "fine" : "odd";

/** A judgement in few words, below one that is told in full. */
export const brief = ({ thrown, odds, verdict }: Judged): string =>
  `${number(thrown)} ${thrown === 1 ? "die" : "dice"}: ${odds ? `${odds}, ` : ""}${
    odds ? verdict : "too few to tell"
  }`;

/** The verdict as a headline. */
export const headline = ({ verdict }: Judged): string =>
  verdict === "too few" ? "Too few dice to tell" : capital(verdict);
