// The connection to one table: says hello, passes on what the server says, and connects again when
// it breaks. It knows nothing of the page; sockets and timers are given to it.

import type { Cancel, Later } from "./timers";
import type { Command, Hello, Said } from "./types";

/** An open or opening socket. */
export interface Wire {
  send(text: string): void;
  close(): void;
  isOpen(): boolean;
}

export interface WireEvents {
  open(): void;
  message(text: string): void;
  close(code: number, reason: string): void;
}

/** Opens a socket. */
export type Dial = (events: WireEvents) => Wire;

/** `waiting` means that the server has not answered the last command yet. */
export type Line =
  | { is: "connecting"; waiting: boolean }
  | { is: "online"; waiting: boolean }
  | { is: "lost" }
  | { is: "gone"; reason: string }
  | { is: "closed" };

/** What a connection reports. */
export type Heard =
  | { type: "line"; line: Line }
  | { type: "said"; said: Said }
  /** The server does not let us in for now. */
  | { type: "refused"; reason: string }
  /** The server knows less of the table than we do. */
  | { type: "forgotten" };

export interface ConnectionParts {
  dial: Dial;
  later: Later;
  hello: () => Hello;
  hear: (heard: Heard) => void;
}

/** Codes with which the server closes a socket. */
const NO_SUCH_TABLE = 4404;
const TOO_MANY = 4429;
/** After so many milliseconds without an answer the connection is taken for dead. */
export const ANSWER = 10_000;

/** How many milliseconds to wait before the next attempt. */
export const backOff = (attempts: number): number => Math.min(8000, 300 * 1.7 ** attempts);

const needsAnswer = (command: Command) => command.do !== "say" && command.do !== "advise";

export class Connection {
  #line: Line = { is: "connecting", waiting: false };
  #wire: Wire | undefined;
  #socketNumber = 0;
  #attempts = 0;
  /** Commands given before the connection was there. */
  #held: Command[] = [];
  #cancelRetry: Cancel | undefined;
  #cancelAnswer: Cancel | undefined;

  /** `isKnown` says whether the table exists for certain. */
  constructor(
    readonly parts: ConnectionParts,
    private isKnown: boolean,
  ) {}

  get line(): Line {
    return this.#line;
  }

  start(): void {
    this.#connect();
  }

  /** Say hello again, with what this device has learnt meanwhile. */
  reconnect(): void {
    if (this.#line.is === "online") this.#become({ ...this.#line, is: "connecting" });
    this.#connect();
  }

  /** Try now rather than later, if the connection is not there. */
  retry(): void {
    if (!this.#wire?.isOpen()) this.#connect();
  }

  close(): void {
    this.#become({ is: "closed" });
    this.#cancelRetry?.();
    this.#cancelAnswer?.();
    this.#wire?.close();
  }

  /** Send a command, or keep it until the first connection is there; says whether that worked. */
  send(command: Command): boolean {
    if (this.#line.is === "online") this.#wire?.send(JSON.stringify(command));
    else if (this.#line.is === "connecting") this.#held.push(command);
    else return false;
    if (needsAnswer(command)) {
      this.#become({ ...this.#line, waiting: true });
      this.#cancelAnswer?.();
      this.#cancelAnswer = this.parts.later(ANSWER, () => {
        if ("waiting" in this.#line && this.#line.waiting) this.reconnect();
      });
    }
    return true;
  }

  #become(line: Line): void {
    this.#line = line;
    this.parts.hear({ type: "line", line });
  }

  #connect(): void {
    if (this.#line.is === "closed" || this.#line.is === "gone") return;
    this.#cancelRetry?.();
    const number = ++this.#socketNumber;
    const isCurrent = () => number === this.#socketNumber && this.#line.is !== "closed";
    this.#wire?.close();
    const wire = this.parts.dial({
      open: () => isCurrent() && wire.send(JSON.stringify(this.parts.hello())),
      message: (text) => isCurrent() && this.#hear(JSON.parse(text) as Said),
      close: (code, reason) => isCurrent() && this.#broke(code, reason),
    });
    this.#wire = wire;
  }

  #hear(said: Said): void {
    if (said.type === "table") {
      this.#attempts = 0;
      this.isKnown = true;
      this.#become({ is: "online", waiting: false });
    } else if (said.type === "news" || said.type === "problem") {
      this.#answered();
    }
    this.parts.hear({ type: "said", said });
    if (said.type === "table") this.#sendHeld();
  }

  #answered(): void {
    if ("waiting" in this.#line && this.#line.waiting) {
      this.#become({ ...this.#line, waiting: false });
    }
  }

  #sendHeld(): void {
    const held = this.#held;
    this.#held = [];
    for (const command of held) this.send(command);
  }

  #broke(code: number, reason: string): void {
    if (code === NO_SUCH_TABLE && !this.isKnown) {
      this.#become({ is: "gone", reason });
      return;
    }
    this.#held = [];
    this.#become({ is: "lost" });
    if (code === TOO_MANY) this.parts.hear({ type: "refused", reason });
    if (code === NO_SUCH_TABLE) this.parts.hear({ type: "forgotten" });
    this.#cancelRetry = this.parts.later(backOff(this.#attempts++), () => this.#connect());
  }
}
