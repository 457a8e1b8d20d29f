// What many games say about a player, as text and as plots.

import type { Best, Career, Estimate, Moment, Rated } from "./types";
import { ratingText, rateText, signedText, valueText } from "./report";
import { number, ofHundred } from "./words";

/** A number with what it means and what it rests on, in a sentence. */
export interface Tile {
  name: string;
  value: string;
  about: string;
}

/** A point of a plot: the number of a game from 1, and a value. */
export type Point = [game: number, value: number];

export interface Plot {
  name: string;
  /** What it shows, in a sentence. */
  about: string;
  dots: Point[];
  line: Point[];
  /** The range around the line: the number of a game, its lower and its upper end. */
  band: [game: number, low: number, high: number][];
  /** A value to compare with. */
  base?: number;
  text: (value: number) => string;
}

/** How many games a moving average is over. */
export const RECENT = 10;

const counted = (count: number, what: string) =>
  `${number(count)} ${what}${count === 1 ? "" : "s"}`;
/** So many games under the same rules: `2 single games with uses 1`, `3 series of 5 games`. */
function countedUnder(count: number, { length, rules }: Pick<Rated, "length" | "rules">): string {
  const what =
    length > 1
      ? `${number(count)} series of ${number(length)} games`
      : counted(count, length ? "single game" : "game");
  return what + (rules ? ` with ${rules}` : "");
}
const fixed = (digits: number) =>
  new Intl.NumberFormat("en", { minimumFractionDigits: digits, maximumFractionDigits: digits });
const whole = fixed(0);
const tenths = fixed(1);
const hundredths = fixed(2);
const written = (format: Intl.NumberFormat, value: number) => {
  const text = format.format(Math.abs(value));
  return value < 0 && /[1-9]/.test(text) ? `−${text}` : text;
};
const plus = (value: number, text: string) => (value > 0 && /[1-9]/.test(text) ? `+${text}` : text);

/** A share as a percentage; only all is 100 %, and only nothing is 0 %. */
export function percent(share: number): string {
  const shown = 100 * share;
  if (shown > 0 && shown < 1) return "< 1 %";
  if (shown > 99 && shown < 100) return shown > 99.9 ? "> 99.9 %" : `${tenths.format(shown)} %`;
  return `${written(whole, shown)} %`;
}

function withError(format: Intl.NumberFormat, value: number, error: number | null): string {
  const shown = written(format, value);
  return error === null ? shown : `${shown} ± ${format.format(error)}`;
}

/** The unit in which luck and costs of these games are told. */
const unit = ({ objective }: Pick<Rated, "objective">) => (objective === "win" ? "wins" : "points");
const amount = (rated: Pick<Rated, "objective">, value: number) =>
  written(rated.objective === "win" ? hundredths : tenths, value);
/** What is given away, by what the games are about. */
const given = ({ objective }: Pick<Rated, "objective">) =>
  objective === "win" ? "Chance to win given away" : "Points given away";

/** The numbers of a career, each with what it means. */
export function tilesOf(rated: Rated): Tile[] {
  return [
    skillTile(rated.skill),
    strengthTile(rated),
    accuracyTile(rated),
    rateTile(rated),
    adjustedTile(rated),
    luckTile(rated),
    bustTile(rated),
  ].filter((tile) => tile !== null);
}

function skillTile(skill: Estimate | null): Tile | null {
  if (!skill) return null;
  return {
    name: "Skill",
    value: withError(whole, skill.value, skill.error),
    about: `1,000 is perfect play; whoever has 100 more wins 55 of 100 games. From ${counted(skill.games, "game")} between two, their luck left out.`,
  };
}

function strengthTile({ strength }: Rated): Tile | null {
  if (!strength) return null;
  return {
    name: "Rating from wins",
    value: withError(tenths, strength.value, strength.error),
    about: `Who beat whom, luck included: everybody, bots too, starts at 25. From ${counted(strength.games, "game")}.`,
  };
}

function accuracyTile({ play }: Rated): Tile | null {
  if (play.accuracy === null) return null;
  return {
    name: "Accuracy",
    value: percent(play.accuracy),
    about: `100 % gives nothing away, 0 % is choosing at random. From ${counted(play.decisions, "decision")} in ${counted(play.games, "game")}.`,
  };
}

function rateTile(rated: Rated): Tile | null {
  const { cost, decisions, rating } = rated.play;
  if (rating === null) return null;
  // A rating in points would be the same number again.
  const told =
    rated.objective === "win" ? `As a performance rating: ${ratingText(rated, rating)}. ` : "";
  return {
    name: "Given away per decision",
    value: rateText(rated, cost / decisions),
    about: `${given(rated)}, on average: the lower, the better. ${told}From ${counted(decisions, "decision")}.`,
  };
}

