// An open table: combines connection, playback and scene for the components of the page.

import { browserDevice, type Device } from "./browser";
import { calledSeat } from "./calling";
import type { Chains } from "./chains";
import { Connection, type ConnectionEvent, type LinkState } from "./connection";
import { takeHanded } from "./handed";
import { playerKey, secretsOf } from "./identity";
import { actingSeat, isFree, peopleOf, phaseOf, undoerOf } from "./phase";
import { Playback } from "./playback";
import { isAside, opened, shown, type Frame, type Scene } from "./scene";
import type { Cancel } from "./timers";
import type {
  Advice,
  Choice,
  Command,
  News,
  ServerMessage,
  Status,
  Table,
  TableOpened,
  View,
  Working,
} from "./types";

/** Milliseconds for which a chat message stays on the table. */
const CHAT_SHOWN = 12_000;

/** What an open table tells and does: parts need no more, and can be shown with made-up values. */
export type Open = Omit<OpenTable, "device">;

export class OpenTable {
  #scene = $state.raw<Scene | null>(null);
  #link = $state.raw<LinkState>({ is: "connecting", waiting: false });
  #showing = $state(false);
  #ready = $state<number | null>(null);
  /** What everything that is still being shown leads to. */
  #coming = $state.raw<News | null>(null);
  #away = $state.raw<readonly number[]>([]);
  /** Whether dice are being thrown and do not lie yet. */
  rolling = $state(false);
  /** Whether somebody on this device has chosen or rolled since the table was opened. */
  acted = $state(false);
  advice = $state.raw<Advice | null>(null);
  working = $state.raw<Working | null>(null);
  /** The latest chat message. */
  said = $state("");
  /** Why the last command was refused. */
  problem = $state("");
  /** The server's current problem, if any. */
  trouble = $state("");

