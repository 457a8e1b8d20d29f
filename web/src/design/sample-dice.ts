// Made-up dice in every state: rolling, blank, on the rail, with words that tell colours apart.

import type { DieDue, DieFace, DieView, Look, View } from "../lib/types";
import { dice, view } from "./samples";

/** A look without drawings, as a game has that brings none. */
export const plain = { sample: [] as DieView[] } as Look;

const face = (more: Partial<DieFace>): DieFace => ({
  token: "",
  label: "5",
  colour: "white",
  ring: false,
  drawn: "pips",
  pips: 5,
  flag: "",
  called: "",
  name: "",
  ...more,
});

export const coloured: DieFace[] = ["red", "black", "green", "yellow", "grey"].map((colour) =>
  face({ colour, called: colour, ring: colour === "black" }),
);
export const flags: DieFace[] = ["green", "yellow", "red", "black"].map((flag) =>
  face({ label: flag, drawn: "flag", pips: 0, flag, called: "flag" }),
);
export const written = face({
  label: "25",
  colour: "black",
  ring: true,
  drawn: "text",
  pips: 0,
  called: "black",
});

/** Dice that have yet to be rolled: they show no face. */
export const blank = (look: Look): View =>
  view(look, {
    dice: ["black", "black", "green", "green", "white", "white"].map((colour, code) => ({
      ...face({ token: colour, label: colour, colour, drawn: "blank", pips: 0, called: colour }),
      code,
      kind: colour,
      place: "tray",
    })),
    groups: [],
    badges: [],
  });

const placed = (all: readonly DieView[], places: DieView["place"][]): DieView[] =>
  all.slice(0, places.length).map((die, at) => ({ ...die, place: places[at] ?? "tray" }));

/** Sets on the rail with their points, and at its other end dice that are dead. */
export const grouped = (look: Look): View => {
  const all = dice(look);
  const kept = placed(all, ["kept", "kept", "kept"]);
  return view(look, {
    dice: [...placed(all.slice(3), ["tray"]), ...kept, ...placed(all, ["dead", "dead"])],
    groups: [
      { dice: kept.slice(0, 2), points: 20, words: "two alike" },
      { dice: kept.slice(2), points: 5, words: "one" },
    ],
    badges: [],
  });
};

/** Dice that were taken without points, and locked ones. */
export const taken = (look: Look): View => {
  const all = dice(look);
  return view(look, {
    dice: [...placed(all.slice(3), ["tray"]), ...placed(all, ["kept", "kept", "locked", "locked"])],
    groups: [],
    badges: [],
  });
};

/** Real dice that have to be rolled and entered. */
export const due: DieDue[] = ["white", "white", "red"].map((colour) => ({
  kind: colour === "white" ? "die" : colour,
  colour,
  called: colour === "white" ? "" : colour,
  faces: [1, 2, 3, 4, 5, 6].map((pips) => ({
    token: String(pips),
    label: String(pips),
    ring: false,
    drawn: "pips",
    pips,
    flag: "",
    name: "",
  })),
}));
