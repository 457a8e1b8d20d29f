// Builders of test values, with defaults for whatever a test does not care about.

import type { Later } from "../src/lib/timers";
import type {
  Blocked,
  Choice,
  DieView,
  Entry,
  LogLine,
  News,
  Result,
  Seat,
  Status,
  Table,
  View,
} from "../src/lib/types";

export const choice = (text: string, more: Partial<Choice> = {}): Choice => ({
  text,
  verb: "keep",
  dice: [],
  then: "",
  points: 0,
  left: 0,
  words: text,
  effect: "",
  ends_turn: false,
  ...more,
});

export const keep = (dice: number[], then: string, more: Partial<Choice> = {}): Choice =>
  choice(`${dice.join("")} ${then}`, { dice, then, ends_turn: then === "bank", ...more });

export const blocked = (action: string, reason: string): Blocked => ({
  action,
  reason,
  clause: "X1",
  ends_turn: true,
});

export const die = (code: number, more: Partial<DieView> = {}): DieView => ({
  code,
  token: String(code),
  label: String(code),
  kind: "die",
  colour: "white",
  place: "tray",
  ring: false,
  drawn: "pips",
  pips: code,
  flag: "",
  called: "",
  name: "",
  ...more,
});

export const view = (more: Partial<View> = {}): View => ({
  seat: 0,
  prompt: "Choose.",
  tracks: [],
  dice: [],
  gauge: null,
  pattern: [],
  discs: [],
  meters: [],
  course: [],
  notices: [],
  choices: [],
  blocked: [],
  unused: [],
  taking: "",
  mood: "",
  rail: true,
  apart: false,
  groups: [],
  badges: [],
  ...more,
});

export const seat = (name: string, more: Partial<Seat> = {}): Seat => ({
  name,
  bot: "",
  open: false,
  person: true,
  ...more,
});

export const status = (more: Partial<Status> = {}): Status =>
  ({
    seq: 5,
    due: "choose",
    seat: 0,
    rolling: [],
    deadline: null,
    result: null,
    story: null,
    undoer: null,
    draw: null,
    game: 1,
    wins: [0, 0],
    champions: [],
    seats: [seat("Ann"), seat("Ben")],
    ...more,
  }) as Status;

export const table = (more: Partial<Table> = {}): Table =>
  ({
    type: "table",
    id: "t",
    title: "Farkle",
    yours: [0],
    host: false,
    dice: "seeded",
    coach: false,
    now: 100,
    trouble: "",
    away: [],
    log: [],
    view: view(),
    status: status(),
    ...more,
  }) as Table;

export const result: Result = { winners: [0], scores: [9, 1], clause: "X1", why: "Enough." };

export const line = (seq: number, more: Partial<LogLine> = {}): LogLine =>
  ({ seq, kind: "choose", told: `Line ${seq}.`, ...more }) as LogLine;

export const entry = (seq: number, more: Partial<Entry> = {}): Entry =>
  ({
    ...line(seq),
    seat: 0,
    rolled: [],
    lost: false,
    starts: false,
    ended: null,
    ends_turn: false,
    view: view({ prompt: `After ${seq}.` }),
    ...more,
  }) as Entry;

export const news = (entries: Entry[], more: Partial<Status> = {}): News => ({
  type: "news",
  entries,
  status: status({ seq: entries.at(-1)?.seq ?? 0, ...more }),
});

/** A clock that only advances when a test says so. */
export class ManualClock {
  now = 0;
  #calls: { at: number; call: () => void }[] = [];

  later: Later = (milliseconds, call) => {
    const one = { at: this.now + milliseconds, call };
    this.#calls.push(one);
    return () => (this.#calls = this.#calls.filter((other) => other !== one));
  };

  /** The number of pending calls. */
  get due(): number {
    return this.#calls.length;
  }

  run(milliseconds: number): void {
    const end = this.now + milliseconds;
    for (;;) {
      const next = this.#calls.filter((one) => one.at <= end).sort((a, b) => a.at - b.at)[0];
      if (!next) break;
      this.#calls = this.#calls.filter((one) => one !== next);
      this.now = next.at;
      next.call();
    }
    this.now = end;
  }
}
