// The queue that animates log entries one after another, at a readable speed.

import { framesOf, isAside, type Frame } from "./scene";
import type { Cancel, Later } from "./timers";
import type { Entry, News, Status, View } from "./types";

/** Where entries are shown. */
export interface Screen {
  /** The current view. */
  view(): View;
  /** Whether an entry has not been shown yet. */
  isNew(entry: Entry): boolean;
  /** Whether a seat belongs to this device. */
  owns(seat: number): boolean;
  show(frame: Frame): void;
  /** Everything up to this status has been shown. */
  settle(status: Status): void;
  /** Whether an animation is running; chat does not count. */
  setShowing(showing: boolean): void;
}

export interface PlaybackClock {
  later: Later;
  /** A pause in milliseconds, adjusted to the speed setting. */
  pace: (milliseconds: number) => number;
}

/** Milliseconds within which a turn is shown, however long it is. */
const LONGEST = 2000;
/** The smallest part of its usual time that a step may take. */
const QUICKEST = 0.5;

export class Playback {
  #queue: News[] = [];
  /** The running animation; it yields its pauses. */
  #show: Iterator<number> | undefined;
  #isSkipping = false;
  #cancelPause: Cancel | undefined;

  constructor(
    readonly screen: Screen,
    readonly clock: PlaybackClock,
  ) {}

  /** Queue news. */
  add(news: News): void {
    this.#queue.push(news);
    if (this.#show) return;
    this.#show = this.#run();
    this.#advance();
  }

  /** Show everything queued without pauses. */
  skip(): void {
    if (!this.#show) return;
    this.#isSkipping = true;
    this.#cancelPause?.();
    this.#advance();
  }

  /** Drop the running animation and the queue. */
  clear(): void {
    this.#cancelPause?.();
    this.#queue = [];
    this.#end();
  }

  #end(): void {
    this.#show = undefined;
    this.#isSkipping = false;
    this.screen.setShowing(false);
  }

  #advance(): void {
    for (;;) {
      const next = this.#show?.next();
      if (!next || next.done) return this.#end();
      const pause = this.#isSkipping ? 0 : this.clock.pace(next.value);
      if (!pause) continue;
      this.#cancelPause = this.clock.later(pause, () => this.#advance());
      return;
    }
  }

  *#run(): Generator<number, void> {
    for (let news = this.#queue.shift(); news; news = this.#queue.shift()) {
      if (news.entries.some((entry) => !isAside(entry.kind))) this.screen.setShowing(true);
      for (const frame of this.#frames(news)) {
        this.screen.show(frame);
        yield frame.pause;
      }
      if (!this.#queue.length) this.screen.setShowing(false);
      this.screen.settle(news.status);
    }
  }

  /** The frames of all new entries, within a time limit: first faster, then without the earliest. */
  #frames(news: News): Frame[] {
    const entries = news.entries.filter((entry) => this.screen.isNew(entry));
    let before = this.screen.view();
    const frames = entries.flatMap((entry, at) => {
      const own = this.screen.owns(entry.seat);
      const next = entries[at + 1]?.kind;
      const found = framesOf(entry, before, own, next === "roll" || next === "ask");
      before = entry.view;
      return found;
    });
    const hurried = (frame: Frame) => (frame.banner ? 0 : frame.pause);
    let total = frames.reduce((sum, frame) => sum + hurried(frame), 0);
    const pace = Math.max(QUICKEST, Math.min(1, LONGEST / total));
    return frames.map((frame) => {
      if (frame.banner) return frame;
      const isLate = total * pace > LONGEST;
      total -= frame.pause;
      return { ...frame, pace, pause: isLate ? 0 : frame.pause * pace };
    });
  }
}
