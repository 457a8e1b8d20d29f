// Answers of the server that can be read again without it: the games, and the rules that were opened.

const PREFIX = "hotdice.kept.";

/** Keep an answer on this device. */
export function keep(path: string, answer: unknown): void {
  try {
    localStorage.setItem(PREFIX + path, JSON.stringify(answer));
  } catch {
    // storage is blocked or full; then this cannot be read without the server
  }
}

/** The last answer, if it was kept. */
export function kept<T>(path: string): T | undefined {
  try {
    const found = localStorage.getItem(PREFIX + path);
    return found === null ? undefined : (JSON.parse(found) as T);
  } catch {
    return undefined;
  }
}