  table = $derived(this.#scene?.table ?? null);
  status = $derived(this.#scene?.status ?? null);
  view = $derived(this.#scene?.view ?? null);
  lines = $derived(this.#scene?.lines ?? []);
  told = $derived(this.#scene?.told ?? "");
  /** The log that may be read: a roll is in it once its dice lie. */
  log = $derived(this.rolling ? this.lines.slice(0, -1) : this.lines);
  rolls = $derived(this.#scene?.rolls ?? 0);
  bust = $derived(this.#scene?.bust ?? false);
  /** What is said in place of the dice; empty for nothing. */
  banner = $derived(this.#scene?.banner ?? "");
  pace = $derived(this.#scene?.pace ?? 1);
  phase = $derived(
    phaseOf({
      link: this.#link,
      scene: this.#scene,
      showing: this.#showing,
      coming: this.#coming?.status ?? null,
      ready: this.#ready,
    }),
  );
  /** Whether a game is being played; not before it, and not after it. */
  isRunning = $derived(this.#scene !== null && !["wait", "over"].includes(this.#scene.status.due));
  lost = $derived(this.#link.is === "lost");
  /** Whether a command can be sent now. */
  free = $derived(isFree(this.#link));
  /** The seat on this device that has to act. */
  seat = $derived(this.#scene && actingSeat(this.#scene.table, this.#scene.status));
  /** The seats on this device that people play. */
  people = $derived(this.#scene ? peopleOf(this.#scene.table, this.#scene.status) : []);
  /** The seat on this device that may undo. */
  undoer = $derived(
    this.#scene && !this.#showing ? undoerOf(this.#scene.table, this.#scene.status) : null,
  );
  /** The seat on this device that can roll already, although something is still being shown. */
  rollsNext = $derived.by(() => {
    const [table, coming] = [this.#scene?.table, this.#coming?.status];
    if (!this.#showing || !table || coming?.due !== "roll" || table.dice === "typed") return null;
    return actingSeat(table, coming);
  });
  /**
   * The view in which a seat on this device chooses next, although another's move is still being shown; not before
   * the dice lie.
   */
  choosesNext = $derived.by((): View | null => {
    const [table, last] = [this.#scene?.table, this.#coming?.entries.at(-1)];
    if (!this.#showing || !table || !this.#coming || this.#coming.status.due !== "choose")
      return null;
    if (!last || isAside(last.kind) || this.people.length > 1) return null;
    if (last.kind === "roll" && this.told !== last.told) return null;
    const seat = actingSeat(table, this.#coming.status);
    return seat === null || seat === last.seat ? null : last.view;
  });
  /** The seats of people who are not connected; a bot may have sat in since. */
  away = $derived<ReadonlySet<number>>(
    new Set(this.#away.filter((seat) => !this.#scene?.status.seats[seat]?.bot)),
  );
  /** The number of the last entry that changed what is on the table. */
  moved = $derived(this.lines.findLast((line) => !isAside(line.kind))?.seq ?? 0);
  /** Whether something is being animated, or the server has yet to answer or to roll. */
  busy = $derived(
    this.#showing ||
      ("waiting" in this.#link && this.#link.waiting) ||
      this.#scene?.status.due === "draw",
  );
  /** By how many seconds the server's clock is ahead of ours. */
  offset = 0;

  /** What was on the screen when everything was last shown. */
  #settled: Scene | null = null;
  /** The seat just taken on this device, until the news of it arrives. */
  #taken: number | null = null;
  #connection: Connection;
  #playback: Playback;
  #cancelReturn: Cancel;
  #cancelChat: Cancel | undefined;
  /** The part of this device in verified dice; loaded only where needed. */
  #chains: Promise<Chains> | undefined;

  constructor(
    readonly id: string,
    readonly device: Device = browserDevice(id),
  ) {
    const { dial, later, pace } = device;
    const hello = () => ({
      secrets: secretsOf(id),
      player: playerKey(),
      seen: this.#scene?.lines.length ?? 0,
    });
    const known = takeHanded(id);
    const onEvent = (event: ConnectionEvent) => this.#onEvent(event);
    this.#connection = new Connection({ dial, later, hello, onEvent }, known !== undefined);
    this.#playback = new Playback(
      {
        view: () => this.#known().view,
        isNew: (entry) => entry.seq > this.lines.length,
        owns: (seat) => this.table?.yours.includes(seat) ?? false,
        show: (frame) => this.#show(frame),
        settle: (status) => this.#settle(status),
        setShowing: (showing) => (this.#showing = showing),
      },
      { later, pace },
    );
    if (known) this.#begin(known);
    this.#connection.start();
    this.#cancelReturn = device.onReturn(() => {
      device.caller.end();
      this.#connection.retry();
    });
  }

  close(): void {
    this.#connection.close();
    this.#playback.clear();
    this.#cancelReturn();
    this.device.caller.end();
    this.#cancelChat?.();
  }

  /** The name of the player in a seat. */
  name(seat: number | null): string {
    return this.status?.seats[seat ?? -1]?.name ?? "";
  }

  // Messages from the server -------------------------------------------------------------------

  #onEvent(event: ConnectionEvent): void {
    switch (event.type) {
      case "link":
        this.#link = event.link;
        break;
      case "message":
        this.#onMessage(event.message);
        break;
      case "refused":
        this.problem = event.reason;
        break;
      case "forgotten":
        if (this.#scene) this.#scene = { ...this.#scene, lines: [] };
        break;
    }
  }

  /** Verified dice do not wait for what is being shown. */
  #withChains(table: Table | null, use: (chains: Chains) => void): void {
    if (table?.dice !== "verified") return;
    const load = async () =>
      new (await import("./chains")).Chains(this.id, (command) => void this.#command(command));
    this.#chains ??= load();
    this.#chains.then(use, () => (this.#chains = undefined)); // it is tried again with the next news
  }

  #onMessage(message: ServerMessage): void {
    if (message.type === "table") this.#withChains(message, (chains) => chains.open(message));
    if (message.type === "news") this.#withChains(this.table, (chains) => chains.hear(message));
    switch (message.type) {
      case "table":
        this.problem = ""; // outdated by the new state
        this.#taken = null;
        if (this.#showing && this.#coming?.status.seq === message.status.seq) {
          this.#scene = { ...this.#known(), table: message }; // the rest is about to be shown
          break;
        }
        if (this.#showing) this.rolling = false;
        this.#playback.clear();
        this.#coming = null;
        this.#open(message);
        break;
      case "news":
        this.problem = "";
        this.#coming = message;
        this.#greet(message.status);
        this.#playback.add(message);
        if (this.#taken !== null && !message.status.seats[this.#taken]?.open) this.reconnect();
        break;
      case "advice":
        if (message.seq === this.status?.seq) this.advice = message;
        break;
      case "working":
        this.working = message.part < 1 ? message : null;
        if (!this.working) this.#askCoach();
        break;
      case "trouble":
        this.trouble = message.what;
        break;
      case "presence":
        this.#away = message.away;
        break;
      case "problem":
        if (message.kind === "NotTaken") this.#withChains(this.table, (chains) => chains.refused());
        else if (message.kind !== "Stale" && message.kind !== "TooLate")
          this.problem = message.error; // after Stale, the missed entries follow
        break;
    }
  }

  /** Show a table that was just set up, and the dice that have been rolled since. */
  #begin({ table, before, entries }: TableOpened): void {
    this.#open({ ...table, view: before, log: [] });
    if (!entries.length) return;
    this.#coming = { type: "news", entries, status: table.status };
    this.#playback.add(this.#coming);
  }

  #open(table: Table): void {
    this.offset = table.now - this.device.now();
    this.trouble = table.trouble;
    this.#away = table.away;
    this.#scene = opened(this.#scene, table);
    this.#settle(table.status);
  }

  /** Whoever sits down has a name before the first dice are rolled. */
  #greet({ seats }: Status): void {
    const scene = this.#known();
    if (scene.status.due === "wait") this.#scene = { ...scene, status: { ...scene.status, seats } };
  }

  #known(): Scene {
    if (!this.#scene) throw new Error("The server sends the table before anything else.");
    return this.#scene;
  }

  #show(frame: Frame): void {
    this.#scene = shown(this.#known(), frame);
    this.rolling = frame.rolled ?? false;
    if (frame.sound) this.device.play(frame.sound);
    if (frame.said === undefined) return;
    this.said = frame.said;
    this.#cancelChat?.();
    this.#cancelChat = this.device.later(CHAT_SHOWN, () => (this.said = ""));
  }

  #settle(status: Status): void {
    const scene = (this.#scene = { ...this.#known(), status });
    this.#call(scene);
    this.#settled = scene;
    if (status.due === "over") this.#ready = null;
    if (this.advice?.seq !== status.seq) this.advice = null;
    this.#askCoach();
  }

  #call(scene: Scene): void {
    const seat = this.#settled && calledSeat(this.#settled, scene);
    if (seat === null) return;
    this.device.caller.call(`${this.name(seat)}, it is your turn`, scene.told);
  }

  #askCoach(): void {
    const asks = this.table?.coach && this.status?.due === "choose" && !this.advice;
    if (asks && this.seat !== null && this.#link.is === "online") {
      this.#command({ do: "advise", seat: this.seat });
    }
  }

  // Commands -----------------------------------------------------------------------------------

  /** Send a command that refers to the current state; returns whether it was sent. */
  send(command: Pick<Command, "do" | "seat"> & Partial<Command>): boolean {
    const sent = this.#command(command);
    this.problem = sent ? "" : "The connection is lost; reconnecting. Try again in a moment.";
    return sent;
  }

  #command(command: Pick<Command, "do" | "seat"> & Partial<Command>): boolean {
    if (!this.status) return false;
    return this.#connection.send({ text: "", other: null, seen: this.status.seq, ...command });
  }

  /** Make a choice; if what led to it is still being shown, see that first. */
  choose(choice: Choice): void {
    if (this.choosesNext) return this.skip();
    if (this.seat === null || !this.free) return;
    this.#ready = this.seat;
    this.acted = this.send({ do: "choose", seat: this.seat, text: choice.text }) || this.acted;
  }

  /** Roll; with real dice, `text` is what they show. */
  roll(text = ""): void {
    const { phase } = this;
    if ((phase.is !== "rolling" && phase.is !== "typing") || !this.free) return;
    this.#ready = this.status?.seat ?? phase.seat;
    this.acted = this.send({ do: "roll", seat: phase.seat, text }) || this.acted;
  }

  undo(): void {
    if (this.undoer !== null && this.free) this.send({ do: "undo", seat: this.undoer });
  }

  rematch(): void {
    const seat = this.table?.yours[0];
    if (seat !== undefined && !this.table?.challenge) this.send({ do: "rematch", seat });
  }

  /** The player of the acting seat now has the device. */
  takeDevice(): void {
    this.#ready = this.seat;
  }

  /** Skip the animation. */
  skip(): void {
    this.#playback.skip();
  }

  /** Skip the animation, and roll if that is due then. */
  goOn(): void {
    const rolls = this.rollsNext !== null;
    this.skip();
    if (rolls) this.roll();
  }

  /** Play for a seat that was taken on this device, as soon as the news of it is being shown. */
  sitDown(seat: number): void {
    const isNews =
      this.#link.is === "online" && (this.#coming?.status ?? this.status)?.seats[seat]?.open;
    if (isNews) this.#taken = seat;
    else this.reconnect();
  }

  /** Reconnect, to send a new hello with secrets added since. */
  reconnect(): void {
    this.#taken = null;
    this.#connection.reconnect();
  }
}
