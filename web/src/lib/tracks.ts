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

/**
 * Where to draw what stands at these places, from 0 to 100, so that neighbours are a gap apart: in the
 * same order, and as near to their places as possible.
 */
export function apart(places: readonly number[], gap: number): number[] {
  const order = places.map((_, at) => at).sort((a, b) => (places[a] ?? 0) - (places[b] ?? 0));
  // Without the gaps they may coincide, but nobody may overtake; whoever would is drawn with the
  // one before, where both are nearest to their places.
  const blocks: { sum: number; count: number }[] = [];
  const middle = ({ sum, count }: { sum: number; count: number }) => sum / count;
  order.forEach((at, rank) => {
    let last = { sum: (places[at] ?? 0) - rank * gap, count: 1 };
    for (let before = blocks.at(-1); before && middle(before) > middle(last);) {
      last = { sum: before.sum + last.sum, count: before.count + last.count };
      blocks.pop();
      before = blocks.at(-1);
    }
    blocks.push(last);
  });
  const most = Math.max(0, 100 - (places.length - 1) * gap);
  const starts = blocks.flatMap((block) => {
    const start = Math.max(0, Math.min(most, middle(block)));
    return Array.from({ length: block.count }, () => start);
  });
  const found: number[] = [];
  order.forEach((at, rank) => (found[at] = (starts[rank] ?? 0) + rank * gap));
  return found;
}

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
