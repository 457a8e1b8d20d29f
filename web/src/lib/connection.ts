// The connection to one table: says hello, passes on the server's messages, and reconnects when it
// breaks. It is independent of the page; sockets and timers are injected.

import type { Cancel, Later } from "./timers";
import type { Command, Hello, ServerMessage } from "./types";

/** An open or opening socket. */
export interface Socket {
  send(text: string): void;
  close(): void;
  isOpen(): boolean;
}

export interface SocketEvents {
  open(): void;
  message(text: string): void;
  close(code: number, reason: string): void;
}

/** Opens a socket. */
export type Dial = (events: SocketEvents) => Socket;

/** `waiting`: the server has not answered the last command yet. */
export type LinkState =
  | { is: "connecting"; waiting: boolean }
  | { is: "online"; waiting: boolean }
  | { is: "lost" }
  | { is: "gone"; reason: string }
  | { is: "closed" };

/** What a connection reports to its owner. */
export type ConnectionEvent =
  | { type: "link"; link: LinkState }
  | { type: "message"; message: ServerMessage }
  /** The server refuses the connection for now. */
  | { type: "refused"; reason: string }
  /** The server has fewer entries of the table than we do. */
  | { type: "forgotten" };

export interface ConnectionParts {
  dial: Dial;
  later: Later;
  hello: () => Hello;
  onEvent: (event: ConnectionEvent) => void;
}

/** Close codes of the server. */
const NO_SUCH_TABLE = 4404;
const TOO_MANY = 4429;
/** Milliseconds without an answer after which the connection is considered dead. */
export const ANSWER_TIMEOUT = 10_000;

/** Milliseconds to wait before the next attempt. */
export const backOff = (attempts: number): number => Math.min(8000, 300 * 1.7 ** attempts);

const UNANSWERED: readonly Command["do"][] = ["say", "advise", "chain", "link"];
const needsAnswer = (command: Command) => !UNANSWERED.includes(command.do);

export class Connection {
  #link: LinkState = { is: "connecting", waiting: false };
  #socket: Socket | undefined;
  #socketNumber = 0;
  #attempts = 0;
  /** Commands queued until the connection is open. */
  #queued: Command[] = [];
  #cancelRetry: Cancel | undefined;
  #cancelAnswer: Cancel | undefined;

  /** `isKnown`: whether the table is known to exist. */
  constructor(
    readonly parts: ConnectionParts,
    private isKnown: boolean,
  ) {}

  get link(): LinkState {
    return this.#link;
  }

  start(): void {
    this.#connect();
  }

  /** Reconnect, to send a new hello with secrets added since. */
  reconnect(): void {
    if (this.#link.is === "online") this.#become({ ...this.#link, is: "connecting" });
    this.#connect();
  }

  /** Reconnect now instead of waiting, if not connected. */
  retry(): void {
    if (!this.#socket?.isOpen()) this.#connect();
  }

  close(): void {
    this.#become({ is: "closed" });
    this.#cancelRetry?.();
    this.#cancelAnswer?.();
    this.#socket?.close();
  }

  /** Send a command, or queue it while connecting; returns false if the connection is lost. */
  send(command: Command): boolean {
    if (this.#link.is === "online") this.#socket?.send(JSON.stringify(command));
    else if (this.#link.is === "connecting") this.#queued.push(command);
    else return false;
    if (needsAnswer(command)) {
      this.#become({ ...this.#link, waiting: true });
      this.#cancelAnswer?.();
      this.#cancelAnswer = this.parts.later(ANSWER_TIMEOUT, () => {
        if ("waiting" in this.#link && this.#link.waiting) this.reconnect();
      });
    }
    return true;
  }

  #become(link: LinkState): void {
    this.#link = link;
    this.parts.onEvent({ type: "link", link });
  }

  #connect(): void {
    if (this.#link.is === "closed" || this.#link.is === "gone") return;
    this.#cancelRetry?.();
    const number = ++this.#socketNumber;
    const isCurrent = () => number === this.#socketNumber && this.#link.is !== "closed";
    this.#socket?.close();
    const socket = this.parts.dial({
      open: () => isCurrent() && socket.send(JSON.stringify(this.parts.hello())),
      message: (text) => isCurrent() && this.#receive(JSON.parse(text) as ServerMessage),
      close: (code, reason) => isCurrent() && this.#broke(code, reason),
    });
    this.#socket = socket;
  }

  #receive(message: ServerMessage): void {
    if (message.type === "table") {
      this.#attempts = 0;
      this.isKnown = true;
      this.#become({ is: "online", waiting: false });
    } else if (message.type === "news" || message.type === "problem") {
      this.#answered();
    }
    this.parts.onEvent({ type: "message", message });
    if (message.type === "table") this.#sendQueued();
  }

  #answered(): void {
    if ("waiting" in this.#link && this.#link.waiting) {
      this.#become({ ...this.#link, waiting: false });
    }
  }

  #sendQueued(): void {
    const queued = this.#queued;
    this.#queued = [];
    for (const command of queued) this.send(command);
  }

  #broke(code: number, reason: string): void {
    if (code === NO_SUCH_TABLE && !this.isKnown) {
      this.#become({ is: "gone", reason });
      return;
    }
    this.#queued = [];
    this.#become({ is: "lost" });
    if (code === TOO_MANY) this.parts.onEvent({ type: "refused", reason });
    if (code === NO_SUCH_TABLE) this.parts.onEvent({ type: "forgotten" });
    this.#cancelRetry = this.parts.later(backOff(this.#attempts++), () => this.#connect());
  }
}