function adjustedTile(rated: Rated): Tile | null {
  const { adjusted, results } = rated;
  if (!adjusted || !results) return null;
  const games = counted(adjusted.games, "game");
  if (rated.objective === "points")
    return {
      name: "Without luck",
      value: withError(tenths, adjusted.value, adjusted.error),
      about: `Points per ${rated.length > 1 ? "series" : "game"} if the dice had been neither good nor bad; they were ${written(tenths, results.value)} in fact. From ${countedUnder(adjusted.games, rated)}.`,
    };
  const [percents, error] = [100 * adjusted.value, adjusted.error];
  return {
    name: "Won without luck",
    value: `${withError(whole, percents, error === null ? null : 100 * error)} %`,
    about: `What your choices and those of your opponents were worth; with the luck of the dice it was ${percent(results.value)}. From ${games} between two.`,
  };
}

function luckTile(rated: Rated): Tile | null {
  const { luck } = rated;
  if (!luck) return null;
  const total = plus(luck.total, amount(rated, luck.total));
  return {
    name: "Luck",
    value: `${total} ${unit(rated)}`,
    about: `Luckier than ${ofHundred(luck.percentile)} of 100 players with as many games. From ${counted(luck.rolls, "roll")} in ${counted(luck.games, "game")}.`,
  };
}

function bustTile({ busts, analysed }: Rated): Tile | null {
  // In some games no roll can end a turn with nothing.
  if (!analysed || (!busts.happened && !busts.expected)) return null;
  return {
    name: "Turns lost to the dice",
    value: number(busts.happened),
    about: `Rolls that ended a turn with nothing; with what you risked, ${tenths.format(busts.expected)} ± ${tenths.format(busts.deviation)} were to be expected. From ${counted(analysed, "game")}.`,
  };
}

// Plots ------------------------------------------------------------------------------------------

/** The plots of a career that have something to show. */
export function plotsOf(rated: Rated): Plot[] {
  const numbered = rated.history.map((one, at): [number, Moment] => [
    rated.games - rated.history.length + at + 1,
    one,
  ]);
  const all = [
    luckPlot(rated, numbered),
    accuracyPlot(numbered),
    ratePlot(rated, numbered),
    skillPlot(numbered),
    strengthPlot(numbered),
    pointsPlot(rated, numbered),
  ];
  return all.filter((plot) => plot !== null && plot.line.length > 1) as Plot[];
}

type Numbered = [game: number, one: Moment][];

/** Luck added up game by game, in the range where 19 of 20 players would be. */
function luckPlot(rated: Rated, numbered: Numbered): Plot {
  const line: Point[] = [];
  const band: Plot["band"] = [];
  let sum = 0;
  let variance = 0;
  for (const [game, one] of numbered) {
    if (one.luck === null || one.deviation === null) continue;
    sum += one.luck;
    variance += one.deviation ** 2;
    line.push([game, sum]);
    band.push([game, -2 * Math.sqrt(variance), 2 * Math.sqrt(variance)]);
  }
  return {
    name: "Luck",
    about: `The luck of your dice, added up in ${unit(rated)}. 19 of 20 players stay within the shaded range.`,
    dots: [],
    line,
    band,
    base: 0,
    text: (value) => plus(value, amount(rated, value)),
  };
}

function accuracyPlot(numbered: Numbered): Plot {
  const known = numbered.filter(([, one]) => one.accuracy !== null);
  return {
    name: "Accuracy",
    about: `Every game, and the average of the last ${RECENT} games.`,
    dots: known.map(([game, one]) => [game, one.accuracy ?? 0]),
    line: recent(known, (one) => [one.decisions * (one.accuracy ?? 0), one.decisions]),
    band: [],
    text: percent,
  };
}

function ratePlot(rated: Rated, numbered: Numbered): Plot {
  const known = numbered.filter(([, one]) => one.cost !== null && one.decisions > 0);
  return {
    name: "Given away per decision",
    about: `${given(rated)}; the lower, the better. Every game, and the average of the last ${RECENT} games.`,
    dots: known.map(([game, one]) => [game, (one.cost ?? 0) / one.decisions]),
    line: recent(known, (one) => [one.cost ?? 0, one.decisions]),
    band: [],
    base: 0,
    text: (value) => rateText(rated, value),
  };
}

function skillPlot(numbered: Numbered): Plot {
  const known = numbered.flatMap(([game, { skill }]): [number, Estimate][] =>
    skill ? [[game, skill]] : [],
  );
  return {
    name: "Skill",
    about:
      "The skill rating after every game, with its standard error. The dashed line is perfect play.",
    dots: [],
    line: known.map(([game, { value }]) => [game, value]),
    band: known.flatMap(([game, { value, error }]): Plot["band"] =>
      error === null ? [] : [[game, value - error, value + error]],
    ),
    base: 1000,
    text: (value) => written(whole, value),
  };
}

function strengthPlot(numbered: Numbered): Plot {
  const known = numbered.flatMap(([game, { strength }]): [number, Estimate][] =>
    strength ? [[game, strength]] : [],
  );
  return {
    name: "Rating from wins",
    about: "The rating after every game, with its standard deviation.",
    dots: [],
    line: known.map(([game, { value }]) => [game, value]),
    band: known.map(([game, { value, error }]) => [
      game,
      value - (error ?? 0),
      value + (error ?? 0),
    ]),
    base: 25,
    text: (value) => written(tenths, value),
  };
}

