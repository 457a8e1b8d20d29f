// Formats numbers and words, always in English like the rules.

const grouped = new Intl.NumberFormat("en");

/** A number with thousands separators and a proper minus sign. */
export const number = (value: number) => (value < 0 ? "−" : "") + grouped.format(Math.abs(value));

/** A number with its sign. */
export const signed = (value: number) => (value > 0 ? "+" : "") + number(value);

/** A part as so many of a hundred; never none or all, of which a sample knows nothing. */
export const ofHundred = (part: number) => Math.min(99, Math.max(1, Math.round(100 * part)));

export const capital = (word: string) => word.charAt(0).toUpperCase() + word.slice(1);
