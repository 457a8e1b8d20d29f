// Made-up states of a table, one of each kind, to look at its parts.

import { pipDie } from "../lib/dice";
import type {
  Choice,
  DieView,
  DiscView,
  Gauge,
  Look,
  Meter,
  Seat,
  Stage,
  Status,
  Story,
  Track,
  View,
  Wanted,
} from "../lib/types";

const NAMES = ["North", "Casimir", "Ann", "Bartholomew the Long-Winded", "Öz", "Ida"];

export const seats = (count: number): Seat[] =>
  NAMES.slice(0, count).map((name, at) => ({
    name,
    bot: at === 1 ? "casual" : "",
    open: false,
    person: at !== 1,
  }));

export const status = (count: number): Status =>
  ({ seats: seats(count), wins: seats(count).map(() => 0) }) as Partial<Status> as Status;

export const tracks = (count: number, goal: number): Track[] =>
  Array.from({ length: count }, (_, seat) => ({
    seat,
    value: Math.round((goal * (5 + ((seat * 37) % 60))) / 100),
    goal,
    milestones: [
      { at: goal / 10, label: "on the pad" },
      { at: goal, label: "last lap" },
    ],
    pending: seat ? 0 : Math.round(goal / 12),
    standing: seat === 2 ? "out of the race" : "",
  }));

/** The dice of a look, or plain ones. */
export const dice = (look: Look): DieView[] =>
  look.sample.length
    ? look.sample
    : [1, 2, 3, 4, 5, 6].map((pips) => ({
        ...pipDie(pips, "white"),
        code: pips,
        token: String(pips),
        kind: "die",
        place: "tray",
      }));

export const view = (look: Look, more: Partial<View> = {}): View => {
  const all = dice(look);
  const kept = all.slice(0, 2).map((die) => ({ ...die, place: "kept" as const }));
  return {
    seat: 0,
    prompt: "",
    tracks: tracks(2, 1000),
    dice: [...all, ...kept],
    gauge: null,
    pattern: [],
    discs: [],
    meters: [{ label: "Rerolls", value: 1, top: 2, seat: 1, marks: null }],
    course: [],
    notices: [],
    choices: [],
    blocked: [],
    unused: [],
    taking: "",
    mood: "",
    rail: true,
    apart: false,
    groups: [{ dice: kept, points: 20, words: "two alike" }],
    badges: all[0] ? [{ code: all[0].code, text: "×2" }] : [],
    ...more,
  };
};

const gauge = (more: Partial<Gauge>): Gauge => ({
  value: 0,
  label: "at stake",
  words: "",
  limit: null,
  danger: null,
  heat: null,
  card: "",
  ...more,
});
const segment = { label: "this segment", words: "limit 45", limit: 45, danger: 65 };
export const within = gauge({ ...segment, value: 35 });
export const gauges: Record<string, Gauge> = {
  nothing: gauge({ heat: 0 }),
  warm: gauge({ value: 45, heat: 0.28 }),
  hot: gauge({ value: 240, heat: 0.67 }),
  plain: gauge({ value: -6, label: "this game", words: "taken 4, less safe 1 + 3 + 6" }),
  within,
  over: gauge({ ...segment, value: 70 }),
  yellow: gauge({ value: 75, label: "yellow flag", words: "less the yellow die", card: "yellow" }),
  red: gauge({ value: 75, label: "penalty −25", words: "75 −25; 2 rolls are due", card: "red" }),
  black: gauge({ label: "black flag", words: "nothing for this segment", card: "black" }),
};

export const wanted = (look: Look): Wanted[] =>
  dice(look)
    .slice(0, 5)
    .map((die, at) => ({ die, filled: at < 2 || at === 3, scores: at < 2 }));

export const discs: DiscView[] = ["safe", "vulnerable", "taken", "safe", "safe", "safe"].map(
  (state, at) => {
    const turned = ["safe", "vulnerable", "taken"].indexOf(state);
    const value = at + 1;
    return {
      value,
      status: state,
      turned,
      points: (turned - 1) * value,
      then: turned * value,
      dice: at === 3 ? [[4]] : at === 5 ? [[6]] : [],
    };
  },
);

export const picked: Choice = {
  text: "use 6",
  verb: "use",
  dice: [6],
  then: "",
  points: 6,
  left: 4,
  words: "Use 6",
  effect: "Make disc 6 vulnerable",
  ends_turn: false,
};

export const meters: Meter[] = [
  { label: "Lone rogues", value: 2, top: 6, seat: null, marks: null },
  { label: "Rerolls", value: 1, top: 2, seat: null, marks: null },
  { label: "Round", value: 3, top: 6, seat: null, marks: null },
  { label: "Game", value: 3, top: 5, seat: null, marks: ["14", "−6"] },
  { label: "Rolls", value: 12, top: null, seat: null, marks: null },
];

export const course: Stage[] = [null, 110, 80, 45, 70, 60, 40, null].map((limit, at) => ({
  name: `Segment ${at + 1}`,
  limit,
  status: at < 3 ? "done" : at === 3 ? "now" : "next",
  points: at < 3 ? [40, 35] : at === 3 ? [null, 20] : [null, null],
}));

export const story: Story = {
  scores: [
    [20, 0],
    [20, 45],
    [95, 45],
    [95, 130],
    [95, 130],
    [240, 130],
  ],
  best: { seat: 0, points: 145 },
  worst: { seat: 1, points: 60 },
};
