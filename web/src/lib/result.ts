// How a game ended, in words.

import type { Result, Seat } from "./types";
import { listed, number } from "./words";

/**
 * Who won, and by how much; or what somebody alone has made. `you`: the seat of the only player on
 * this device.
 */
export function headlineOf(
  result: Result,
  seats: readonly Seat[],
  you: number | null = null,
): string {
  const [only = 0] = result.scores;
  if (seats.length === 1) {
    const points = `${number(only)} ${only === 1 ? "point" : "points"}`;
    return you === null ? `${seats[0]?.name} makes ${points}` : `You make ${points}`;
  }
  const called = (seat: number) => (seat === you ? "You" : (seats[seat]?.name ?? ""));
  const { winners } = result;
  if (!winners.length) return "The game is over";
  if (winners.length > 1)
    return `${listed([...winners].sort((a, b) => Number(b === you) - Number(a === you)).map(called))} share the win`;
  const [winner = 0] = winners;
  const others = result.scores.filter((_, seat) => seat !== winner);
  const lead = (result.scores[winner] ?? 0) - Math.max(...others);
  const wins = winner === you ? "You win" : `${called(winner)} wins`;
  return others.length && lead > 0 ? `${wins} by ${number(lead)}` : wins;
}

/** Whether somebody on this device has won against others. */
export const isWon = (result: Result, mine: readonly number[]): boolean =>
  result.scores.length > 1 && result.winners.some((seat) => mine.includes(seat));
