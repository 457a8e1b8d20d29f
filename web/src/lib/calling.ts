// Calls the player when it is their turn: with a nudge, or aloud if the page is in the background.

import { actingSeat } from "./phase";
import type { Scene } from "./scene";

/** How the player wants to be called. */
export interface Wishes {
  callSound: boolean;
  callNotice: boolean;
}

/** A notification that is shown. */
export interface Notice {
  close(): void;
}

/** What calling needs from the browser. */
export interface Surroundings {
  isHidden(): boolean;
  wishes(): Wishes;
  ring(): void;
  /** Show a notification; throws where the browser shows none. */
  notify(title: string, text: string): Notice;
  /** Let a device in the hand vibrate. */
  nudge(): void;
}

type Turn = Pick<Scene, "table" | "status">;

/** The seat on this device whose turn it is, once all seats are taken. */
const turnOf = ({ table, status }: Turn): number | null =>
  status.due === "wait" ? null : actingSeat(table, status);

/** The seat on this device whose turn it has become, because somebody else did something. */
export function calledSeat(before: Scene, after: Scene): number | null {
  if (turnOf(before) !== null) return null;
  const { yours } = after.table;
  const happened = after.lines.slice(before.lines.length);
  const isByOthers = happened.some((line) => line.kind !== "say" && !yours.includes(line.seat));
  return isByOthers ? turnOf(after) : null;
}

export class Caller {
  #notice: Notice | undefined;

  constructor(readonly parts: Surroundings) {}

  /** Call the player; a nudge is enough while the page can be seen. */
  call(title: string, text: string): void {
    if (!this.parts.isHidden()) return this.parts.nudge();
    const { callSound, callNotice } = this.parts.wishes();
    const isShown = callNotice && this.#notify(title, text);
    if (callSound || (callNotice && !isShown)) this.parts.ring();
  }

  /** The player is back. */
  end(): void {
    this.#notice?.close();
    this.#notice = undefined;
  }

  #notify(title: string, text: string): boolean {
    this.end();
    try {
      this.#notice = this.parts.notify(title, text);
    } catch {
      return false; // not allowed any more, or only offered to installed apps
    }
    return true;
  }
}

/** Why notifications cannot be shown; `permission` is undefined if the browser offers none. */
export function whyNot(permission: NotificationPermission | undefined): string {
  switch (permission) {
    case "granted":
      return "";
    case "denied":
      return "Your browser blocks notifications from this page; allow them in its settings for this site.";
    case "default":
      return "Your browser was not allowed to show notifications.";
    default:
      return "Your browser offers no notifications here. Over plain http it shows them only on the machine that runs Hot Dice.";
  }
}
