import { describe, expect, test } from "vitest";
import { alsoWords, barOf, fullWords, groupsOf, isBest, writer } from "../src/lib/grouping";
import type { Counsel } from "../src/lib/types";
import { keep } from "./builders";

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
  test("what is worth the same is one group, best first", () => {
    const values: Record<string, number> = { a: 0.3, b: 0.612, c: 0.612 - 1e-13, d: 0.3 };
    const write = writer(advice("win", values));
    const groups = groupsOf(Object.keys(values), (one) => values[one] ?? 0, write);
    expect(groups).toEqual([
      { worth: "61 %", isBest: true, first: "b", others: ["c"] },
      { worth: "30 %", isBest: false, first: "a", others: ["d"] },
    ]);
  });

  test("what only looks the same is not", () => {
    const values: Record<string, number> = { a: 0.612, b: 0.609, c: 0.3 };
    const write = writer(advice("win", values));
    const groups = groupsOf(Object.keys(values), (one) => values[one] ?? 0, write);
    expect(groups.map((one) => [one.worth, one.isBest, one.others])).toEqual([
      ["61 %", true, []],
      ["61 %", false, []],
      ["30 %", false, []],
    ]);
  });

  test("the only choice is not called the best", () => {
    expect(groupsOf(["a"], () => 1, String)[0]?.isBest).toBe(false);
  });
});

describe("isBest", () => {
  const [five, one] = [[keep([5], "roll"), keep([5], "bank")], [keep([1], "roll")]];

  test("dice are as good as their best use", () => {
    const values = advice("win", { "5 roll": 0.2, "5 bank": 0.7, "1 roll": 0.5 });
    expect([five, one].map((keep) => isBest(keep, values))).toEqual([true, false]);
  });

  test("several can be", () => {
    const values = advice("win", { "5 roll": 0.2, "5 bank": 0.7, "1 roll": 0.7 });
    expect([five, one].map((keep) => isBest(keep, values))).toEqual([true, true]);
  });

  test("not without values, nor where all are equal, nor by those of another position", () => {
    expect(isBest(five, null)).toBe(false);
    expect(isBest(one, advice("win", { "1 roll": 0.7 }))).toBe(false);
    expect(isBest(one, advice("win", { "5 roll": 0.7, "5 bank": 0.2 }))).toBe(false);
  });
});

test("to roll and to bank the same dice have different words", () => {
  expect(fullWords("Keep a 1", "roll")).toBe("Keep a 1 and roll");
  expect(fullWords("Keep a 1", "bank")).toBe("Keep a 1 and bank");
  expect(fullWords("Pass")).toBe("Pass");
});

test("long lists are shortened", () => {
  expect(alsoWords(["a", "b"])).toBe("Worth the same: a, b");
  expect(alsoWords(["a", "b", "c", "d"])).toBe("Worth the same: a, b, c, d");
  expect(alsoWords(["a", "b", "c", "d", "e"])).toBe("Worth the same: a, b, c and 2 more");
});
