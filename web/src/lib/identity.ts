// Who plays on this device: a key that only this device knows, names, and secrets that came by link.

const KEY = "hotdice.player";
const NAME = "hotdice.name";
/** What somebody is called who has not said it. */
export const UNNAMED = "Player";
const SECRETS = "hotdice.secrets";

function read(name: string): string {
  try {
    return localStorage.getItem(name) ?? "";
  } catch {
    return ""; // storage may be closed to us; then a game lasts as long as its page
  }
}

function write(name: string, value: string): void {
  try {
    localStorage.setItem(name, value);
  } catch {
    // as above
  }
}

let key = "";

/** The key of this device's player, made up on first use. */
export function playerKey(): string {
  key ||= read(KEY);
  if (!key) {
    const bytes = crypto.getRandomValues(new Uint8Array(24));
    key = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
    write(KEY, key);
  }
  return key;
}

/** Become the player of another device. */
export function usePlayerKey(other: string): boolean {
  if (!/^[0-9a-f]{48}$/.test(other)) return false;
  key = other;
  write(KEY, other);
  return true;
}

export function playerName(): string {
  return read(NAME) || UNNAMED;
}

export function setPlayerName(name: string): void {
  write(NAME, name.trim().slice(0, 40));
}

/** The secrets this device has for a table. */
export function secretsOf(table: string): string[] {
  try {
    const all: unknown = JSON.parse(read(SECRETS) || "{}");
    const found = (all as Record<string, unknown>)[table];
    return Array.isArray(found) ? found.filter((one) => typeof one === "string").slice(-8) : [];
  } catch {
    return [];
  }
}

export function addSecret(table: string, secret: string): void {
  const mine = secretsOf(table);
  if (mine.includes(secret)) return;
  let all: Record<string, string[]> = {};
  try {
    all = JSON.parse(read(SECRETS) || "{}") as Record<string, string[]>;
  } catch {
    // what cannot be read is replaced
  }
  all[table] = [...mine, secret];
  write(SECRETS, JSON.stringify(all));
}
