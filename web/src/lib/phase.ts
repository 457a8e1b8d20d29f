// What a table is waiting for, as seen from this device.

import type { LinkState } from "./connection";
import type { Scene } from "./scene";
import type { Result, Status, Table } from "./types";

export type Phase =
  | { is: "opening" }
  /** The server has not answered yet. */
  | { is: "unreachable" }
  | { is: "gone"; reason: string }
  | { is: "lobby" }
  /** Log entries are being animated. */
  | { is: "showing" }
  | { is: "over"; result: Result }
  /** A roll of real dice has to be entered; `forBot`: it is a bot's roll. */
  | { is: "typing"; seat: number; forBot: boolean }
  | { is: "rolling"; seat: number }
  /** The device is passed to the player who chooses next. */
  | { is: "handing"; seat: number }
  | { is: "choosing"; seat: number }
  | { is: "waiting" };

export interface Facts {
  link: LinkState;
  scene: Pick<Scene, "table" | "status"> | null;
  showing: boolean;
  /** The status after what is being shown. */
  coming: Pick<Status, "due"> | null;
  /** The seat whose player has confirmed having the device. */
  ready: number | null;
}

export function phaseOf({ link, scene, showing, coming, ready }: Facts): Phase {
  if (link.is === "gone") return link;
  if (!scene) return { is: link.is === "lost" ? "unreachable" : "opening" };
  const { table, status } = scene;
  // When the last seat is taken, the lobby gives way before the first dice are rolled.
  const begins = showing && coming !== null && coming.due !== "wait";
  if (status.due === "wait" && !begins) return { is: "lobby" };
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

/** The seat on this device that has to act, unless a bot plays for it. */
export function actingSeat(table: Table, status: Status): number | null {
  const due = status.seat;
  if (due === null || status.seats[due]?.bot) return null;
  return table.yours.includes(due) ? due : null;
}

/** The seat that enters a bot's roll of real dice. */
function typistForBot(table: Table, status: Status): number | null {
  if (status.seat === null || !status.seats[status.seat]?.bot) return null;
  return table.yours[0] ?? null;
}

/** The seats on this device that are played by people. */
export function peopleOf(table: Table, status: Status): number[] {
  return table.yours.filter((seat) => !status.seats[seat]?.bot);
}

/** The value of `undoer` when any seat may undo. */
const ANYBODY = -1;

/** The seat on this device that may undo the last event. */
export function undoerOf(table: Table, status: Status): number | null {
  const seat = status.undoer;
  if (seat === ANYBODY) return table.yours[0] ?? null;
  return seat !== null && table.yours.includes(seat) ? seat : null;
}

/** Whether somebody on this device has to act, or the game is over. */
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

/** Whether a command can be sent now: connected or connecting, and the last one is answered. */
export function isFree(link: LinkState): boolean {
  return (link.is === "connecting" || link.is === "online") && !link.waiting;
}
