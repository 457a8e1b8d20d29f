// An open table: what the server says of it, shown at a pace that people can follow.

import { addSecret, playerKey, secretsOf } from "./identity";
import { paced } from "./settings.svelte";
import { play } from "./sound";
import type {
  Advice,
  Command,
  DieView,
  Entry,
  Hello,
  LogLine,
  News,
  Said,
  Status,
  Table,
  TableOpened,
  View,
  Working,
} from "./types";

const handed = new Map<string, Table>();

/** Have a new table ready for the page that opens it: its first dice need no second question. */
export function handOver(opened: TableOpened): void {
  for (const { seat, secret } of opened.seats) addSecret(opened.id, secret, seat);
  handed.set(opened.id, opened.table);
}

const LAND = 560;
const HOLD = 1400;
const STEP = 850;
const SAID = 12_000;
/** After so long without an answer the line is thought dead, though nobody has said so. */
const ANSWER = 10_000;

export class OpenTable {
  table = $state.raw<Table | null>(null);
  status = $state.raw<Status | null>(null);
  view = $state.raw<View | null>(null);
  lines = $state.raw<LogLine[]>([]);
  advice = $state.raw<Advice | null>(null);
  working = $state.raw<Working | null>(null);
  told = $state("");
  said = $state("");
  problem = $state("");
  trouble = $state("");
  gone = $state("");
  rolls = $state(0);
  held = $state(false);
  busy = $state(false);
  waiting = $state(false);
  online = $state(true);

  /** The seat on this device that has to act; not while a bot plays for it. */
  seat = $derived.by(() => {
    const due = this.status?.seat ?? null;
    if (due === null || this.status?.seats[due]?.bot) return null;
    return this.table?.yours.includes(due) ? due : null;
  });
  /** The seat that types in what a bot rolled with real dice. */
  typist = $derived.by(() => {
    const status = this.status;
    if (!status || status.due !== "roll" || this.table?.dice !== "typed" || status.seat === null)
      return null;
    if (this.seat !== null) return this.seat;
    return status.seats[status.seat]?.bot ? (this.table.yours[0] ?? null) : null;
  });
  offset = 0;

  #socket: WebSocket | undefined;
  #queue: News[] = [];
  #round = 0;
  #running = false;
  #hurry = false;
  #wake: (() => void) | undefined;
  #tries = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #closed = false;
  #answer: ReturnType<typeof setTimeout> | undefined;
  #held: Command | undefined;
  #saying: ReturnType<typeof setTimeout> | undefined;

