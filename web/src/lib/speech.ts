// What the coach says at the table.

import type { Advice } from "./types";

/** The best choice and the reason for it, as one would say it. */
export function speechOf(advice: Advice | null): string {
  const [best] = advice?.counsels ?? [];
  if (!best) return "";
  const effect = best.effect.charAt(0).toLowerCase() + best.effect.slice(1);
  const choice = best.effect ? `${best.words}: ${effect}.` : `${best.words}.`;
  return `${choice} ${best.why}`;
}
