// Where scores stand on their way to a goal.

import type { Track } from "./types";

/** The score at the end of the way: the goal, or what somebody has or hopes for beyond it. */
export function farthest(tracks: readonly Track[]): number {
  const reached = tracks.map((track) => track.value + Math.max(0, track.pending));
  return Math.max(1, ...tracks.map((track) => track.goal ?? 0), ...reached);
}

/** How far along the way a score is, in percent. */
export const percentAlong = (score: number, end: number) =>
  Math.max(0, Math.min(100, (100 * score) / end));

/** The number of steps that are drawn at most. */
const MOST_STEPS = 50;

/** Fewer would not show who leads. */
const FEWEST_STEPS = 12;

/** The points of one step: as the look says, or others if these were too many or too few. */
export function stepOf(step: number, end: number): number {
  if (end / step < FEWEST_STEPS) return Math.max(1, Math.floor(end / 30));
  return step * Math.max(1, Math.ceil(end / step / MOST_STEPS));
}

/** The last step that a score has reached; the first counts as soon as there are points. */
export function stepBelow(score: number, step: number): number {
  return score > 0 ? Math.max(step, Math.floor(score / step) * step) : 0;
}
