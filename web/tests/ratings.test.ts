import { describe, expect, test } from "vitest";
import {
  RECENT,
  bestsOf,
  drawn,
  gamesOf,
  percent,
  plotsOf,
  ratedOf,
  tilesOf,
  type Plot,
  type Tile,
} from "../src/lib/ratings";
import type { Career, Moment, Rated } from "../src/lib/types";

const moment = (more: Partial<Moment> = {}): Moment => ({
  table_id: "t",
  game: 1,
  at: 1,
  won: true,
  score: 500,
  luck: 0.1,
  deviation: 0.3,
  accuracy: 0.8,
  decisions: 10,
  cost: 0.05,
  options: "",
  skill: { value: 900, error: 20, games: 2 },
  strength: { value: 26, error: 7, games: 2 },
  ...more,
});

const rated = (more: Partial<Rated> = {}): Rated => ({
  game: "race",
  title: "Race",
  alone: false,
  name: "Ann",
  objective: "win",
  games: 2,
  analysed: 2,
  other: 0,
  usual: "",
  rules: "",
  length: 0,
  play: { decisions: 20, cost: 0.1, accuracy: 0.8, rating: 5, games: 2 },
  luck: { total: 0.2, deviation: 0.42, percentile: 0.68, rolls: 40, games: 2 },
  busts: { happened: 3, expected: 4.26, deviation: 1.5 },
  skill: { value: 900, error: 20, games: 2 },
  adjusted: { value: 0.62, error: 0.03, games: 2 },
  results: { value: 1, error: 0, games: 2 },
  strength: { value: 26, error: 7, games: 2 },
  bests: [],
  history: [moment(), moment({ at: 2, game: 2 })],
  ...more,
});

const valueOf = (one: Rated, name: string) => tilesOf(one).find((tile) => tile.name === name);

describe("numbers", () => {
  test("come with their error and with what they rest on", () => {
    expect(tilesOf(rated()).map(({ name, value }) => [name, value])).toEqual([
      ["Skill", "900 ± 20"],
      ["Rating from wins", "26.0 ± 7.0"],
      ["Accuracy", "80 %"],
      ["Given away per decision", "0.50 %"],
      ["Won without luck", "62 ± 3 %"],
      ["Luck", "+0.20 wins"],
      ["Turns lost to the dice", "3"],
    ]);
    for (const { about } of tilesOf(rated())) expect(about).toMatch(/From [\d,]+ /);
    expect(valueOf(rated(), "Turns lost to the dice")?.about).toContain("4.3 ± 1.5");
  });

  test("of one game have no error", () => {
    const one = rated({ skill: { value: 912.4, error: null, games: 1 } });
    expect(valueOf(one, "Skill")?.value).toBe("912");
    expect(valueOf(one, "Skill")?.about).toContain("From 1 game between two");
  });

  test("are left out where there are none", () => {
    const none = rated({
      analysed: 0,
      skill: null,
      luck: null,
      adjusted: null,
      results: null,
      play: { decisions: 0, cost: 0, accuracy: null, rating: null, games: 0 },
    });
    expect(tilesOf(none).map(({ name }) => name)).toEqual(["Rating from wins"]);
  });

  test("say nothing of lost turns where no roll can end one", () => {
    const safe = rated({ busts: { happened: 0, expected: 0, deviation: 0 } });
    expect(valueOf(safe, "Turns lost to the dice")).toBeUndefined();
  });

  test("of games alone are points", () => {
    const alone = rated({ alone: true, objective: "points", skill: null, strength: null });
    expect(valueOf(alone, "Luck")?.value).toBe("+0.2 points");
    expect(valueOf(alone, "Without luck")?.value).toBe("0.6 ± 0.0");
  });

  test("of games alone are those under the usual rules", () => {
    const alone = rated({ alone: true, objective: "points", usual: "games=1", length: 1 });
    expect(valueOf(alone, "Without luck")?.about).toContain("From 2 single games.");
    const series = valueOf({ ...alone, length: 5, rules: "uses 1" }, "Without luck")?.about;
    expect(series).toMatch(/^Points per series .* From 2 series of 5 games with uses 1\.$/);
    const history = ["games=1", "", "games=1"].map((options) => moment({ options }));
    const points = plotsOf({ ...alone, games: 3, history }).find(({ name }) => name === "Points");
    expect(points?.dots.map(([game]) => game)).toEqual([1, 3]);
    expect(points?.about).toMatch(/^All single games, and/);
  });

  test("only what is perfect is 100 %", () => {
    expect([1, 0.9999, 0.995, 0.5, 0.001, 0].map(percent)).toEqual([
      "100 %",
      "> 99.9 %",
      "99.5 %",
      "50 %",
      "< 1 %",
      "0 %",
    ]);
  });
});

