// Numbers and words as the pages write them: in English, as the rules do.

const grouped = new Intl.NumberFormat("en");

/** A number with its thousands apart and a true minus. */
export const number = (value: number) => (value < 0 ? "−" : "") + grouped.format(Math.abs(value));

/** A gain or a loss. */
export const signed = (value: number) => (value > 0 ? "+" : "") + number(value);

export const capital = (word: string) => word.charAt(0).toUpperCase() + word.slice(1);
