// Who plays on this device: the player key, the player's name, and secrets of seats.

const KEY = "hotdice.player";
const NAME = "hotdice.name";
/** The name of a player who has not entered one. */
export const UNNAMED = "Player";
const SECRETS = "hotdice.secrets";

function read(name: string): string {
  try {
    return localStorage.getItem(name) ?? "";
  } catch {
    return ""; // storage may be blocked; then nothing is remembered after the page closes
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

/** The key of this device's player, generated on first use. */
export function playerKey(): string {
  key ||= read(KEY);
  if (!key) {
    const bytes = crypto.getRandomValues(new Uint8Array(24));
    key = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
    write(KEY, key);
  }
  return key;
}

export const isPlayerKey = (text: string) => /^[0-9a-f]{48}$/.test(text);

/** Become the player of another device. */
export function usePlayerKey(other: string): boolean {
  if (!isPlayerKey(other)) return false;
  key = other;
  write(KEY, other);
  return true;
}

export function playerName(): string {
  return read(NAME) || UNNAMED;
}

export function setPlayerName(name: string): void {
  write(NAME, cleanName(name));
}

const LONGEST_NAME = 40;

/** A name without what a record cannot contain, cut off between characters. */
export function cleanName(name: string): string {
  const clean = name.replace(/[|{}]|(?![\u200c\u200d])\p{C}/gu, " ").replace(/\s+/g, " ");
  return Array.from(clean.trim()).slice(0, LONGEST_NAME).join("").trim();
}

/** A secret of a table, with the seat it is for; `null` is the host's. */
export interface Held {
  seat: number | null;
  secret: string;
}

/** Has no prototype, as the id of a table comes from a link and may be `constructor`. */
function held(): Record<string, Held[]> {
  const all = Object.create(null) as Record<string, Held[]>;
  try {
    const found: unknown = JSON.parse(read(SECRETS) || "{}");
    return found && typeof found === "object" ? Object.assign(all, found) : all;
  } catch {
    return all; // unreadable data is overwritten
  }
}

/** Of how many tables secrets are kept. */
export const MOST_TABLES = 300;

/** All secrets of this device, by table. */
export const allSecrets = held;

/** Forget all secrets of this device. */
export const forgetSecrets = () => write(SECRETS, "");

/** This device's secrets for a table. */
export function secretsOf(table: string): string[] {
  const found = held()[table];
  return Array.isArray(found) ? found.map((one) => one.secret).slice(-8) : [];
}

/** The secret of a seat, if this device has it. */
export function secretFor(table: string, seat: number): string | undefined {
  return held()[table]?.find((one) => one.seat === seat)?.secret;
}

/** Store a secret, with its seat if known; the oldest tables are dropped. */
export function addSecret(table: string, secret: string, seat: number | null = null): void {
  const all = held();
  const mine = (all[table] ?? []).filter((one) => one.secret !== secret);
  delete all[table];
  all[table] = [...mine, { seat, secret }];
  write(SECRETS, JSON.stringify(Object.fromEntries(Object.entries(all).slice(-MOST_TABLES))));
}
