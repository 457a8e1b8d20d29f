// Which games have been played on this device: a new one is introduced.

const STORED = "hotdice.met";

function known(): string[] {
  try {
    const found: unknown = JSON.parse(localStorage.getItem(STORED) ?? "[]");
    return Array.isArray(found) ? found.filter((one) => typeof one === "string") : [];
  } catch {
    return [];
  }
}

export const hasMet = (game: string): boolean => known().includes(game);

export function meet(game: string): void {
  if (hasMet(game)) return;
  try {
    localStorage.setItem(STORED, JSON.stringify([...known(), game]));
  } catch {
    // storage is blocked; the game is introduced again next time
  }
}
