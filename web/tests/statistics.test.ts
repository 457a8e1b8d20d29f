import { expect, test } from "vitest";
import { tablesOf } from "../src/lib/statistics";
import type { Career } from "../src/lib/types";

const career = (changes: Partial<Career>): Career => ({
  game: "race",
  title: "Race",
  alone: false,
  goal: "",
  name: "Ann",
  rules: "",
  length: 0,
  games: 4,
  won: 1,
  mean: 812.25,
  top: 1020,
  best: 240,
  turns: 20,
  empty: 5,
  ...changes,
});

test("games against others are won", () => {
  const [table] = tablesOf([career({}), career({ name: "Ben", games: 2, won: 0 })]);
  expect(table?.title).toBe("Race");
  expect(table?.columns).toEqual([
    "Games",
    "Won",
    "Average",
    "Highest",
    "Best turn",
    "Scoreless turns",
  ]);
  expect(table?.rows).toMatchObject([
    { name: "Ann", cells: ["4", "1 (25 %)", "812.3", "1,020", "240", "25 %"] },
    { name: "Ben", cells: ["2", "0 (0 %)", "812.3", "1,020", "240", "25 %"] },
  ]);
});

test("games alone are for points, and cannot be won if there is no goal", () => {
  const [table] = tablesOf([career({ alone: true, won: 4 })]);
  expect(table?.columns).toEqual(["Games", "Personal best", "Average"]);
  expect(table?.rows[0]?.cells).toEqual(["4", "1,020", "812.3"]);
});

test("a goal says how often it was reached", () => {
  const [table] = tablesOf([career({ alone: true, goal: "Perfect Run", won: 2 })]);
  expect(table?.columns).toEqual(["Games", "Personal best", "Average", "Perfect Run"]);
  expect(table?.rows[0]?.cells.at(-1)).toBe("2 (50 %)");
});

test("games with and without others are counted apart", () => {
  const titles = tablesOf([career({}), career({ alone: true }), career({ game: "b", title: "B" })]);
  expect(titles.map((one) => one.title)).toEqual(["Race, against others", "Race, alone", "B"]);
});

test("points alone are averaged only over games of one length and under the same rules", () => {
  const [table] = tablesOf([
    career({ alone: true, length: 5, mean: 80 }),
    career({ alone: true, length: 1, mean: 16 }),
    career({ alone: true, length: 1, rules: "uses 1", mean: 9 }),
    career({ alone: true, length: 1, name: "Ben", mean: 14 }),
  ]);
  expect(table?.columns).toEqual(["Played as", "Times", "Personal best", "Average"]);
  expect(table?.words).toEqual(["Played as"]);
  expect(table?.rows.map(({ name, cells }) => [name, cells[0], cells.at(-1)])).toEqual([
    ["Ann", "Series of 5 games", "80"],
    ["Ann", "Single games", "16"],
    ["Ann", "Single games, uses 1", "9"],
    ["Ben", "Single games", "14"],
  ]);
  expect(table?.names).toEqual(["Ann", "Ben"]);
});

test("rules alone tell rows apart where there are no series", () => {
  const [table] = tablesOf([career({ alone: true }), career({ alone: true, rules: "rerolls 1" })]);
  expect(table?.rows.map(({ cells }) => cells[0])).toEqual(["Usual rules", "Rerolls 1"]);
});
