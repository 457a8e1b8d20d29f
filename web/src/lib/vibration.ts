// What can be felt, on devices that vibrate. Each event has a pattern of its own, in milliseconds on and off.

import { settings } from "./settings.svelte";
import type { Sound } from "./sound";

/** What can be felt: what can be heard, and the beginning of one's own turn. */
export type Touch = Sound | "turn";

const PATTERNS: Partial<Record<Touch, number[]>> = {
  roll: [12, 50, 10, 60, 8],
  bank: [35],
  bust: [90, 50, 140],
  hot: [20, 40, 20, 40, 20, 40, 60],
  win: [40, 60, 40, 60, 120],
  turn: [25, 90, 25],
};

/** Whether this device can vibrate: desktop browsers offer it too, but have nothing that would. */
export const canVibrate = (): boolean =>
  typeof navigator.vibrate === "function" && matchMedia("(any-pointer: coarse)").matches;

const isStill = (): boolean => matchMedia("(prefers-reduced-motion: reduce)").matches;

/** Let the device vibrate, unless the player or the system wants none of it. */
export function vibrate(what: Touch): void {
  const pattern = PATTERNS[what];
  if (!pattern || !settings.vibration || !canVibrate() || isStill()) return;
  if (!navigator.userActivation.hasBeenActive) return; // refused before the first touch of the page
  navigator.vibrate(pattern);
}
