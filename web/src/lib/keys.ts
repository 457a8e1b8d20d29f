// Keyboard control of a table.

import type { Phase } from "./phase";
import { everything, fitting, defaultSlot, type Slot } from "./selecting";
import type { Choice } from "./types";

/** A key press, and what had the focus. */
export interface Press {
  key: string;
  /** Whether Ctrl, Alt or Meta was held: such keys are left to the browser. */
  modified: boolean;
  on: "page" | "die" | "button" | "field";
}

/** What is possible at the moment. */
export interface Possible {
  phase: Phase["is"];
  /** Whether a sheet covers the table. */
  sheet: boolean;
  /** Whether this device has a seat. */
  seated: boolean;
  choices: readonly Choice[];
  slots: readonly Slot[];
  /** The codes of the selected dice. */
  codes: readonly number[];
  /** The text of the choice picked from a list. */
  wanted: string;
}

export type KeyAction =
  | { do: "close sheet" }
  | { do: "explain keys" }
  | { do: "show"; tab: "coach" | "log" }
  | { do: "skip" }
  | { do: "go on" }
  | { do: "select nothing" }
  | { do: "undo" }
  | { do: "rematch" }
  | { do: "roll" }
  | { do: "take device" }
  | { do: "toggle"; place: number }
  | { do: "pick"; choice: Choice }
  | { do: "choose"; choice: Choice };

/** What a key does now; null to leave it to the browser. */
export function actionOf(press: Press, now: Possible): KeyAction | null {
  const { key } = press;
  if (now.sheet && key === "Escape") return { do: "close sheet" };
  if (press.modified || press.on === "field") return null;
  if (key === "?") return { do: "explain keys" };
  if (key === "h") return { do: "show", tab: "coach" };
  if (key === "l") return { do: "show", tab: "log" };
  if (now.phase === "showing" && (key === " " || key === "Escape")) return { do: "skip" };
  if (key === "Escape") return { do: "select nothing" };
  if (key === "u") return { do: "undo" };
  // Space and Enter press the focused button; but Enter on a die works as if nothing had the focus.
  const onButton = press.on === "button" || (press.on === "die" && key !== "Enter");
  const goesOn = !onButton && (key === " " || key === "Enter");
  switch (now.phase) {
    case "showing":
      return early(key, onButton, now);
    case "over":
      return key === "r" && now.seated ? { do: "rematch" } : null;
    case "rolling":
      return key === "r" || goesOn ? { do: "roll" } : null;
    case "handing":
      return goesOn ? { do: "take device" } : null;
    case "choosing":
      return choosingAction(key, onButton, now);
    default:
      return null;
  }
}

/** While something is still being shown: make a choice that is known already, or roll. */
function early(key: string, onButton: boolean, now: Possible): KeyAction | null {
  return choiceAction(key, onButton, now) ?? (key === "r" ? { do: "go on" } : null);
}

function choosingAction(key: string, onButton: boolean, now: Possible): KeyAction | null {
  if (/^[1-9]$/.test(key)) return { do: "toggle", place: Number(key) - 1 };
  if (key === "a") {
    const all = everything(now.choices);
    return all ? { do: "pick", choice: all } : null;
  }
  return choiceAction(key, onButton, now);
}

function choiceAction(key: string, onButton: boolean, now: Possible): KeyAction | null {
  const slot =
    key === "Enter" && !onButton
      ? defaultSlot(now.slots, now.codes, now.wanted)
      : now.slots.find((one) => one.key === key);
  const choice = slot && fitting(slot, now.codes);
  return choice ? { do: "choose", choice } : null;
}

/** The keys of what can be chosen now, and what they do. */
export function keysOf(slots: readonly Slot[]): [key: string, what: string][] {
  const dice = slots.some((slot) => slot.choices.some((choice) => choice.dice.length));
  const selecting: [string, string][] = [
    ["1 to 9", "select or deselect the die in that position"],
    ["a", "select as many dice as can be taken together"],
  ];
  const named = slots.map((slot): [string, string] => {
    const [only, ...more] = slot.choices;
    const words = only && !more.length && !only.dice.length ? only.words : slot.word;
    return [slot.key, words.charAt(0).toLowerCase() + words.slice(1)];
  });
  return [...(dice ? selecting : []), ...named];
}

/** The tab that a key switches to, if any. */
export function tabAfter<Tab>(tabs: readonly Tab[], tab: Tab, key: string): Tab | undefined {
  const at = tabs.indexOf(tab);
  switch (key) {
    case "ArrowLeft":
      return tabs[(at + tabs.length - 1) % tabs.length];
    case "ArrowRight":
      return tabs[(at + 1) % tabs.length];
    case "Home":
      return tabs[0];
    case "End":
      return tabs[tabs.length - 1];
    default:
      return undefined;
  }
}

/** Keys of the table while real dice are entered. */
const TABLE_KEYS = new Set(["h", "l", "u"]);

/** Whether a key begins to type a roll, wherever the focus is. */
export const typesRoll = ({ key, modified, on }: Press) =>
  !modified && on !== "field" && /^[\p{L}\d]$/u.test(key) && !TABLE_KEYS.has(key);

/** A keyboard event as a `Press`. */
export function readPress(event: KeyboardEvent): Press {
  const target = event.target as Element;
  const modified = event.ctrlKey || event.metaKey || event.altKey;
  return { key: event.key, modified, on: focusOf(target) };
}

function focusOf(target: Element): Press["on"] {
  if (target.closest("input, select, textarea, dialog")) return "field";
  if (target.closest(".tray")) return "die";
  return target.closest("button, a") ? "button" : "page";
}
