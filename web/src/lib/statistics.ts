// Which statistics mean something: games against others are won, games alone are for points.

import type { Career } from "./types";
import { capital, number } from "./words";

export interface StatisticsTable {
  title: string;
  game: string;
  columns: string[];
  /** The columns that hold words; all others hold numbers. */
  words: string[];
  /** Everybody who has a row, once. */
  names: string[];
  rows: { name: string; cells: string[]; career: Career }[];
}

const share = (part: number, whole: number) => `${whole ? Math.round((100 * part) / whole) : 0} %`;
const times = (part: number, whole: number) => `${number(part)} (${share(part, whole)})`;

type Column = [title: string, cell: (one: Career) => string];

/** What is counted in a row of games alone: `series of 5 games`, `single games, uses 1`. */
export function kindOf({ length, rules }: Pick<Career, "length" | "rules">): string {
  const kind = length > 1 ? `series of ${number(length)} games` : length ? "single games" : "";
  const told = [kind, rules].filter(Boolean).join(", ");
  return capital(told || "usual rules");
}

const PLAYED_AS = "Played as";
const games: Column = ["Games", (one) => number(one.games)];
const average: Column = ["Average", (one) => number(Math.round(10 * one.mean) / 10)];

const AGAINST_OTHERS: Column[] = [
  games,
  ["Won", (one) => times(one.won, one.games)],
  average,
  ["Highest", (one) => number(one.top)],
  ["Best turn", (one) => number(one.best)],
  ["Scoreless turns", (one) => share(one.empty, one.turns)],
];

/** Rows are apart by rules and by the length of a series, so that their points can be compared. */
function alone(rows: readonly Career[], goal: string): Column[] {
  const kinds = rows.some(({ length, rules }) => length || rules);
  return [
    ...(kinds
      ? ([
          [PLAYED_AS, kindOf],
          ["Times", games[1]],
        ] as Column[])
      : [games]),
    ["Personal best", (one) => number(one.top)],
    average,
    ...(goal ? [[capital(goal), (one) => times(one.won, one.games)] as Column] : []),
  ];
}

/** A table for each game, and another one for games alone if there are both. */
export function tablesOf(careers: readonly Career[]): StatisticsTable[] {
  const found = new Map<string, Career[]>();
  for (const one of careers) {
    const key = `${one.game} ${one.alone}`;
    found.set(key, [...(found.get(key) ?? []), one]);
  }
  return [...found.values()].flatMap((rows) => {
    const [first] = rows;
    if (!first) return [];
    const both = found.has(`${first.game} ${!first.alone}`);
    const columns = first.alone ? alone(rows, first.goal) : AGAINST_OTHERS;
    return {
      title: first.title + (both ? (first.alone ? ", alone" : ", against others") : ""),
      game: first.game,
      columns: columns.map(([title]) => title),
      words: [PLAYED_AS],
      names: [...new Set(rows.map(({ name }) => name))],
      rows: rows.map((one) => ({
        name: one.name,
        cells: columns.map(([, cell]) => cell(one)),
        career: one,
      })),
    };
  });
}
