export type Cancel = () => void;

/** Calls back after a delay, unless cancelled. */
export type Later = (milliseconds: number, call: () => void) => Cancel;

export const later: Later = (milliseconds, call) => {
  const timer = setTimeout(call, milliseconds);
  return () => clearTimeout(timer);
};
