// How a game ended, in words.

import type { Result, Seat } from "./types";
import { number } from "./words";

/** Who won, and by how much; or what somebody alone has made. */
export function headlineOf(result: Result, seats: readonly Seat[]): string {
  const [only = 0] = result.scores;
  if (seats.length === 1)
    return `${seats[0]?.name} makes ${number(only)} ${only === 1 ? "point" : "points"}`;
  const names = result.winners.map((seat) => seats[seat]?.name ?? "");
  if (!names.length) return "The game is over";
  if (names.length > 1) return `${names.join(" and ")} share the win`;
  const [winner = 0] = result.winners;
  const others = result.scores.filter((_, seat) => seat !== winner);
  const lead = (result.scores[winner] ?? 0) - Math.max(...others);
  return others.length && lead > 0 ? `${names[0]} wins by ${number(lead)}` : `${names[0]} wins`;
}
