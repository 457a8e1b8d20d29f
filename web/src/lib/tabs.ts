/** The tabs beside the table. */
export const TABS = ["choices", "coach", "how", "log", "seats"] as const;
export type Tab = (typeof TABS)[number];
