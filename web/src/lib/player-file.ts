// A player as a file: the key, the name, the secrets of seats and the settings of a device.

import {
  MOST_TABLES,
  UNNAMED,
  addSecret,
  allSecrets,
  cleanName,
  forgetSecrets,
  isPlayerKey,
  playerKey,
  playerName,
  setPlayerName,
  usePlayerKey,
  type Held,
} from "./identity";
import { settings, type Settings } from "./settings.svelte";

const VERSION = 1;
/** More than the longest file: each table may have nine secrets. */
const LONGEST = 1_000_000;
const MOST_SECRETS = 9;
const MOST_SEATS = 100;
const NOT_ONE = "That is not a player file of Hot Dice; nothing was changed.";
const NEWER = "That player file was written by a newer Hot Dice; nothing was changed.";

export interface PlayerFile {
  hotdice: "player";
  version: number;
  key: string;
  name: string;
  seats: Record<string, Held[]>;
  settings: Partial<Settings>;
}

/** Everything that makes this device its player's, as the text of a file. */
export function playerFile(): string {
  const name = playerName();
  const file: PlayerFile = {
    hotdice: "player",
    version: VERSION,
    key: playerKey(),
    name: name === UNNAMED ? "" : name,
    seats: allSecrets(),
    settings: { ...settings },
  };
  return JSON.stringify(file, null, 2);
}

/** Read the text of a player file; throws an error with a sentence if it is none. */
export function readPlayerFile(text: string): PlayerFile {
  if (text.length > LONGEST) throw new Error(NOT_ONE);
  let found: unknown;
  try {
    found = JSON.parse(text);
  } catch {
    throw new Error(NOT_ONE);
  }
  if (!isRecord(found) || found.hotdice !== "player") throw new Error(NOT_ONE);
  const { version, key, name, seats, settings: wanted } = found;
  if (typeof version !== "number" || !Number.isInteger(version) || version < 1)
    throw new Error(NOT_ONE);
  if (version > VERSION) throw new Error(NEWER);
  if (typeof key !== "string" || !isPlayerKey(key)) throw new Error(NOT_ONE);
  return {
    hotdice: "player",
    version,
    key,
    name: typeof name === "string" ? cleanName(name) : "",
    seats: readSeats(seats),
    settings: readSettings(wanted),
  };
}

/** Become the player of a file, with everything in it; the seats of another player are forgotten. */
export function usePlayerFile(file: PlayerFile): void {
  if (file.key !== playerKey()) forgetSecrets();
  usePlayerKey(file.key);
  if (file.name) setPlayerName(file.name);
  for (const [table, held] of Object.entries(file.seats))
    for (const { seat, secret } of held) addSecret(table, secret, seat);
  Object.assign(settings, file.settings);
}

const isRecord = (found: unknown): found is Record<string, unknown> =>
  typeof found === "object" && found !== null && !Array.isArray(found);

const ID = /^[\w-]{1,64}$/;

/** The secrets of seats; what is not one is left out. */
function readSeats(found: unknown): Record<string, Held[]> {
  if (!isRecord(found)) return {};
  const read: [string, Held[]][] = [];
  for (const [table, held] of Object.entries(found)) {
    if (!ID.test(table) || !Array.isArray(held)) continue;
    const good = held.filter(isHeld).map(({ seat, secret }) => ({ seat, secret }));
    const last = new Map(good.map(({ secret }, at) => [secret, at]));
    const kept = good.filter(({ secret }, at) => last.get(secret) === at).slice(-MOST_SECRETS);
    if (kept.length) read.push([table, kept]);
  }
  return Object.fromEntries(read.slice(-MOST_TABLES)); // as entries: an id may be __proto__
}

const isHeld = (found: unknown): found is Held =>
  isRecord(found) &&
  typeof found.secret === "string" &&
  ID.test(found.secret) &&
  (found.seat === null || isSeat(found.seat));

const isSeat = (found: unknown): boolean =>
  Number.isInteger(found) &&
  Number(found) >= 0 &&
  Number(found) < MOST_SEATS &&
  !Object.is(found, -0);

const CHOICES: Partial<Record<keyof Settings, readonly string[]>> = {
  speed: ["off", "fast", "normal", "slow"],
  theme: ["system", "dark", "light"],
};

/** The settings that this version knows and that have a value it knows. */
function readSettings(found: unknown): Partial<Settings> {
  if (!isRecord(found)) return {};
  const known = Object.keys(settings).filter((name) => {
    const value = found[name];
    const choices = CHOICES[name as keyof Settings];
    if (!choices) return typeof value === "boolean";
    return typeof value === "string" && choices.includes(value);
  });
  return Object.fromEntries(known.map((name) => [name, found[name]]));
}
