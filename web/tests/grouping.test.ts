import { describe, expect, test } from "vitest";
import { alsoWords, barOf, groupsOf, keepGroups, writer } from "../src/lib/grouping";
import type { Counsel } from "../src/lib/types";
import { choice, keep } from "./builders";

const advice = (objective: string, values: Record<string, number>) => ({
  objective,
  counsels: Object.entries(values).map(([text, value]) => ({ text, value }) as Counsel),
});

describe("writer", () => {
  test("whole percents where tenths are less than a tenth of the spread", () => {
    const write = writer(advice("win", { a: 0.612, b: 0.3 }));
    expect([0.612, 0.615, 0.3].map(write)).toEqual(["61 %", "62 %", "30 %"]);
  });

  test("tenths where they matter", () => {
    expect(writer(advice("win", { a: 0.612, b: 0.595 }))(0.6)).toBe("60.0 %");
    expect(writer(advice("points", { a: 3.21, b: 0.4 }))(3.21)).toBe("3.2 points");
  });

  test("whole points, and whole values where all are the same", () => {
    expect(writer(advice("points", { a: -1312.4, b: 1 }))(-1312.4)).toBe("−1,312 points");
    expect(writer(advice("points", { a: 1, b: 1 }))(1)).toBe("1 point");
  });
});

describe("barOf", () => {
  const bars = (objective: string, values: number[]) => {
    const best = Math.max(...values);
    const counsels = values.map((value) => ({ value, cost: best - value }) as Counsel);
    return counsels.map((one) => Math.round(barOf(one, { objective, counsels })));
  };

  test.each(["win", "points"])("equal choices have equal bars (%s)", (objective) => {
    const [first = 0, ...others] = bars(objective, [0.08, 0.08, 0.08]);
    expect(others).toEqual([first, first]);
  });

  test("a chance to win is as long as it is", () => {
    expect(bars("win", [0.61, 0.6, 0.08])).toEqual([61, 60, 8]);
  });

  test("choices a few points apart have bars of nearly the same length", () => {
    expect(bars("points", [300, 294, 150, 0])).toEqual([100, 98, 50, 0]);
    expect(bars("points", [0.4, 0.3, 0])).toEqual([100, 99, 96]);
  });

  test("losses have bars, too", () => {
    expect(bars("points", [-50, -60, -200])).toEqual([100, 80, 0]);
  });
});

describe("groupsOf", () => {
  test("what looks the same is one group, best first", () => {
    const values: Record<string, number> = { a: 0.3, b: 0.612, c: 0.609, d: 0.301 };
    const write = writer(advice("win", values));
    const groups = groupsOf(Object.keys(values), (one) => values[one] ?? 0, write);
    expect(groups).toEqual([
      { worth: "61 %", isBest: true, first: "b", others: ["c"] },
      { worth: "30 %", isBest: false, first: "d", others: ["a"] },
    ]);
  });

  test("the only choice is not called the best", () => {
    expect(groupsOf(["a"], () => 1, String)[0]?.isBest).toBe(false);
  });
});

describe("keepGroups", () => {
  const choices = [keep([5], "roll"), keep([5], "bank"), keep([1], "roll"), choice("stop")];

  test("without values every keep stands alone, in the order of the game", () => {
    const groups = keepGroups(choices, null);
    expect(groups.map((one) => one.first.length)).toEqual([2, 1, 1]);
    expect(groups.every((one) => !one.isBest && !one.worth)).toBe(true);
  });

  test("a keep is worth its best choice", () => {
    const found = advice("win", { "5 roll": 0.2, "5 bank": 0.5, "1 roll": 0.7, stop: 0.5 });
    const groups = keepGroups(choices, found);
    expect(groups.map((one) => [one.worth, one.first[0]?.text, one.others.length])).toEqual([
      ["70 %", "1 roll", 0],
      ["50 %", "5 roll", 1],
    ]);
  });

  test("values of another position are ignored", () => {
    expect(keepGroups(choices, advice("win", { "5 roll": 0.2 }))[0]?.worth).toBe("");
  });
});

test("long lists are shortened", () => {
  expect(alsoWords(["a", "b"])).toBe("Worth the same: a, b");
  expect(alsoWords(["a", "b", "c", "d"])).toBe("Worth the same: a, b, c, d");
  expect(alsoWords(["a", "b", "c", "d", "e"])).toBe("Worth the same: a, b, c and 2 more");
});
