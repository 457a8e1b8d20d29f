// Fuzzes the parser of player files. A case is a number: the same number is the same file.
// CASES=100000 npx vitest run tests/player-file-fuzz.test.ts

import { beforeEach, expect, test, vi } from "vitest";
import {
  addSecret,
  allSecrets,
  forgetSecrets,
  playerKey,
  playerName,
  secretFor,
  secretsOf,
  usePlayerKey,
} from "../src/lib/identity";
import { playerFile, readPlayerFile, usePlayerFile } from "../src/lib/player-file";
import { settings } from "../src/lib/settings.svelte";

const CASES = Number(process.env.CASES ?? 4000);
const REFUSAL =
  /^That (is not a player file of Hot Dice|player file was written by a newer Hot Dice); nothing was changed\.$/;
const KEYS = ["0123456789abcdef".repeat(3), "f".repeat(48)];
const DEFAULTS = { ...settings };
/** What no setting, seat or name may become part of. */
const UNTOUCHED = Object.getOwnPropertyNames(Object.prototype).sort();

const stored = new Map<string, string>();
vi.stubGlobal("localStorage", {
  getItem: (name: string) => stored.get(name) ?? null,
  setItem: (name: string, value: string) => void stored.set(name, value),
});

beforeEach(reset);

/** A device that has just been opened. */
function reset(): void {
  stored.clear();
  forgetSecrets();
  usePlayerKey("1".repeat(48));
  Object.assign(settings, DEFAULTS);
}

type Json = null | boolean | number | string | Json[] | { [name: string]: Json };

/** Random choices that follow from a number (mulberry32). */
class Chance {
  constructor(private state: number) {}

