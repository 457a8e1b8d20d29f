// What a table is waiting for, as seen from this device: one of these, never two.

import type { Line } from "./connection";
import type { Scene } from "./scene";
import type { Result, Status, Table } from "./types";

export type Phase =
  | { is: "opening" }
  /** The server has not answered yet. */
  | { is: "unreachable" }
  | { is: "gone"; reason: string }
  | { is: "lobby" }
  /** Something that happened is being shown. */
  | { is: "showing" }
  | { is: "over"; result: Result }
  /** A roll of real dice is to be entered; `forBot` if a bot's. */
  | { is: "typing"; seat: number; forBot: boolean }
  | { is: "rolling"; seat: number }
  /** The device goes to the seat that chooses next. */
  | { is: "handing"; seat: number }
  | { is: "choosing"; seat: number }
  | { is: "waiting" };

export interface Facts {
  line: Line;
  scene: Pick<Scene, "table" | "status"> | null;
  showing: boolean;
  /** The seat that has said that it has the device. */
  ready: number | null;
}

export function phaseOf({ line, scene, showing, ready }: Facts): Phase {
  if (line.is === "gone") return line;
  if (!scene) return { is: line.is === "lost" ? "unreachable" : "opening" };
  const { table, status } = scene;
  if (status.due === "wait") return { is: "lobby" };
  if (showing) return { is: "showing" };
  if (status.result) return { is: "over", result: status.result };
  const seat = actingSeat(table, status);
  if (status.due === "roll" && table.dice === "typed") {
    const typist = seat ?? typistForBot(table, status);
    return typist === null
      ? { is: "waiting" }
      : { is: "typing", seat: typist, forBot: seat === null };
  }
  if (seat === null) return { is: "waiting" };
  if (status.due === "roll") return { is: "rolling", seat };
  if (status.due !== "choose") return { is: "waiting" };
  const isShared = peopleOf(table, status).length > 1;
  return { is: isShared && ready !== seat && status.seq > 1 ? "handing" : "choosing", seat };
}

/** The seat on this device that has to act; not while a bot plays for it. */
export function actingSeat(table: Table, status: Status): number | null {
  const due = status.seat;
  if (due === null || status.seats[due]?.bot) return null;
  return table.yours.includes(due) ? due : null;
}

/** The seat that enters what a bot rolled with real dice. */
function typistForBot(table: Table, status: Status): number | null {
  if (status.seat === null || !status.seats[status.seat]?.bot) return null;
  return table.yours[0] ?? null;
}

/** The seats on this device that people play. */
export function peopleOf(table: Table, status: Status): number[] {
  return table.yours.filter((seat) => !status.seats[seat]?.bot);
}

/** What stands for any seat where the server says who may take something back. */
const ANYBODY = -1;

/** The seat on this device that may take back what was done last. */
export function undoerOf(table: Table, status: Status): number | null {
  const seat = status.undoer;
  if (seat === ANYBODY) return table.yours[0] ?? null;
  return seat !== null && table.yours.includes(seat) ? seat : null;
}

/** Whether somebody on this device has something to do, or to read at the end. */
export function isOurTurn(phase: Phase): boolean {
  switch (phase.is) {
    case "over":
    case "rolling":
    case "handing":
    case "choosing":
      return true;
    case "typing":
      return !phase.forBot;
    default:
      return false;
  }
}

/** Whether a command can be given now: the server is there and has answered the last one. */
export function isFree(line: Line): boolean {
  return (line.is === "connecting" || line.is === "online") && !line.waiting;
}
