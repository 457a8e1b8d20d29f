import { describe, expect, test } from "vitest";
import {
  curveOf,
  markOf,
  positionLink,
  remark,
  signedText,
  sumOf,
  valueText,
} from "../src/lib/report";
import { messagesOf } from "../src/lib/stream";
import type { Assessed, Report, SeatReport } from "../src/lib/types";

const event = (more: Partial<Assessed> = {}): Assessed => ({
  seat: 0,
  event: "roll 1",
  state: "a state",
  told: "Ann rolls.",
  value: 0.5,
  luck: 0,
  cost: 0,
  word: "",
  best: "",
  choices: 0,
  spread: 0,
  risk: 0,
  bust: false,
  ...more,
});

const seat = (name: string, more: Partial<SeatReport> = {}): SeatReport => ({
  name,
  result: null,
  rolls: 1,
  luck: 0,
  deviation: 1,
  percentile: 0.5,
  decisions: 1,
  cost: 0,
  difficulty: 0.1,
  accuracy: 1,
  rating: 0,
  verdicts: {},
  busts: 0,
  risk: 0,
  risk_deviation: 0,
  summary: "",
  ...more,
});

const report = (more: Partial<Report> = {}): Report => ({
  type: "report",
  game: "pig",
  title: "Pig",
  options: {},
  changed: "",
  rules: "",
  series: [],
  objective: "win",
  exact: true,
  basis: "",
  start: 0.5,
  value: 1,
  seats: [seat("Ann", { result: 1, cost: 0.1 }), seat("Ben", { result: 0, cost: 0.2 })],
  costliest: [],
  events: [event({ luck: 0.4, value: 0.9 }), event({ choices: 2, value: 1 })],
  ...more,
});

test("values are chances or points, with a true minus sign", () => {
  expect(valueText({ objective: "win" }, 0.1234)).toBe("12.3 %");
  expect(valueText({ objective: "points" }, -12.34)).toBe("−12.3 points");
  expect(valueText({ objective: "points" }, -0.001)).toBe("0.0 points");
  expect(signedText({ objective: "win" }, 0.5)).toBe("+50.0 %");
});

test("the sum leads from the start to the result", () => {
  expect(sumOf(report()).map(({ name, value }) => `${name}: ${value}`)).toEqual([
    "At the start: 50.0 %",
    "Dice: +40.0 %",
    "Mistakes of Ann: −10.0 %",
    "Mistakes of Ben: +20.0 %",
    "Result: 100.0 %",
  ]);
  const alone = report({ seats: [seat("Ann")], objective: "points" });
  expect(sumOf(alone).map(({ name }) => name)).toEqual(["At the start", "Dice", "Mistakes", "Now"]);
  expect(sumOf(report({ exact: false }))).toEqual([]);
});

test("the curve begins at the start and ends at the result", () => {
  const found = curveOf(report(), 100, 50);
  expect(found.map(([x]) => x)).toEqual([0, 50, 100]);
  expect(found.map(([, y]) => Math.round(y))).toEqual([25, 5, 0]);
  const flat = report({ objective: "points", start: 0, events: [event({ value: 0 })] });
  expect(curveOf(flat, 10, 10).flat().every(Number.isFinite)).toBe(true);
});

describe("remarks", () => {
  const said = (more: Partial<Assessed>) => remark(report(), event(more));
  test("tell the luck of rolls", () => {
    expect(said({ luck: 0.25, word: "joker" })).toBe("Luck +25.0 %, a joker");
    expect(said({ luck: -0.07, word: "unlucky" })).toBe("Luck −7.0 %, unlucky");
    expect(said({ luck: 0 })).toBe("");
  });
  test("tell what choices gave away", () => {
    expect(said({ choices: 1 })).toBe("The only choice");
    expect(said({ choices: 3, spread: 0.1, word: "perfect" })).toBe("The best choice");
    expect(said({ choices: 3, word: "perfect" })).toBe("All choices are worth the same");
    expect(said({ choices: 3, cost: 0.05, word: "blunder" })).toBe(
      "A blunder: gave away 5.0 % of a win",
    );
  });
});

test("luck and mistakes are marked", () => {
  expect(markOf(event({ word: "joker" }))).toBe("good");
  expect(markOf(event({ word: "disaster" }))).toBe("bad");
  expect(markOf(event({ choices: 2, word: "mistake" }))).toBe("cost");
  expect(markOf(event({ choices: 2, word: "slip" }))).toBe("");
});

test("a link to a position names its options where they were changed", () => {
  expect(positionLink(report(), event())).toBe("/position/pig?state=a+state");
  expect(positionLink(report({ changed: "target=60" }), event())).toContain("options=target%3D60");
});

describe("a stream", () => {
  const streamed = (...chunks: string[]) => ({
    body: new ReadableStream({
      start(controller) {
        for (const chunk of chunks) controller.enqueue(new TextEncoder().encode(chunk));
        controller.close();
      },
    }),
  });
  const read = async (...chunks: string[]) => {
    const found = [];
    for await (const message of messagesOf(streamed(...chunks))) found.push(message);
    return found;
  };
  test("is read event by event, wherever it is cut", async () => {
    const whole = 'data: {"type":"working","part":0}\n\ndata: {"type":"problem"}\n\n';
    for (const at of [1, 10, 34, 35, 36, 50])
      expect(await read(whole.slice(0, at), whole.slice(at))).toEqual([
        { type: "working", part: 0 },
        { type: "problem" },
      ]);
  });
  test("that ends early gives what came", async () => {
    expect(await read('data: {"type":"working"}\n\ndata: {"ty')).toEqual([{ type: "working" }]);
  });
});
