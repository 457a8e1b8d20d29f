// An open table: puts connection, playback and scene together for the parts of the page.

import { browserDevice, type Device } from "./browser";
import { Connection, type Heard, type Line } from "./connection";
import { takeHanded } from "./handed";
import { playerKey, secretsOf } from "./identity";
import { actingSeat, isFree, peopleOf, phaseOf, undoerOf } from "./phase";
import { Playback } from "./playback";
import { opened, shown, type Frame, type Scene } from "./scene";
import type { Cancel } from "./timers";
import type { Advice, Choice, Command, Said, Status, Table, Working } from "./types";

/** How many milliseconds words stay on the table. */
const SAID = 12_000;

export class OpenTable {
  #scene = $state.raw<Scene | null>(null);
  #line = $state.raw<Line>({ is: "connecting", waiting: false });
  #showing = $state(false);
  #ready = $state<number | null>(null);
  advice = $state.raw<Advice | null>(null);
  working = $state.raw<Working | null>(null);
  /** What somebody has just said. */
  said = $state("");
  /** Why the last command was refused. */
  problem = $state("");
  /** What is wrong with the server. */
  trouble = $state("");

  table = $derived(this.#scene?.table ?? null);
  status = $derived(this.#scene?.status ?? null);
  view = $derived(this.#scene?.view ?? null);
  lines = $derived(this.#scene?.lines ?? []);
  told = $derived(this.#scene?.told ?? "");
  rolls = $derived(this.#scene?.rolls ?? 0);
  bust = $derived(this.#scene?.bust ?? false);
  phase = $derived(
    phaseOf({ line: this.#line, scene: this.#scene, showing: this.#showing, ready: this.#ready }),
  );
  lost = $derived(this.#line.is === "lost");
  /** Whether a command can be given now. */
  free = $derived(isFree(this.#line));
  /** The seat on this device that has to act. */
  seat = $derived(this.#scene && actingSeat(this.#scene.table, this.#scene.status));
  /** The seats on this device that people play. */
  people = $derived(this.#scene ? peopleOf(this.#scene.table, this.#scene.status) : []);
  /** The seat on this device that may take something back. */
  undoer = $derived(
    this.#scene && !this.#showing ? undoerOf(this.#scene.table, this.#scene.status) : null,
  );
  /** The number of the last thing that happened, words apart. */
  moved = $derived(this.lines.findLast((line) => line.kind !== "say")?.seq ?? 0);
  /** Whether something is being shown, or the server has yet to answer. */
  busy = $derived(this.#showing || ("waiting" in this.#line && this.#line.waiting));
  /** By how many seconds the server's clock is ahead of ours. */
  offset = 0;

  #connection: Connection;
  #playback: Playback;
  #cancelReturn: Cancel;
  #cancelSaid: Cancel | undefined;

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
    const hear = (heard: Heard) => this.#hear(heard);
    this.#connection = new Connection({ dial, later, hello, hear }, known !== undefined);
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
    if (known) {
      this.#open(known);
      this.#scene = { ...this.#known(), rolls: 1 };
    }
    this.#connection.start();
    this.#cancelReturn = device.onReturn(() => this.#connection.retry());
  }

  close(): void {
    this.#connection.close();
    this.#playback.clear();
    this.#cancelReturn();
    this.#cancelSaid?.();
  }

  /** The name of whoever sits there. */
  name(seat: number | null): string {
    return this.status?.seats[seat ?? -1]?.name ?? "";
  }

  // What the server says -----------------------------------------------------------------------

  #hear(heard: Heard): void {
    switch (heard.type) {
      case "line":
        this.#line = heard.line;
        break;
      case "said":
        this.#hearSaid(heard.said);
        break;
      case "refused":
        this.problem = heard.reason;
        break;
      case "forgotten":
        if (this.#scene) this.#scene = { ...this.#scene, lines: [] };
        break;
    }
  }

  #hearSaid(said: Said): void {
    switch (said.type) {
      case "table":
        this.#playback.clear();
        this.problem = ""; // whatever it was, this is how the table stands
        this.#open(said);
        break;
      case "news":
        this.problem = "";
        this.#playback.add(said);
        break;
      case "advice":
        if (said.seq === this.status?.seq) this.advice = said;
        break;
      case "working":
        this.working = said.part < 1 ? said : null;
        if (!this.working) this.#askCoach();
        break;
      case "trouble":
        this.trouble = said.what;
        break;
      case "problem":
        if (said.kind !== "Stale") this.problem = said.error; // else what was missed is on its way
        break;
    }
  }

  #open(table: Table): void {
    this.offset = table.now - this.device.now();
    this.trouble = table.trouble;
    this.#scene = opened(this.#scene, table);
    this.#settle(table.status);
  }

  #known(): Scene {
    if (!this.#scene) throw new Error("The server sends the table before anything else.");
    return this.#scene;
  }

  #show(frame: Frame): void {
    this.#scene = shown(this.#known(), frame);
    if (frame.sound) this.device.play(frame.sound);
    if (frame.said === undefined) return;
    this.said = frame.said;
    this.#cancelSaid?.();
    this.#cancelSaid = this.device.later(SAID, () => (this.said = ""));
  }

  #settle(status: Status): void {
    this.#scene = { ...this.#known(), status };
    if (status.due === "over") this.#ready = null;
    if (this.advice?.seq !== status.seq) this.advice = null;
    this.#askCoach();
  }

  #askCoach(): void {
    const asks = this.table?.coach && this.status?.due === "choose" && !this.advice;
    if (asks && this.seat !== null && this.#line.is === "online") {
      this.#command({ do: "advise", seat: this.seat });
    }
  }

  // What people do -----------------------------------------------------------------------------

  /** Do something, having seen the table as it stands; says whether it was sent. */
  send(command: Pick<Command, "do" | "seat"> & Partial<Command>): boolean {
    const sent = this.#command(command);
    this.problem = sent ? "" : "The connection is lost for the moment; it comes back by itself.";
    return sent;
  }

  #command(command: Pick<Command, "do" | "seat"> & Partial<Command>): boolean {
    if (!this.status) return false;
    return this.#connection.send({ text: "", other: null, seen: this.status.seq, ...command });
  }

  choose(choice: Choice): void {
    if (this.seat === null || !this.free) return;
    this.#ready = this.seat;
    this.send({ do: "choose", seat: this.seat, text: choice.text });
  }

  /** Roll; with real dice, `text` is what they show. */
  roll(text = ""): void {
    const { phase } = this;
    if ((phase.is !== "rolling" && phase.is !== "typing") || !this.free) return;
    this.#ready = this.status?.seat ?? phase.seat;
    this.send({ do: "roll", seat: phase.seat, text });
  }

  undo(): void {
    if (this.undoer !== null && this.free) this.send({ do: "undo", seat: this.undoer });
  }

  rematch(): void {
    const seat = this.table?.yours[0];
    if (seat !== undefined) this.send({ do: "rematch", seat });
  }

  /** The seat that chooses next has the device. */
  takeDevice(): void {
    this.#ready = this.seat;
  }

  /** Come to the end of what is being shown. */
  skip(): void {
    this.#playback.skip();
  }

  /** Say hello again, with what this device has learnt meanwhile. */
  reconnect(): void {
    this.#connection.reconnect();
  }
}
