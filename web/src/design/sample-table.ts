// Made-up tables: what lies there, who sits there, and what they can do.

import { blocked, choice, entry, keep, line, status, table, view } from "../../tests/builders";
import { slotsOf } from "../lib/selecting";
import type { Open } from "../lib/table.svelte";
import type { Phase } from "../lib/phase";
import type { Advice, Bot, Choice, LogLine, Result, Status, Table, View } from "../lib/types";
import { dice, gauges, seats, story, tracks } from "./samples";
import { plain } from "./sample-dice";

const [ONE, FIVE] = [1, 5];
export const choices: Choice[] = [
  keep([ONE, ONE], "roll", {
    points: 20,
    words: "Keep two 1s",
    effect: "Roll four dice",
    text: "keep 1,1 roll",
  }),
  keep([ONE, ONE], "bank", {
    points: 20,
    words: "Keep two 1s",
    effect: "Bank 65 → 275",
    text: "keep 1,1 bank",
  }),
  keep([ONE], "roll", {
    points: 10,
    words: "Keep a 1",
    effect: "Roll five dice",
    text: "keep 1 roll",
  }),
  keep([FIVE], "roll", {
    points: 5,
    words: "Keep the 5",
    effect: "Roll five dice",
    text: "keep 5 roll",
  }),
];
/** More ways to go on than fit beside each other in large letters. */
const many: Choice[] = [
  ...choices,
  choice("pass", { verb: "pass", effect: "Take nothing", words: "Pass", ends_turn: true }),
];
export const tooFew = blocked("bank", "You need 100 to get on the pad.");
export const slots = slotsOf(choices, []);
export const slotsOfMany = slotsOf(many, []);
export const slotsBlocked = slotsOf(
  choices.filter((one) => !one.ends_turn),
  [tooFew],
);

const counsel = (text: string, value: number, why: string, bust: number) => {
  const { words = "", effect = "" } = choices.find((one) => one.text === text) ?? {};
  return {
    text,
    words,
    effect,
    value,
    worth: `${Math.round(100 * value)} %`,
    cost: 0.62 - value,
    lost: "",
    odds: bust ? [{ name: "farkle", chance: bust }] : [],
    why,
  };
};
export const advice: Advice = {
  type: "advice",
  seq: 5,
  objective: "win",
  exact: true,
  basis: "Exact chances to win for two players.",
  counsels: [
    counsel(
      "keep 1,1 roll",
      0.62,
      "Four dice seldom farkle, and 65 more are not enough yet.",
      0.16,
    ),
    counsel("keep 1 roll", 0.618, "Five dice, but ten fewer to lose.", 0.08),
    counsel("keep 1,1 bank", 0.47, "It is safe, and gives up a good roll.", 0),
    counsel("keep 5 roll", 0.31, "It leaves two 1s lying there.", 0.08),
  ],
};

export const lines: LogLine[] = [
  "North 24, Casimir 17: North starts.",
  "North rolls 1 1 3 4 5 6.",
  "North keeps two 1s for 20.",
  "North rolls 2 2 3 4: a farkle.",
  "Ann: What a pity!",
  "Casimir banks 45.",
].map((told, at) => line(at + 1, { told, kind: at === 4 ? "say" : at % 2 ? "roll" : "choose" }));

export const bots: Bot[] = [
  { level: "casual", about: "makes mistakes" },
  { level: "sharp", about: "makes none" },
];

export const won: Result = {
  winners: [0],
  scores: [1040, 955],
  clause: "F8",
  why: "North has reached 1,000, and everybody else has had a last lap.",
};
export const shared: Result = { ...won, winners: [0, 1], scores: [1040, 1040] };
export const alone: Result = { ...won, winners: [0], scores: [1040] };

export const seated = (count: number, more: Partial<Status> = {}): Status =>
  status({ seats: seats(count), wins: seats(count).map(() => 0), moved: 90, ...more });

export const over = (count: number, more: Partial<Status> = {}): Status =>
  seated(count, { due: "over", seat: null, result: won, story, ...more });

export const at = (more: Partial<Table> = {}): Table =>
  table({
    game: "sample",
    title: "Farkle",
    rules: "",
    challenge: "",
    series: 0,
    clock: 0,
    patience: 60,
    ...more,
  });

/** A position to choose from, with these dice. */
export const choosing = (faces: View["dice"], more: Partial<View> = {}): View =>
  view({
    prompt: "Keep dice that count.",
    dice: faces,
    tracks: tracks(2, 1000),
    gauge: gauges["warm"] ?? null,
    choices: [
      keep(
        faces.slice(0, 2).map((die) => die.code),
        "roll",
      ),
    ],
    ...more,
  });

const NOBODY: ReadonlySet<number> = new Set();
const nothing = () => undefined;

/** An open table in a phase, as a part sees it. */
export const opened = (phase: Phase, more: Partial<Open> = {}): Open => ({
  id: "k7Qm",
  rolling: false,
  advice: null,
  working: null,
  said: "",
  problem: "",
  trouble: "",
  table: at(),
  status: seated(2),
  view: choosing(dice(plain)),
  lines,
  log: lines,
  told: lines.at(-1)?.told ?? "",
  rolls: 0,
  bust: false,
  banner: "",
  acted: false,
  pace: 1,
  phase,
  isRunning: true,
  lost: false,
  free: true,
  seat: 0,
  people: [0],
  undoer: null,
  rollsNext: null,
  choosesNext: null,
  away: NOBODY,
  moved: 5,
  busy: false,
  offset: 0,
  close: nothing,
  name: (seat) => seats(6)[seat ?? -1]?.name ?? "",
  send: () => true,
  choose: nothing,
  roll: nothing,
  undo: nothing,
  rematch: nothing,
  takeDevice: nothing,
  skip: nothing,
  goOn: nothing,
  sitDown: nothing,
  reconnect: nothing,
  ...more,
});

/** The view from which one chooses next, while another's move is still being shown. */
export const next = entry(6).view;
