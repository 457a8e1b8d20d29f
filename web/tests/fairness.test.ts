import { expect, test } from "vitest";
import {
  brief,
  chartOf,
  drawn,
  expectedText,
  headline,
  kindName,
  markOf,
  sourceName,
} from "../src/lib/fairness";
import type { Counted, DieDue, Judged, KindOfDie } from "../src/lib/types";

const judged = (verdict: Judged["verdict"], odds = "", thrown = 60): Judged => ({
  thrown,
  chi_square: 1,
  freedom: 5,
  p: odds ? 0.5 : null,
  odds,
  verdict,
  words: "",
});

const FACE = { label: "1", ring: false, drawn: "pips" as const, pips: 1, flag: "", name: "" };
const COIN: DieDue = {
  kind: "die",
  colour: "white",
  called: "",
  faces: [
    { ...FACE, token: "1" },
    { ...FACE, token: "2" },
  ],
};

function counted(who: string, counts: [number, number], bot = false): Counted {
  const expected = (counts[0] + counts[1]) / 2;
  const faces = counts.map((count) => ({
    count,
    expected,
    low: expected / 2,
    high: 1.5 * expected,
  }));
  return { who, bot, faces, judged: judged("nothing unusual", "50 of 100") };
}

const kind = (all: Counted, parties: Counted[] = []): KindOfDie => ({
  die: COIN,
  all,
  parties,
  rollers: [],
});

test("people and bots are drawn side by side, otherwise everybody", () => {
  const all = counted("All", [6, 4]);
  const parties = [counted("People", [5, 3]), counted("Bots", [1, 1], true)];
  expect(drawn(kind(all))).toEqual([all]);
  expect(drawn(kind(all, parties))).toEqual(parties);
});

test("bars are multiples of what is expected, so that many and few dice compare", () => {
  const parties = [counted("People", [150, 50]), counted("Bots", [3, 1], true)];
  const { expected, faces } = chartOf(kind(counted("All", [153, 51]), parties));
  for (const bars of faces) expect(bars[0]).toEqual(bars[1]);
  const [first, second] = faces.map(([bar]) => bar);
  expect(first?.height).toBeCloseTo(1.5 * expected);
  expect(second?.height).toBeCloseTo(0.5 * expected);
  expect(second?.low).toBeCloseTo(0.5 * expected);
  expect(first?.high).toBeLessThan(1);
});

test("a chart of nothing has no bars", () => {
  const { faces } = chartOf(kind(counted("All", [0, 0])));
  expect(faces.flat().map(({ height }) => height)).toEqual([0, 0]);
});

test("dice are called what players call them", () => {
  expect(kindName(COIN)).toBe("Dice");
  expect(kindName({ ...COIN, kind: "white" })).toBe("White dice");
  expect(kindName({ ...COIN, kind: "red", called: "red" })).toBe("Red dice");
  expect(["seeded", "verified", "typed"].map(sourceName)).toEqual([
    "virtual dice",
    "verified dice",
    "real dice",
  ]);
});

test("verdicts in few words", () => {
  expect(brief(judged("nothing unusual", "37 of 100", 1200))).toBe(
    "1,200 dice: 37 of 100, nothing unusual",
  );
  expect(brief(judged("too few", "", 1))).toBe("1 die: too few to tell");
  expect(headline(judged("too few"))).toBe("Too few dice to tell");
  expect(headline(judged("very unusual", "1 of 1,000"))).toBe("Very unusual");
  expect(
    (["too few", "nothing unusual", "unusual", "very unusual"] as const).map((word) =>
      markOf(judged(word)),
    ),
  ).toEqual(["open", "fine", "odd", "odd"]);
});

test("expected counts are short", () => {
  expect([2.5, 41.666, 1234.5].map(expectedText)).toEqual(["2.5", "41.7", "1,235"]);
});
