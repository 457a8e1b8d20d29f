// New versions of this page: a service worker fetches them in the background, and waits. A page that is already
// new (it came from the server) has it take over at once; others offer to reload. It never takes over while a
// game is open in any tab, and no page reloads by itself.

import type { Question } from "../worker/questions";

/** A service worker, as far as pages talk to it. */
export interface Helper {
  ask(question: Question): Promise<boolean>;
}

export interface UpdateParts {
  /** The path of the script that this page was loaded with. */
  script: string;
  reload: () => void;
  /** From now on, follow links by loading pages. */
  loadPages: () => void;
}

export class Updates {
  /** A version that this page is not of waits or is already in use. */
  isReady = $state(false);
  /** It could not be taken because a game is open in another tab. */
  isHeld = $state(false);
  #waiting: Helper | undefined;
  #reloads = false;

  constructor(readonly parts: UpdateParts) {}

  /** A new version is installed, and waits. */
  async found(helper: Helper): Promise<void> {
    this.#waiting = helper;
    if (await this.#isOurs(helper)) await helper.ask({ ask: "take" });
    else this.isReady = true;
  }

  /** A worker has taken over: the first one, or a new version. */
  async changed(helper: Helper): Promise<void> {
    this.#waiting = undefined;
    if (this.#reloads) {
      this.parts.reload();
    } else if (!(await this.#isOurs(helper))) {
      this.isReady = true;
      this.parts.loadPages(); // what this page could still import is no longer cached
    }
  }

  /** Use the new version, unless a game is open. */
  async take(): Promise<void> {
    if (!this.#waiting) {
      this.parts.reload(); // another tab has taken it
      return;
    }
    this.#reloads = true;
    const isTaken = await this.#waiting.ask({ ask: "take" });
    this.#reloads = isTaken;
    this.isHeld = !isTaken;
  }

  #isOurs(helper: Helper): Promise<boolean> {
    return helper.ask({ ask: "has", path: this.parts.script });
  }
}
