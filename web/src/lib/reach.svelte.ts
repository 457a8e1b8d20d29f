// Whether the server can be reached. While it cannot, it is asked again and again, so that pages can go on by
// themselves; tables do that on their own connection.

import { onReturn } from "./browser";
import { backOff } from "./connection";
import { later, type Cancel, type Later } from "./timers";

export interface ReachParts {
  /** Resolves if the server answers. */
  ask: () => Promise<unknown>;
  later: Later;
  onReturn: (call: () => void) => Cancel;
}

export class Reach {
  lost = $state(false);
  #attempts = 0;
  #waiting: (() => void)[] = [];
  #cancelTry: Cancel | undefined;
  #cancelReturn: Cancel | undefined;

  constructor(readonly parts: ReachParts) {}

  /** A request got no answer. */
  lose(): void {
    if (this.lost) return;
    this.lost = true;
    this.#attempts = 0;
    this.#cancelReturn = this.parts.onReturn(() => void this.#try());
    this.#tryLater();
  }

  /** Resolves when the server can be reached. */
  back(): Promise<void> {
    return this.lost ? new Promise((done) => this.#waiting.push(done)) : Promise.resolve();
  }

  #tryLater(): void {
    this.#cancelTry?.();
    this.#cancelTry = this.parts.later(backOff(this.#attempts++), () => void this.#try());
  }

  async #try(): Promise<void> {
    try {
      await this.parts.ask();
    } catch {
      this.#tryLater();
      return;
    }
    if (!this.lost) return; // two tries were under way
    this.#cancelTry?.();
    this.#cancelReturn?.();
    this.lost = false;
    for (const done of this.#waiting.splice(0)) done();
  }
}

/** An answer that costs the server little; the service worker does not give it. */
async function ping(): Promise<void> {
  const answer = await fetch("/api/lan");
  if (!answer.ok) throw new Error("not the server");
}

export const reach = new Reach({ ask: ping, later, onReturn });
