// What is on the screen of a table, and how it changes. Timing is up to `playback.ts`.

import type { Sound } from "./sound";
import type { DieView, Entry, LogLine, Status, Table, View } from "./types";

export interface Scene {
  table: Table;
  status: Status;
  view: View;
  /** The log as far as it has been shown. */
  lines: readonly LogLine[];
  /** The last entry that is not chat, as a sentence. */
  told: string;
  /** The number of rolls shown; each change starts the tumbling animation. */
  rolls: number;
  /** Whether the dice shown are a bust. */
  bust: boolean;
  /** What is said in place of the dice; empty for nothing. */
  banner: string;
  /** How long animations take, as a part of their usual time. */
  pace: number;
}

/** One change of the scene, and how many milliseconds to show it. */
export interface Frame {
  line?: LogLine;
  view?: View;
  told?: string;
  said?: string;
  rolled?: boolean;
  bust?: boolean;
  /** Shown for as long as it takes to read, however much there is to show. */
  banner?: string;
  sound?: Sound;
  pause: number;
  /** How long animations take, as a part of their usual time. */
  pace?: number;
}

/** Until the dice lie still. */
export const LAND = 460;
/** To see a bust, or one's own dice before they are gone. */
const HOLD = 1300;
/** To see what somebody else rolled, or how their turn ended. */
const STEP = 600;
/** To see which dice somebody else keeps before the others are rolled: keep and roll are one beat. */
const BEAT = 350;
const OWN_STEP = 200;
/** To see all dice glow on the rail. */
const KINDLE = 650;
/** One's own dice are on their way to the rail while the others are thrown. */
const OWN_BEAT = 60;
/** To read who starts. */
const READ = 1200;
/** To see how a game of a series ended. */
const BETWEEN = 1800;

/** Whether an entry leaves what is on the table alone: chat, or a step towards verified dice. */
export const isAside = (kind: string): boolean =>
  ["say", "chain", "ask", "link", "draw"].includes(kind);

/** The scene after receiving the whole table; lines already shown are kept. */
export function opened(before: Scene | null, table: Table): Scene {
  const known = before?.lines ?? [];
  const lines = [...known, ...table.log.filter((line) => line.seq > known.length)];
  const told = lines.findLast((line) => !isAside(line.kind))?.told ?? "";
  const { status, view } = table;
  return {
    table,
    status,
    view,
    lines,
    told,
    rolls: before?.rolls ?? 0,
    bust: false,
    banner: "",
    pace: 1,
  };
}

/** The scene after a frame. */
export function shown(scene: Scene, frame: Frame): Scene {
  return {
    ...scene,
    lines: frame.line ? [...scene.lines, frame.line] : scene.lines,
    view: frame.view ?? scene.view,
    told: frame.told ?? scene.told,
    rolls: scene.rolls + Number(frame.rolled ?? false),
    bust: frame.bust ?? scene.bust,
    banner: frame.banner ?? "",
    pace: frame.pace ?? 1,
  };
}

/**
 * The animation frames of a log entry; `own`: it comes from a seat on this device; `rollsOn`: a roll
 * follows.
 */
export function framesOf(entry: Entry, before: View, own: boolean, rollsOn = false): Frame[] {
  if (entry.kind === "say") return [{ line: entry, said: entry.told, pause: 0 }];
  if (isAside(entry.kind)) return [{ line: entry, pause: 0 }];
  if (entry.kind === "roll") return rollFrames(entry, before, own);
  const view = withLastDice(entry, before);
  const frame: Frame = { line: entry, view, told: entry.told, pause: 0 };
  if (entry.kind === "choose") {
    if (own) frame.pause = rollsOn ? OWN_BEAT : OWN_STEP;
    else frame.pause = rollsOn ? BEAT : STEP;
    if (isHot(entry) && rollsOn) frame.pause = KINDLE;
    frame.sound = endSound(entry) ?? chosenSound(entry);
  }
  // Between two games of a series, the last position is seen with what came of it.
  if (entry.ended)
    return [
      { ...frame, view: entry.ended, pause: BETWEEN },
      { view, pause: 0 },
    ];
  return [frame];
}

const isHot = (entry: Entry): boolean => entry.kind === "choose" && entry.view.mood === "hot";

/** The view after an entry; at the end of a game the last dice are still lying there. */
function withLastDice({ view }: Entry, { dice, groups }: Pick<View, "dice" | "groups">): View {
  return view.seat === null && !view.dice.length ? { ...view, dice, groups } : view;
}

/** The sound of the end of a game, if this entry ends it. */
const endSound = (entry: Entry): Sound | undefined =>
  entry.view.seat === null ? "win" : undefined;

/** The sound of a choice: dice that have become hot are told apart. */
function chosenSound(entry: Entry): Sound {
  if (entry.ends_turn) return "bank";
  return isHot(entry) ? "hot" : "keep";
}

function rollFrames(entry: Entry, before: View, own: boolean): Frame[] {
  const ends = entry.ends_turn;
  /** Whether the dice are gone after this: then they are seen for a while. */
  const gone = ends || entry.rolled.length > 0;
  const there = before.mood === "hot" ? [] : before.dice; // hot dice are all thrown
  const dice = gone ? landed(there, entry.rolled) : rolling(before.dice, entry.view.dice);
  const tumbling: Frame = {
    line: entry,
    view: { ...before, dice, choices: [], blocked: [] }, // nothing tells before they lie
    rolled: true,
    sound: "roll",
    pause: LAND,
  };
  const lying: Frame = { told: entry.told, bust: entry.lost, pause: own ? 0 : STEP };
  if (entry.ended) lying.view = { ...entry.ended, dice };
  else if (!gone) lying.view = entry.view;
  if (entry.ended) lying.pause = BETWEEN;
  else if (gone) lying.pause = own || (ends && entry.lost) ? HOLD : STEP;
  const sound = endSound(entry) ?? (entry.lost ? "bust" : undefined);
  if (sound) lying.sound = sound;
  const table = { ...before, dice: [], choices: [], blocked: [] };
  const starts: Frame = { view: table, banner: entry.told, pause: READ };
  return [
    tumbling,
    lying,
    ...(entry.starts ? [starts] : []),
    { view: withLastDice(entry, { ...before, dice }), bust: false, pause: 0 },
  ];
}

/** The rolled dice, together with those kept before. */
function landed(before: readonly DieView[], rolled: readonly DieView[]): DieView[] {
  return [...before.filter((die) => die.place !== "tray"), ...rolled];
}

/** The dice while they tumble: those that die with this roll are still in the tray. */
function rolling(before: readonly DieView[], after: readonly DieView[]): DieView[] {
  let old = before.filter((die) => die.place === "dead").length;
  return after.map((die) => (die.place === "dead" && --old < 0 ? { ...die, place: "tray" } : die));
}
