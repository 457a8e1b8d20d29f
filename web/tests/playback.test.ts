import { beforeEach, describe, expect, test } from "vitest";
import { Playback, type Screen } from "../src/lib/playback";
import type { Frame } from "../src/lib/scene";
import { die, entry, ManualClock, news, view } from "./builders";

/** A screen that records what it shows. */
class Notes implements Screen {
  seen = 0;
  notes: string[] = [];
  isShowing = false;

  view = () => view();
  isNew = ({ seq }: { seq: number }) => seq > this.seen;
  owns = (seat: number) => seat === 0;
  settle = ({ seq }: { seq: number }) => this.notes.push(`settled at ${seq}`);
  setShowing = (showing: boolean) => (this.isShowing = showing);

  show(frame: Frame): void {
    if (frame.line) this.seen = frame.line.seq;
    if (frame.banner) this.notes.push(`Read: ${frame.banner}`);
    if (frame.told) this.notes.push(frame.told);
    if (frame.said) this.notes.push(frame.said);
  }
}

let screen: Notes;
let clock: ManualClock;
let factor: number;
let playback: Playback;

beforeEach(() => {
  screen = new Notes();
  clock = new ManualClock();
  factor = 1;
  const pace = (milliseconds: number) => milliseconds * factor;
  playback = new Playback(screen, { later: clock.later, pace });
});

test("shows one entry after another, then settles", () => {
  playback.add(news([entry(1, { seat: 1 }), entry(2, { seat: 1 })]));
  expect(screen.notes).toEqual(["Line 1."]);
  expect(screen.isShowing).toBe(true);
  clock.run(850);
  expect(screen.notes).toEqual(["Line 1.", "Line 2."]);
  clock.run(850);
  expect(screen.notes).toEqual(["Line 1.", "Line 2.", "settled at 2"]);
  expect(screen.isShowing).toBe(false);
  expect(clock.due).toBe(0);
});

test("news are queued", () => {
  playback.add(news([entry(1)]));
  playback.add(news([entry(2)]));
  expect(screen.notes).toEqual(["Line 1."]);
  clock.run(250);
  expect(screen.notes).toEqual(["Line 1.", "settled at 1", "Line 2."]);
  expect(screen.isShowing).toBe(true);
});

test("a long turn of somebody else is shown within four seconds", () => {
  const turn = Array.from({ length: 12 }, (_, at) =>
    entry(at + 1, { seat: 1, kind: at % 2 ? "choose" : "roll" }),
  );
  playback.add(news(turn));
  clock.run(3700);
  expect(screen.notes.at(-1)).toBe("settled at 12");
  expect(screen.notes).toHaveLength(13);
});

test("who starts can be read, however long the turn after it", () => {
  const roll = entry(1, { seat: 1, kind: "roll", rolled: [die(6)], starts: true });
  const turn = Array.from({ length: 12 }, (_, at) =>
    entry(at + 2, { seat: 1, kind: at % 2 ? "choose" : "roll" }),
  );
  playback.add(news([roll, ...turn]));
  expect(screen.notes).toEqual(["Line 1.", "Read: Line 1."]);
  clock.run(1100);
  expect(screen.notes).toHaveLength(2);
  clock.run(3700);
  expect(screen.notes.at(-1)).toBe("settled at 13");
});

test("no entry is shown twice", () => {
  playback.add(news([entry(1)]));
  playback.add(news([entry(1), entry(2)]));
  clock.run(5000);
  expect(screen.notes).toEqual(["Line 1.", "settled at 1", "Line 2.", "settled at 2"]);
});

test("chat is shown at once and does not count as an animation", () => {
  playback.add(news([entry(1, { kind: "say", told: "Ann: hi" })]));
  expect(screen.notes).toEqual(["Ann: hi", "settled at 1"]);
  expect(screen.isShowing).toBe(false);
});

test("without pauses everything is shown at once", () => {
  factor = 0;
  playback.add(news([entry(1), entry(2, { kind: "roll" })]));
  expect(screen.notes).toEqual(["Line 1.", "Line 2.", "settled at 2"]);
});

describe("skip", () => {
  test("shows everything queued at once", () => {
    playback.add(news([entry(1), entry(2, { kind: "roll", seat: 1 })]));
    playback.add(news([entry(3)]));
    playback.skip();
    expect(screen.notes.at(-1)).toBe("settled at 3");
    expect(screen.isShowing).toBe(false);
    expect(clock.due).toBe(0);
  });

  test("does not affect later news", () => {
    playback.skip();
    playback.add(news([entry(1)]));
    playback.skip();
    playback.add(news([entry(2)]));
    expect(screen.notes.at(-1)).toBe("Line 2.");
  });
});

describe("clear", () => {
  test("drops the running animation and the queue", () => {
    playback.add(news([entry(1), entry(2)]));
    playback.add(news([entry(3)]));
    playback.clear();
    clock.run(5000);
    expect(screen.notes).toEqual(["Line 1."]);
    expect(screen.isShowing).toBe(false);
  });

  test("can be followed by more news", () => {
    playback.add(news([entry(1)]));
    playback.clear();
    playback.add(news([entry(2)]));
    clock.run(250);
    expect(screen.notes).toEqual(["Line 1.", "Line 2.", "settled at 2"]);
  });
});
