// The queue that animates log entries one after another, at a readable speed.

import { framesOf, type Frame } from "./scene";
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
      if (news.entries.some((entry) => entry.kind !== "say")) this.screen.setShowing(true);
      for (const entry of news.entries) {
        if (this.screen.isNew(entry)) yield* this.#entry(entry);
      }
      if (!this.#queue.length) this.screen.setShowing(false);
      this.screen.settle(news.status);
    }
  }

  *#entry(entry: Entry): Generator<number, void> {
    for (const frame of framesOf(entry, this.screen.view(), this.screen.owns(entry.seat))) {
      this.screen.show(frame);
      yield frame.pause;
    }
  }
}
