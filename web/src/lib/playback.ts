// The queue that shows one thing after another, at a pace that people can follow.

import { framesOf, type Frame } from "./scene";
import type { Cancel, Later } from "./timers";
import type { Entry, News, Status, View } from "./types";

/** Where things are shown. */
export interface Screen {
  /** What is shown at the moment. */
  view(): View;
  /** Whether an entry has not been shown yet. */
  isNew(entry: Entry): boolean;
  /** Whether a seat belongs to this device. */
  owns(seat: number): boolean;
  show(frame: Frame): void;
  /** Everything up to this status has been shown. */
  settle(status: Status): void;
  /** Whether there is something to wait for; words that somebody says interrupt nobody. */
  setShowing(showing: boolean): void;
}

export interface PlaybackClock {
  later: Later;
  /** How long this device makes a pause of so many milliseconds. */
  pace: (milliseconds: number) => number;
}

export class Playback {
  #queue: News[] = [];
  /** The show under way; it yields the pauses that it makes. */
  #show: Iterator<number> | undefined;
  #isHurried = false;
  #cancelPause: Cancel | undefined;

  constructor(
    readonly screen: Screen,
    readonly clock: PlaybackClock,
  ) {}

  /** Show news after everything that came before. */
  add(news: News): void {
    this.#queue.push(news);
    if (this.#show) return;
    this.#show = this.#run();
    this.#goOn();
  }

  /** Come to the end of what is being shown. */
  skip(): void {
    if (!this.#show) return;
    this.#isHurried = true;
    this.#cancelPause?.();
    this.#goOn();
  }

  /** Forget what is being shown and what is to come. */
  clear(): void {
    this.#cancelPause?.();
    this.#queue = [];
    this.#end();
  }

  #end(): void {
    this.#show = undefined;
    this.#isHurried = false;
    this.screen.setShowing(false);
  }

  #goOn(): void {
    for (;;) {
      const next = this.#show?.next();
      if (!next || next.done) return this.#end();
      const pause = this.#isHurried ? 0 : this.clock.pace(next.value);
      if (!pause) continue;
      this.#cancelPause = this.clock.later(pause, () => this.#goOn());
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
