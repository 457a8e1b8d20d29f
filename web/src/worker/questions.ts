// What pages ask a service worker, and the lock that keeps it waiting.

/** Both are answered with yes or no. */
export type Question =
  /** Whether a file belongs to the worker's build. */
  | { ask: "has"; path: string }
  /** To replace the version in use, unless a game is open. */
  | { ask: "take" };

/** Held, shared, by every tab with a running game. The browser releases it when the tab is closed. */
export const GAME_LOCK = "hotdice-game";