describe("plots", () => {
  test("luck adds up within a range that grows with the root of the games", () => {
    const [luck] = plotsOf(rated());
    expect(luck?.name).toBe("Luck");
    expect(luck?.line.map(([game]) => game)).toEqual([1, 2]);
    expect(luck?.line[1]?.[1]).toBeCloseTo(0.2);
    expect(luck?.band[1]?.[2]).toBeCloseTo(2 * 0.3 * Math.SQRT2);
  });

  test("averages are over the last games, by decisions", () => {
    const history = Array.from({ length: RECENT + 2 }, (_, at) =>
      moment({ accuracy: at < 2 ? 0 : 0.9, decisions: at === 2 ? 30 : 10 }),
    );
    history[3] = moment({ accuracy: 0.5, decisions: 10 });
    const plot = plotsOf(rated({ games: history.length, history })).find(
      ({ name }) => name === "Accuracy",
    );
    expect(plot?.line.at(-1)?.[1]).toBeCloseTo((30 * 0.9 + 5 + 80 * 0.9) / 120);
    expect(plot?.dots).toHaveLength(RECENT + 2);
  });

  test("games that are not analysed leave gaps, and older ones are counted", () => {
    const blank = moment({ luck: null, deviation: null, accuracy: null, cost: null, skill: null });
    const plots = plotsOf(rated({ games: 12, history: [blank, moment(), moment()] }));
    expect(plots[0]?.line.map(([game]) => game)).toEqual([11, 12]);
    expect(plotsOf(rated({ history: [blank] }))).toEqual([]);
  });

  test("are drawn from corner to corner", () => {
    const [luck] = plotsOf(rated());
    if (!luck) throw new Error("no plot");
    const shown = drawn(luck, 400, 100);
    expect(shown.line).toMatch(/^M0 [\d.]+L400 [\d.]+$/);
    expect(shown.band.endsWith("Z")).toBe(true);
    expect([shown.first, shown.last, shown.high, shown.low]).toEqual([1, 2, "+0.85", "−0.85"]);
    const flat = drawn({ ...luck, band: [], line: [[3, 0]], dots: [] }, 400, 100);
    expect(flat.line).toBe("M0 100");
  });
});

test("games are listed with links to their reports, the newest first", () => {
  const { rows } = gamesOf(rated(), 50);
  expect(rows[0]).toEqual({
    at: 2,
    link: "/t/t/report?game=2",
    cells: ["won with 500", "+10.0 %", "80 %", "5.0 %"],
  });
  expect(gamesOf(rated(), 1).rows).toHaveLength(1);
});

test("what is given away always has its unit", () => {
  const alone = rated({ alone: true, objective: "points" });
  const told = (one: Rated) => [
    valueOf(one, "Given away per decision"),
    plotsOf(one).find(({ name }) => name === "Given away per decision"),
    gamesOf(one, 1),
  ];
  const [tile, plot, games] = told(rated()) as [Tile, Plot, ReturnType<typeof gamesOf>];
  expect(tile.about).toMatch(/^Chance to win given away, on average/);
  expect(tile.about).toContain("As a performance rating: 5.0.");
  expect([plot.text(0.005), plot.about.slice(0, 24)]).toEqual([
    "0.50 %",
    "Chance to win given away",
  ]);
  expect([games.columns.at(-1), games.rows[0]?.cells.at(-1)]).toEqual([
    "Chance to win given away",
    "5.0 %",
  ]);
  const [points, line, rows] = told(alone) as [Tile, Plot, ReturnType<typeof gamesOf>];
  expect([points.value, points.about.slice(0, 17)]).toEqual(["0.01 points", "Points given away"]);
  expect(points.about).not.toContain("rating"); // it would be the same number
  expect([line.text(0.5), rows.columns.at(-1)]).toEqual(["0.50 points", "Points given away"]);
});

test("bests are of single games or of series", () => {
  const best = { rules: "", length: 1, points: 17, among: 12, table_id: "t", game: 1, at: 1 };
  const series = { ...best, length: 5, points: -3, among: 1, rules: "uses 1" };
  const words = (...bests: (typeof best)[]) =>
    bestsOf(bests).map(({ name, about }) => [name, about]);
  expect(words(best)).toEqual([["Best game: 17", "of 12 games"]]);
  expect(words(best, series)).toEqual([
    ["Best game: 17", "of 12 games, alone or in a series"],
    ["Best series of 5 games: −3", "of 1 series with uses 1"],
  ]);
});

test("ratings belong to a game, a name, and whether it was played alone", () => {
  const found = [rated(), rated({ name: "Ben" }), rated({ alone: true })];
  const career = { game: "race", alone: true, name: "Ann" } as Career;
  expect(ratedOf(found, career)).toBe(found[2]);
  expect(ratedOf(found, { ...career, name: "Cleo" })).toBeUndefined();
});
