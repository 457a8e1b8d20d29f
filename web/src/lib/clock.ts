// Time at a table, in seconds.

/** Seconds until the deadline, at least 0; null without a deadline. */
export const secondsLeft = (deadline: number | null, now: number): number | null =>
  deadline ? Math.max(0, Math.ceil(deadline - now)) : null;

const twoDigits = (count: number) => String(count).padStart(2, "0");

/** Seconds in clock format: `0:05`, `12:00`, `1:00:00`. */
export function clockText(seconds: number): string {
  const [minutes, hours] = [Math.floor(seconds / 60), Math.floor(seconds / 3600)];
  const whole = hours ? `${hours}:${twoDigits(minutes % 60)}` : String(minutes);
  return `${whole}:${twoDigits(seconds % 60)}`;
}
