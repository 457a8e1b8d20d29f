import { describe, expect, it } from "vitest";
import {
  company,
  crowd,
  dayText,
  ending,
  factsOf,
  inOrder,
  luckText,
  momentText,
  percentText,
  toAnalyse,
} from "../src/lib/challenge";
import type { ListedChallenge, Tried } from "../src/lib/types";

const tried = (more: Partial<Tried>): Tried => ({
  name: "Ann",
  yours: false,
  table: "t",
  done: true,
  won: true,
  score: 300,
  margin: 120,
  by_result: 1,
  by_skill: null,
  skill: null,
  ...more,
});

const listed: ListedChallenge = {
  id: "c",
  game: "farkle",
  title: "Farkle",
  changed: "",
  rules: "",
  people: 1,
  bots: ["sharp"],
  day: "",
  created: 0,
  closes: null,
  closed: false,
  yours: false,
  tries: 0,
  finished: 0,
  table: "",
  done: false,
};

describe("challenges in words", () => {
  it("say whom one plays with", () => {
    expect(company({ people: 1, bots: [] })).toBe("alone");
    expect(company({ people: 1, bots: ["sharp"] })).toBe("against a sharp bot");
    expect(company({ people: 1, bots: ["sharp", "sharp"] })).toBe("against two bots (sharp)");
    expect(company({ people: 3, bots: [] })).toBe("at tables of three people");
    expect(company({ people: 2, bots: ["casual"] })).toBe(
      "at tables of two people, against a casual bot",
    );
  });

  it("say how many have played", () => {
    expect(crowd({ tries: 0, finished: 0, closed: false })).toBe("nobody has played it yet");
    expect(crowd({ tries: 1, finished: 1, closed: false })).toBe("1 has played");
    expect(crowd({ tries: 1200, finished: 1199, closed: false })).toBe(
      "1,199 have played, 1 still playing",
    );
    expect(crowd({ tries: 2, finished: 0, closed: false })).toBe("2 still playing");
  });

  it("do not wait for anybody where a challenge is closed", () => {
    expect(crowd({ tries: 0, finished: 0, closed: true })).toBe("nobody has played it");
  });

  it("give the closing time with its zone", () => {
    const at = Date.UTC(2026, 10, 25) / 1000;
    expect(momentText(at, "en-GB", "Europe/Berlin")).toBe("25 Nov 2026, 01:00 CET");
    expect(momentText(at, "en-GB", "America/New_York")).toBe("24 Nov 2026, 19:00 GMT-5");
  });

  it("give the day in UTC, wherever one is", () => {
    expect(dayText("2026-11-18")).toBe("18 November 2026");
  });

  it("tell the facts in sentences", () => {
    expect(factsOf(listed, "")).toEqual([
      "One try each, without the coach.",
      "Nobody has played it yet.",
    ]);
    const strange = { ...listed, rules: "target 300", tries: 1, closes: 1 };
    expect(factsOf(strange, "tomorrow").join(" ")).toBe(
      "One try each, without the coach. House rules: target 300. 1 still playing. " +
        "It can be started until tomorrow.",
    );
    expect(factsOf({ ...listed, closed: true }, "1 May")).toContain("It closed on 1 May.");
  });

  it.each([
    [{}, false, "won by 120"],
    [{ margin: 0 }, false, "shared the win"],
    [{ won: false, margin: -1005 }, false, "lost by 1,005"],
    [{ won: false, margin: 0 }, false, "lost"],
    [{ won: false, margin: -18, score: -18 }, true, "−18 points"],
    [{ margin: 1, score: 1 }, true, "1 point"],
    [{ done: false, won: null, margin: null }, false, "still playing"],
  ])("say how a try ended: %o", (more, isAlone, said) => {
    expect(ending(tried(more), isAlone)).toBe(said);
  });

  it("round what is almost perfect down", () => {
    expect(percentText(1)).toBe("100 %");
    expect(percentText(0.999)).toBe("> 99 %");
    expect(percentText(0.964)).toBe("96 %");
    expect(luckText(0.83)).toBe("luckier than 83 of 100");
  });
});

describe("rankings", () => {
  const skill = { accuracy: 0.9, decisions: 1, cost: 0, luck: 0, percentile: 0.5, rolls: 1 };
  const tries = [
    tried({ name: "Ann", by_result: 1, by_skill: 2, skill }),
    tried({ name: "Ben", by_result: 2, by_skill: null }),
    tried({ name: "Eve", by_result: 2, by_skill: 1, skill }),
    tried({ name: "Zoe", done: false, by_result: null, by_skill: null }),
  ];
  const names = (ordered: Tried[]) => ordered.map(({ name }) => name).join(" ");

  it("keep ties in order and put those without a rank last", () => {
    expect(names(inOrder(tries, "result"))).toBe("Ann Ben Eve Zoe");
    expect(names(inOrder(tries, "skill"))).toBe("Eve Ann Ben Zoe");
  });

  it("analyse what is finished, one's own first", () => {
    expect(names(toAnalyse(tries))).toBe("Ben");
    const mine = tried({ name: "me", yours: true });
    expect(names(toAnalyse([...tries, mine]))).toBe("me Ben");
  });
});
