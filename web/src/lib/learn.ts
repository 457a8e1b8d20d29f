// Learning: what is said about positions, answers, streaks and guesses.

import type { Answer, Calibration, Streak, View } from "./types";
import { capital } from "./words";

const days = (count: number) => (count === 1 ? "a day" : `${count} days`);

/** When a position comes back; empty if it does not. */
export function againWords(again: number | null): string {
  if (again === null) return "";
  return again === 1 ? "It comes back tomorrow." : `It comes back in ${days(again)}.`;
}

/** A streak as text; empty if there is none. */
export function streakWords({ days: count, right }: Streak): string {
  if (!count) return "";
  const whole = `Streak: ${count === 1 ? "1 day" : `${count} days`}`;
  return right < count ? `${whole}, ${right} right at first try` : `${whole}, all right`;
}

/** How often in ten; what is rare is not never. */
function often(chance: number): string {
  const tenths = Math.round(10 * chance);
  if (tenths >= 10) return "always";
  if (tenths < 1) return "hardly ever";
  return tenths === 1 ? "once in 10" : `${tenths} times in 10`;
}

/** Which bots would have missed a position; the weakest one misses much anyway. */
export function missWords(misses: Answer["misses"]): string {
  const told = misses.filter(({ level, chance }) => level !== "random" && chance >= 0.05);
  if (!told.length) return "";
  const parts = told.map(({ level, chance }) => `${level} (${often(chance)})`);
  return `Missed by bots: ${parts.join(", ")}.`;
}

/** The first words about an answer. */
export const verdictWords = ({ right }: Answer) =>
  right ? "Right, that is best!" : "There is something better";

/** What a player sees in place of names: whose turn it is, is theirs. */
export function namesAt(view: View): string[] {
  const others = view.tracks.length - 1;
  return view.tracks.map(({ seat }) => {
    if (seat === view.seat) return "You";
    return others === 1 ? "Rival" : `Rival ${seat + 1}`;
  });
}

const whole = (part: number) => Math.round(100 * part);

/** How well guesses fit, in a sentence with their number. */
export function calibrationWords({ guesses, error, words }: Calibration): string {
  if (!guesses) return "No guesses yet.";
  const count = guesses === 1 ? "1 guess" : `${guesses} guesses`;
  return `${count}: off by ${whole(error)} points on average, ${words}.`;
}

/** The guesses at chances of some size, in words. */
export function bandWords({ low, high, guesses, lean }: Calibration["bands"][number]): string {
  const points = whole(Math.abs(lean));
  const way = points ? `${points} too ${lean > 0 ? "high" : "low"}` : "spot on";
  return `${capital(`${whole(low)} to ${whole(high)} %`)}: ${way} (${guesses})`;
}

/** What is not listed and why, in a sentence; empty if everything is. */
export function hiddenWords(hidden: readonly { count: number; why: string }[]): string {
  if (!hidden.length) return "All of them are listed.";
  return `Not listed: ${hidden.map(({ count, why }) => `${count} ${why}`).join("; ")}.`;
}