  private next(): number {
    this.state = (this.state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  below = (most: number): number => Math.floor(this.next() * most);
  one = <T>(from: readonly T[]): T => from[this.below(from.length)]!;
  happens = (share: number): boolean => this.next() < share;
}

const NAMES = [
  ..."hotdice version key name seats settings seat secret table1 speed theme sound odds".split(" "),
  ..."__proto__ constructor prototype toString valueOf hasOwnProperty toJSON length then".split(
    " ",
  ),
  ..."0 -1 7 ../x %00".split(" "),
  "",
  "a".repeat(64),
  "a".repeat(65),
  "tаble",
  "\ud83d",
];
const TEXTS = [
  ...NAMES,
  ...KEYS,
  ...["player", "Player", "fast", "slow", "dark", "system", "true", "null", "Ann", "<b>Ann</b>"],
  "0123456789ABCDEF".repeat(3),
  `${KEYS[0]}\n`,
  "|{}",
  " \u2003Ann\u00a0 \t\n",
  "\u202eevil\u202c",
  "\u0000\u0007\u007f\u009f",
  "\ufeffAnn\u200d\u200c",
  "\ud83d\udc69\u200d\ud83d\ude80".repeat(30),
  `${"x".repeat(39)}\ud83c\udfb2\ud83c\udfb2`,
  `${"x".repeat(39)} y`,
  "\udfb2\ud83c",
  "e\u0301".repeat(45),
  "\u0130\u017f\ufdfa\u{e0041}\u{10ffff}",
  "x".repeat(5000),
];
const NUMBERS = [
  0,
  -0,
  1,
  2,
  -1,
  0.5,
  8,
  99,
  100,
  1e3,
  2 ** 31,
  2 ** 53,
  -(2 ** 63),
  1e308,
  5e-324,
];

function anything(chance: Chance, depth = 4): Json {
  const kind = chance.below(depth > 0 ? 7 : 5);
  if (kind === 0) return null;
  if (kind === 1) return chance.happens(0.5);
  if (kind === 2) return chance.one(NUMBERS);
  if (kind < 5) return chance.one(TEXTS);
  const parts = Array.from({ length: chance.below(4) }, () => anything(chance, depth - 1));
  if (kind === 5) return parts;
  return Object.fromEntries(parts.map((part) => [chance.one(NAMES), part]));
}

function good(chance: Chance): Record<string, Json> {
  const tables = Array.from({ length: chance.below(5) }, (): [string, Json] => [
    chance.one(NAMES),
    Array.from({ length: chance.below(12) }, () => ({
      seat: chance.one([null, 0, 1, 2, 3, 7]),
      secret: chance.happens(0.5) ? chance.one(NAMES) : `secret-${chance.below(1e9)}`,
    })),
  ]);
  return {
    hotdice: "player",
    version: 1,
    key: chance.one(KEYS),
    name: chance.one(TEXTS),
    seats: Object.fromEntries(tables),
    settings: {
      speed: chance.one(["off", "fast", "normal", "slow"]),
      sound: chance.happens(0.5),
      theme: chance.one(["system", "dark", "light"]),
    },
  };
}

/** The value with a few of its parts replaced, removed, added or wrapped. */
function mutated(chance: Chance, value: Json): Json {
  if (chance.happens(0.15)) return anything(chance);
  if (chance.happens(0.05)) return chance.happens(0.5) ? [value] : { [chance.one(NAMES)]: value };
  if (Array.isArray(value)) {
    const parts = value.filter(() => !chance.happens(0.1)).map((part) => mutated(chance, part));
    return chance.happens(0.2) ? [...parts, anything(chance)] : parts;
  }
  if (value === null || typeof value !== "object") return value;
  const parts = Object.entries(value)
    .filter(() => !chance.happens(0.03))
    .map(([name, part]): [string, Json] => [
      chance.happens(0.03) ? chance.one(NAMES) : name,
      chance.happens(0.4) ? mutated(chance, part) : part,
    ]);
  if (chance.happens(0.2)) parts.push([chance.one(NAMES), anything(chance)]);
  return Object.fromEntries(parts);
}

/** The text cut off, or with a piece of it replaced, doubled or moved. */
function damaged(chance: Chance, text: string): string {
  const [from, to] = [chance.below(text.length + 1), chance.below(text.length + 1)];
  const piece = text.slice(Math.min(from, to), Math.min(from, to) + chance.below(40));
  const odd = chance.one([...TEXTS, '"', "\\", "\\ud83d", "{", "}", "[", "]", ",", ":", "1e999"]);
  const changes = [
    () => text.slice(0, from),
    () => text.slice(from),
    () => text.slice(0, from) + odd + text.slice(from),
    () => text.slice(0, from) + odd + text.slice(from + odd.length),
    () => text.slice(0, from) + piece + text.slice(from),
    () => text.replace(piece, ""),
  ];
  return chance.one(changes)();
}

function written(chance: Chance): string {
  const whole = good(chance);
  const value = chance.happens(0.1) ? anything(chance) : whole;
  const text = JSON.stringify(chance.happens(0.6) ? mutated(chance, value) : value);
  return chance.happens(0.3) ? damaged(chance, text) : text;
}

/** Compare as text: matchers are misled by a table named `constructor` or `__proto__`. */
function expectSame(found: unknown, wanted: unknown): void {
  expect(JSON.stringify(found)).toBe(JSON.stringify(wanted));
}

/** Check all that is promised about a text; returns whether it is a player file. */
function check(text: string): boolean {
  let file;
  try {
    file = readPlayerFile(text);
  } catch (error) {
    expect(error).toBeInstanceOf(Error);
    expect((error as Error).message).toMatch(REFUSAL);
    return false;
  }
  expectSame(readPlayerFile(JSON.stringify(file)), file);
  reset();
  usePlayerFile(file);
  expect(playerKey()).toBe(file.key);
  expect(file.name).not.toMatch(/\p{Cs}/u);
  expect([...file.name].length).toBeLessThanOrEqual(40);
  expect(playerName()).toBe(file.name || "Player");
  expectSame(allSecrets(), file.seats);
  for (const [table, held] of Object.entries(file.seats)) {
    expect(secretsOf(table)).toEqual(held.map(({ secret }) => secret).slice(-8));
    for (const { seat } of held) if (seat !== null) expect(secretFor(table, seat)).toBeTruthy();
  }
  for (const [name, value] of Object.entries(settings))
    expect([name, typeof value]).toEqual([name, typeof DEFAULTS[name as keyof typeof settings]]);
  const again = readPlayerFile(playerFile());
  expect(again.key).toBe(file.key);
  expect(again.name).toBe(file.name === "Player" ? "" : file.name);
  expectSame(again.seats, file.seats);
  expect(again.settings).toStrictEqual({ ...DEFAULTS, ...file.settings });
  expect(Object.getOwnPropertyNames(Object.prototype).sort()).toEqual(UNTOUCHED);
  return true;
}

test(
  "every text is a player file that survives a round trip, or gets one sentence",
  { timeout: 5000 + 10 * CASES },
  () => {
    let read = 0;
    for (let number = 0; number < CASES; number++) {
      const text = written(new Chance(number));
      try {
        read += Number(check(text));
      } catch (error) {
        throw new Error(`Case ${number}: ${text}`, { cause: error });
      }
    }
    expect(read / CASES).toBeGreaterThan(0.1); // or else little was tried
    expect(read / CASES).toBeLessThan(0.9);
  },
);

const whole = { hotdice: "player", version: 1, key: KEYS[0]!, name: "Ann" };
const secrets = (count: number) =>
  Array.from({ length: count }, (_, seat) => ({ seat, secret: `${seat}`.padStart(64, "s") }));

test.each([
  ["deep arrays", `{"hotdice":${"[".repeat(400_000)}`],
  ["deep objects", `{"a":`.repeat(150_000)],
  ["a deep setting", `{"speed":${"[".repeat(9_000)}"fast"${"]".repeat(9_000)}}`, "settings"],
  ["a setting that has no text", '{"speed":{"toString":1}}', "settings"],
  ["a setting in a list", '{"speed":["fast"],"theme":["dark"]}', "settings"],
  ["names of what every object has", '{"constructor":[{"seat":0,"secret":"s"}]}', "seats"],
  ["the name of the prototype", '{"__proto__":[{"seat":0,"secret":"s"}]}', "seats"],
  ["a polluting file", '{"__proto__":{"sound":true,"seat":0}}', "seats"],
  ["seats below nothing", '{"t":[{"seat":-0,"secret":"s"},{"seat":-1,"secret":"r"}]}', "seats"],
  ["the same secret twice", '{"t":[{"seat":0,"secret":"s"},{"seat":1,"secret":"s"}]}', "seats"],
  ["only spaces", " ".repeat(2_000_000)],
  ["a megabyte of a name", JSON.stringify("x".repeat(2 ** 20)), "name"],
])("%s", (_, part, name?: string) => {
  const rest = JSON.stringify(whole).slice(0, -1);
  expect(check(name ? `${rest},"${name}":${part}}` : part)).toBe(
    name !== undefined && part.length < 1e6,
  );
});

test("thousands of tables are cut down to as many as a device keeps, the last ones", () => {
  const tables = Array.from({ length: 9000 }, (_, at): [string, Json] => [
    `t${at}`,
    [{ seat: 0, secret: "s" }],
  ]);
  const text = JSON.stringify({ ...whole, seats: Object.fromEntries(tables) });
  expect(check(text)).toBe(true);
  expect(Object.keys(readPlayerFile(text).seats)).toEqual(tables.slice(-300).map(([id]) => id));
});

test("the largest file that a device writes can be read", () => {
  const tables = Array.from({ length: 300 }, (_, at) => [`${at}`.padStart(64, "t"), secrets(9)]);
  stored.set("hotdice.secrets", JSON.stringify(Object.fromEntries(tables)));
  const text = playerFile();
  expect(text.length).toBeGreaterThan(200_000);
  expect(readPlayerFile(text).seats).toEqual(Object.fromEntries(tables));
});

test("of too many secrets of a table, the newest are kept", () => {
  const seats = { t: secrets(12) };
  const file = readPlayerFile(JSON.stringify({ ...whole, seats }));
  expect(file.seats.t).toEqual(seats.t.slice(-9));
});

test("a link to a table named as what every object has opens like any other", () => {
  for (const table of ["constructor", "toString", "__proto__", "hasOwnProperty"]) {
    expect(secretsOf(table)).toEqual([]);
    expect(secretFor(table, 0)).toBeUndefined();
    addSecret(table, "of-a-seat", 0);
    expect(secretFor(table, 0)).toBe("of-a-seat");
  }
});
