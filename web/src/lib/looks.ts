import type { DieDue, Look } from "./types";

/** A die with pips that belongs to no game. */
export const pipDie = (pips: number, colour: string): Look => ({
  label: String(pips),
  colour,
  ring: false,
  drawn: "pips",
  pips,
  flag: "",
  called: colour === "white" ? "" : colour,
});

/** A die that has to be rolled, showing one of its faces. */
export const dieShowing = (die: DieDue, face: DieDue["faces"][number]): Look => ({
  ...face,
  colour: die.colour,
  called: die.called,
});

/** What a die is called when it is read out. */
export const nameOf = (die: Look): string => `${die.called} ${die.label}`.trim();
