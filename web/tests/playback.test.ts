import { beforeEach, describe, expect, test } from "vitest";
import { Playback, type Screen } from "../src/lib/playback";
import type { Frame } from "../src/lib/scene";
import { entry, HandClock, news, view } from "./made";

/** A screen that notes what it shows. */
class Notes implements Screen {
  seen = 0;
  notes: string[] = [];
  isShowing = false;

  view = () => view();
  isNew = ({ seq }: { seq: number }) => seq > this.seen;
  owns = (seat: number) => seat === 0;
  settle = ({ seq }: { seq: number }) => this.notes.push(`stands at ${seq}`);
  setShowing = (showing: boolean) => (this.isShowing = showing);

  show(frame: Frame): void {
    if (frame.line) this.seen = frame.line.seq;
    if (frame.told) this.notes.push(frame.told);
    if (frame.said) this.notes.push(frame.said);
  }
}

let screen: Notes;
let clock: HandClock;
let factor: number;
let playback: Playback;

beforeEach(() => {
  screen = new Notes();
  clock = new HandClock();
  factor = 1;
  const pace = (milliseconds: number) => milliseconds * factor;
  playback = new Playback(screen, { later: clock.later, pace });
});

test("shows one thing after another, then how the table stands", () => {
  playback.add(news([entry(1, { seat: 1 }), entry(2, { seat: 1 })]));
  expect(screen.notes).toEqual(["Line 1."]);
  expect(screen.isShowing).toBe(true);
  clock.run(850);
  expect(screen.notes).toEqual(["Line 1.", "Line 2."]);
  clock.run(850);
  expect(screen.notes).toEqual(["Line 1.", "Line 2.", "stands at 2"]);
  expect(screen.isShowing).toBe(false);
  expect(clock.due).toBe(0);
});

test("news wait for those before them", () => {
  playback.add(news([entry(1)]));
  playback.add(news([entry(2)]));
  expect(screen.notes).toEqual(["Line 1."]);
  clock.run(250);
  expect(screen.notes).toEqual(["Line 1.", "stands at 1", "Line 2."]);
  expect(screen.isShowing).toBe(true);
});

test("nothing is shown twice", () => {
  playback.add(news([entry(1)]));
  playback.add(news([entry(1), entry(2)]));
  clock.run(5000);
  expect(screen.notes).toEqual(["Line 1.", "stands at 1", "Line 2.", "stands at 2"]);
});

test("words are shown at once and keep nobody waiting", () => {
  playback.add(news([entry(1, { kind: "say", told: "Ann: hi" })]));
  expect(screen.notes).toEqual(["Ann: hi", "stands at 1"]);
  expect(screen.isShowing).toBe(false);
});

test("a device without pauses shows everything at once", () => {
  factor = 0;
  playback.add(news([entry(1), entry(2, { kind: "roll" })]));
  expect(screen.notes).toEqual(["Line 1.", "Line 2.", "stands at 2"]);
});

describe("skip", () => {
  test("comes to the end of everything that is queued", () => {
    playback.add(news([entry(1), entry(2, { kind: "roll", seat: 1 })]));
    playback.add(news([entry(3)]));
    playback.skip();
    expect(screen.notes.at(-1)).toBe("stands at 3");
    expect(screen.isShowing).toBe(false);
    expect(clock.due).toBe(0);
  });

  test("does not hurry what comes later", () => {
    playback.skip();
    playback.add(news([entry(1)]));
    playback.skip();
    playback.add(news([entry(2)]));
    expect(screen.notes.at(-1)).toBe("Line 2.");
  });
});

describe("clear", () => {
  test("forgets what is being shown and what is to come", () => {
    playback.add(news([entry(1), entry(2)]));
    playback.add(news([entry(3)]));
    playback.clear();
    clock.run(5000);
    expect(screen.notes).toEqual(["Line 1."]);
    expect(screen.isShowing).toBe(false);
  });

  test("leaves it ready for more", () => {
    playback.add(news([entry(1)]));
    playback.clear();
    playback.add(news([entry(2)]));
    clock.run(250);
    expect(screen.notes).toEqual(["Line 1.", "Line 2.", "stands at 2"]);
  });
});
