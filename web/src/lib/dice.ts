import type { DieDue, DieFace, DieView } from "./types";

/** A die with pips, independent of any game. */
export const pipDie = (pips: number, colour: string): DieFace => ({
  token: "",
  label: String(pips),
  colour,
  ring: false,
  drawn: "pips",
  pips,
  flag: "",
  called: colour === "white" ? "" : colour,
  name: "",
});

/** A die that has to be rolled, showing a face. */
export const dieShowing = (die: DieDue, face: DieDue["faces"][number]): DieFace => ({
  ...face,
  colour: die.colour,
  called: die.called,
});

/** The number of a die among equal ones, from 0. */
export const nthOf = (dice: readonly DieFace[], at: number): number =>
  dice.slice(0, at).filter((die) => die.token === dice[at]?.token).length;

/** The name of a die for screen readers. */
export const nameOf = (die: DieFace): string => die.name || `${die.called} ${die.label}`.trim();

/** A key for the way of a die across the table: its face, and its number among equal dice. */
export const keyOf = (die: Pick<DieView, "code">, nth: number): string => `${die.code}/${nth}`;
