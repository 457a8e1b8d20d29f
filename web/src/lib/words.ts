// Formats numbers and words, always in English like the rules.

const grouped = new Intl.NumberFormat("en");

/** A number with thousands separators and a proper minus sign. */
export const number = (value: number) => (value < 0 ? "−" : "") + grouped.format(Math.abs(value));

/** A number with its sign. */
export const signed = (value: number) => (value > 0 ? "+" : "") + number(value);

/** A part as so many of a hundred; never none or all, of which a sample knows nothing. */
export const ofHundred = (part: number) => Math.min(99, Math.max(1, Math.round(100 * part)));

export const capital = (word: string) => word.charAt(0).toUpperCase() + word.slice(1);

/** Names in a sentence: "Ann, Ben and Cleo". */
export const listed = (names: readonly string[]) =>
  [names.slice(0, -1).join(", "), names.at(-1)].filter(Boolean).join(" and ");