function pointsPlot(rated: Rated, numbered: Numbered): Plot | null {
  if (!rated.alone) return null;
  const known = numbered.filter(([, one]) => one.options === rated.usual);
  const series = `series of ${number(rated.length)} games`;
  const which = rated.length > 1 ? series : rated.length ? "single games" : "games";
  const rules = rated.rules ? ` with ${rated.rules}` : "";
  return {
    name: "Points",
    about: `All ${which}${rules}, and the average of the last ${RECENT} of them.`,
    dots: known.map(([game, one]) => [game, one.score]),
    line: recent(known, (one) => [one.score, 1]),
    band: [],
    text: (value) => written(tenths, value),
  };
}

/** A moving average: sums over the last games, divided by each other. */
function recent(numbered: Numbered, parts: (one: Moment) => [number, number]): Point[] {
  return numbered.map(([game], at) => {
    const window = numbered
      .slice(Math.max(0, at + 1 - RECENT), at + 1)
      .map(([, one]) => parts(one));
    const [above, below] = [0, 1].map((n) => window.reduce((sum, part) => sum + (part[n] ?? 0), 0));
    return [game, (above ?? 0) / (below || 1)];
  });
}

/** A plot in a box: paths of its parts, and the ends of its scale. */
export interface Drawn {
  line: string;
  band: string;
  dots: string;
  base: string;
  low: string;
  high: string;
  first: number;
  last: number;
}

export function drawn(plot: Plot, width: number, height: number): Drawn {
  const values = [
    ...plot.dots.map(([, value]) => value),
    ...plot.line.map(([, value]) => value),
    ...plot.band.flatMap(([, low, high]) => [low, high]),
    ...(plot.base === undefined ? [] : [plot.base]),
  ];
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const games = [...plot.line, ...plot.dots].map(([game]) => game);
  const [first, last] = [Math.min(...games), Math.max(...games)];
  const x = (game: number) => round((width * (game - first)) / (last - first || 1));
  const y = (value: number) => round(height - (height * (value - low)) / (high - low || 1));
  const path = (points: Point[]) =>
    points.map(([game, value], n) => `${n ? "L" : "M"}${x(game)} ${y(value)}`).join("");
  const upper = plot.band.map(([game, , top]): Point => [game, top]);
  const lower = plot.band.map(([game, bottom]): Point => [game, bottom]).reverse();
  return {
    line: path(plot.line),
    band: upper.length > 1 ? `${path([...upper, ...lower])}Z` : "",
    dots: plot.dots.map(([game, value]) => `M${x(game)} ${y(value)}h0`).join(""),
    base: plot.base === undefined ? "" : `M0 ${y(plot.base)}H${width}`,
    low: plot.text(low),
    high: plot.text(high),
    first,
    last,
  };
}

const round = (value: number) => Math.round(10 * value) / 10;

// Games and bests --------------------------------------------------------------------------------

export interface Row {
  at: number;
  link: string;
  cells: string[];
}

/** The newest games, as rows of a table with these columns. */
export function gamesOf(rated: Rated, most: number): { columns: string[]; rows: Row[] } {
  const columns = ["Game", "Result", "Luck", "Accuracy", given(rated)];
  const rows = rated.history.slice(-most).reverse();
  return {
    columns,
    rows: rows.map((one) => ({
      at: one.at,
      link: `/t/${one.table_id}/report?game=${one.game}`,
      cells: [
        rated.alone ? number(one.score) : `${one.won ? "won" : "lost"} with ${number(one.score)}`,
        one.luck === null ? "–" : signedText(rated, one.luck),
        one.accuracy === null ? "–" : percent(one.accuracy),
        one.cost === null ? "–" : valueText(rated, one.cost),
      ],
    })),
  };
}

/** The personal bests in words: of single games, and of series of so many. */
export function bestsOf(bests: readonly Best[]): { best: Best; name: string; about: string }[] {
  const hasSeries = bests.some(({ length }) => length > 1);
  return bests.map((best) => {
    const { rules, length, points, among } = best;
    const isGame = length === 1;
    const what = isGame ? "Best game" : `Best series of ${number(length)} games`;
    const count = isGame ? counted(among, "game") : `${number(among)} series`;
    return {
      best,
      name: `${what}: ${number(points)}`,
      about: `of ${count}${isGame && hasSeries ? ", alone or in a series" : ""}${rules ? ` with ${rules}` : ""}`,
    };
  });
}

/** The ratings that belong to a row of the statistics, if there are any. */
export function ratedOf(rated: readonly Rated[], one: Career): Rated | undefined {
  return rated.find(
    ({ game, alone, name }) => game === one.game && alone === one.alone && name === one.name,
  );
}