  constructor(readonly id: string) {
    const known = handed.get(id);
    if (known) {
      handed.delete(id);
      this.#take(known);
      this.rolls++;
    }
    this.#connect();
    addEventListener("online", this.#again);
    document.addEventListener("visibilitychange", this.#again);
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
    clearTimeout(this.#saying);
    clearTimeout(this.#answer);
    removeEventListener("online", this.#again);
    document.removeEventListener("visibilitychange", this.#again);
    this.#socket?.close();
  }

  // The wire -----------------------------------------------------------------------------------

  #again = (): void => {
    if (this.#closed || document.hidden || this.#socket?.readyState === WebSocket.OPEN) return;
    clearTimeout(this.#timer);
    this.#connect();
  };

  /** Say hello again, with what this device has learnt meanwhile. */
  reconnect(): void {
    clearTimeout(this.#timer);
    this.#connect();
  }

  #connect(): void {
    this.#socket?.close();
    const address = new URL(`/api/tables/${encodeURIComponent(this.id)}/socket`, location.href);
    address.protocol = address.protocol.replace("http", "ws");
    const socket = (this.#socket = new WebSocket(address));
    socket.onopen = () => {
      const hello: Hello = {
        secrets: secretsOf(this.id),
        player: playerKey(),
        seen: this.lines.length,
      };
      socket.send(JSON.stringify(hello));
    };
    socket.onmessage = (event) => this.#hear(JSON.parse(String(event.data)) as Said);
    socket.onclose = (event) => {
      if (socket !== this.#socket || this.#closed) return;
      this.online = false;
      this.waiting = false;
      this.#held = undefined;
      if (event.code === 4404 && !this.table) {
        this.gone = event.reason;
        return;
      }
      if (event.code === 4429) this.problem = event.reason;
      if (event.code === 4404) this.lines = []; // it knows less than we have seen: begin anew
      const delay = Math.min(8000, 300 * 1.7 ** this.#tries++);
      this.#timer = setTimeout(() => this.#connect(), delay);
    };
  }

  #hear(said: Said): void {
    switch (said.type) {
      case "table":
        this.#tries = 0;
        this.online = true;
        this.waiting = false;
        this.#queue = [];
        this.#round++; // what is being shown is overtaken
        this.#wake?.();
        this.held = false;
        this.problem = ""; // whatever it was, this is how the table stands
        this.#take(said);
        this.#sendHeld();
        break;
      case "news":
        this.waiting = false;
        this.problem = "";
        this.#queue.push(said);
        void this.#run();
        break;
      case "advice":
        if (said.seq === this.status?.seq) this.advice = said;
        break;
      case "working":
        this.working = said.part < 1 ? said : null;
        if (!this.working) this.askCoach();
        break;
      case "trouble":
        this.trouble = said.what;
        break;
      case "problem":
        this.waiting = false;
        if (said.kind !== "Stale") this.problem = said.error; // else what was missed is on its way
        break;
    }
  }

  #take(table: Table): void {
    this.offset = table.now - Date.now() / 1000;
    this.lines = [...this.lines, ...table.log.filter((line) => line.seq > this.lines.length)];
    this.table = table;
    this.trouble = table.trouble;
    this.view = table.view;
    this.#stand(table.status);
    this.told = this.lines.findLast((line) => line.kind !== "say")?.told ?? "";
  }

  #stand(status: Status): void {
    this.status = status;
    if (this.advice && this.advice.seq !== status.seq) this.advice = null;
    this.askCoach();
  }

  /** Do something, having seen the table as it stands; says whether it was sent. */
  send(command: Omit<Command, "seen" | "text" | "other"> & Partial<Command>): boolean {
    const line = this.#socket?.readyState;
    // A table that was handed over can be played on before its line is there.
    const opening = line === WebSocket.CONNECTING && this.online;
    if (!this.status || (line !== WebSocket.OPEN && !opening)) {
      this.problem = "The connection is lost for the moment; it comes back by itself.";
      return false;
    }
    this.problem = "";
    this.waiting = command.do !== "say" && command.do !== "advise";
    const whole: Command = { text: "", other: null, seen: this.status.seq, ...command };
    if (opening) this.#held = whole;
    else this.#socket?.send(JSON.stringify(whole));
    clearTimeout(this.#answer);
    this.#answer = setTimeout(() => this.waiting && !this.#closed && this.reconnect(), ANSWER);
    return true;
  }

  #sendHeld(): void {
    if (!this.#held) return;
    this.waiting = this.#held.do !== "say";
    this.#socket?.send(JSON.stringify(this.#held));
    this.#held = undefined;
  }

  askCoach(): void {
    const asks = this.table?.coach && this.status?.due === "choose" && this.seat !== null;
    if (asks && !this.advice && this.#socket?.readyState === WebSocket.OPEN) {
      const asked: Command = {
        do: "advise",
        seat: this.seat ?? 0,
        seen: this.status!.seq,
        text: "",
        other: null,
      };
      this.#socket.send(JSON.stringify(asked));
    }
  }

  // The show -----------------------------------------------------------------------------------

  /** Come to the end of what is being shown. */
  skip(): void {
    this.#hurry = true;
    this.#wake?.();
  }

  async #run(): Promise<void> {
    if (this.#running) return;
    this.#running = true;
    for (let news = this.#queue.shift(); news; news = this.#queue.shift()) {
      const number = this.#round;
      this.busy ||= news.entries.some((entry) => entry.kind !== "say"); // words interrupt nobody
      for (const entry of news.entries) {
        if (number === this.#round && entry.seq > this.lines.length)
          await this.#show(entry, number);
      }
      if (number !== this.#round) continue;
      if (!this.#queue.length) this.busy = false;
      this.#stand(news.status);
    }
    this.#running = this.busy = this.#hurry = false;
  }

  async #show(entry: Entry, number: number): Promise<void> {
    this.lines = [...this.lines, entry];
    if (entry.kind === "say") {
      this.said = entry.told;
      clearTimeout(this.#saying);
      this.#saying = setTimeout(() => (this.said = ""), SAID);
      return;
    }
    const own = this.table?.yours.includes(entry.seat) ?? false;
    if (entry.kind === "roll") {
      await this.#showRoll(entry, number, own);
      return;
    }
    this.view = entry.view;
    this.told = entry.told;
    if (entry.kind !== "choose") return;
    if (entry.ends_turn) play("bank");
    await this.#pause(own ? 250 : STEP);
  }

  async #showRoll(entry: Entry, number: number, own: boolean): Promise<void> {
    const before = this.view;
    const gone = entry.ends_turn && before !== null;
    this.rolls++;
    play("roll");
    this.view = gone
      ? { ...before, dice: landed(before.dice, entry.rolled), choices: [], blocked: [] }
      : { ...entry.view, dice: rolling(before?.dice ?? [], entry.view.dice) };
    await this.#pause(LAND);
    if (number !== this.#round) return;
    this.told = entry.told;
    if (!gone) this.view = entry.view;
    if (entry.lost) {
      this.held = true;
      play("bust");
    }
    if (gone) await this.#pause(entry.lost ? HOLD : STEP);
    else if (!own) await this.#pause(STEP);
    if (number !== this.#round) return;
    this.held = false;
    this.view = entry.view;
  }

  #pause(milliseconds: number): Promise<void> {
    const length = this.#hurry || document.hidden ? 0 : paced(milliseconds);
    if (!length) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, length);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}

/** The dice of a roll as they came to lie, beside those that were kept before. */
function landed(before: readonly DieView[], rolled: readonly DieView[]): DieView[] {
  return [...before.filter((die) => die.place !== "tray"), ...rolled];
}

/** The dice while they roll: those that this roll takes out are still among the others. */
function rolling(before: readonly DieView[], after: readonly DieView[]): DieView[] {
  let old = before.filter((die) => die.place === "dead").length;
  return after.map((die) => (die.place === "dead" && --old < 0 ? { ...die, place: "tray" } : die));
}
