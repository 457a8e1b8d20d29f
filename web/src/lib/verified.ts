// Verified dice in the browser: chains of hashes, and a second implementation of the verification of records.
// docs/verified-dice.md describes every byte; docs/verified-dice.json holds vectors for both implementations.

import { hmac } from "@noble/hashes/hmac.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, concatBytes, hexToBytes, utf8ToBytes } from "@noble/hashes/utils.js";

/** What is wrong with a record, as a sentence. */
export class Untrue extends Error {}

/** The links of a chain; link 0 is the tip, and each link is the SHA-256 of the next one. */
export function linksOf(secret: string, length: number): Uint8Array[] {
  const links: Uint8Array[] = [];
  let link = sha256(utf8ToBytes(secret));
  for (let at = length; at >= 0; at--) {
    links[at] = link;
    link = sha256(link);
  }
  return links;
}

export const hexOf = bytesToHex;

/** The link that comes so many links before this one. */
export function hashedBack(link: string, times: number): string {
  let raw = hexToBytes(link);
  for (let at = 0; at < times; at++) raw = sha256(raw);
  return bytesToHex(raw);
}

const joined = (lines: readonly string[]): Uint8Array =>
  utf8ToBytes(lines.map((line) => `${line}\n`).join(""));

export interface Draw {
  table: string;
  game: number;
  roll: number;
  /** The links that devices gave, by chain. */
  links: ReadonlyMap<number, string>;
  seal: string;
}

export function seedOf(draw: Draw, server: string): Uint8Array {
  const given = [...draw.links]
    .sort(([one], [other]) => one - other)
    .map(([chain, link]) => `${chain}=${link}`);
  const { table, game, roll, seal } = draw;
  const lines = ["hotdice roll", table, String(game), String(roll), ...given, seal];
  return hmac(sha256, hexToBytes(server), joined(lines));
}

/** The side that each die shows, from 0, for dice with so many sides. */
export function sidesOf(seed: Uint8Array, counts: readonly number[]): number[] {
  const words = wordsOf(seed);
  return counts.map((sides) => {
    for (;;) {
      const word = words();
      if (word < 2 ** 32 - (2 ** 32 % sides)) return word % sides;
    }
  });
}

/** 32-bit numbers from a seed, without end. */
function wordsOf(seed: Uint8Array): () => number {
  let [block, at] = [0, 8];
  let view = new DataView(new ArrayBuffer(0));
  return () => {
    if (at === 8) {
      const counter = new Uint8Array(4);
      new DataView(counter.buffer).setUint32(0, block++);
      const raw = hmac(sha256, seed, counter);
      view = new DataView(raw.buffer, raw.byteOffset, raw.byteLength);
      at = 0;
    }
    return view.getUint32(4 * at++);
  };
}

// Records --------------------------------------------------------------------------------------

export interface Verdict {
  rolls: number;
  game: number;
  table: string;
  names: string[];
  /** Whether the game has ended. */
  over: boolean;
  /** How many rolls were made without any device of a seat, by seat. */
  skipped: Map<number, number>;
  /** The seal of every roll. */
  seals: string[];
}

interface Chain {
  seats: number[];
  head: string;
  skipped: number;
}

const HEX = "[0-9a-f]{64}";
const NUMBER = "(?:0|[1-9][0-9]{0,5})";
const CHAIN = new RegExp(
  `^chain (${NUMBER}), (server|seats ${NUMBER}(?: ${NUMBER})*), skipped (${NUMBER}): (${HEX})$`,
);
const END = new RegExp(`^end (${NUMBER})$`);
const DIE = new RegExp(`^die (${NUMBER}): (\\S+(?: \\S+)*)$`);
const ROLL = new RegExp(
  `^roll (${NUMBER}), event (${NUMBER}), dice (${NUMBER}(?: ${NUMBER})*|): (.*)$`,
);
const GIVEN = new RegExp(`^(${NUMBER})=(${HEX}|absent|silent)$`);
/** A line of a turn: its number, whose it is, and its events. */
const TURN = /^([1-9][0-9]*)\. \{([^{}]+)\} ([^{}]+)$/;
/** A choice begins with its verb; texts of rolls do not, unless faces have letters. */
const CHOICE = /^[a-z]+(?: |$)/;
const BOTS = /^(?:[a-z]+|-)(?: \| (?:[a-z]+|-))*$/;
const LETTER = "(?:[^|{}\\p{C}\\p{Z}]|[\\u200c\\u200d])";
const NAME = new RegExp(`^${LETTER}+(?: ${LETTER}+)*$`, "u");
/** What ends a line for Python, and carriage returns that are not part of a line end. */
// eslint-disable-next-line no-control-regex -- control characters are what it looks for
const BREAKS = /[\r\v\f\x1c-\x1e\x85\u2028\u2029]/;
const FORM = "The record is not written as records are.";
const SERVER = 0;
const LONGEST = 10_000_000;
const MOST_CHAINS = 1000;
const MOST_HASHES = 3_000_000;

/** Recompute every die of a record; throws `Untrue` with the first thing that is wrong. */
export function verify(text: string): Verdict {
  if (text.length > LONGEST) throw new Untrue("This is too long to be a record.");
  return new Verifier(text.replace(/^\ufeff/, "").replaceAll("\r\n", "\n")).run();
}

/** The heading by its keys, which have a fixed order. */
function readHeading(lines: readonly string[]): Map<string, string> {
  const heading = new Map<string, string>();
  for (const line of lines) {
    const colon = line.indexOf(": ");
    const key = line.slice(0, colon);
    if (colon < 0 || heading.has(key)) throw new Untrue("The heading of the record is damaged.");
    heading.set(key, line.slice(colon + 2));
  }
  const order = ["game", "options", "seats", "first", "bots", "dice", "result"];
  const expected = order.filter((key) => heading.has(key));
  const names = (heading.get("seats") ?? "").split(" | ");
  const first = heading.get("first") ?? "2";
  const bots = heading.get("bots");
  if (
    [...heading.keys()].join() !== expected.join() ||
    [...heading.values()].some((value) => !value || value !== value.trim()) ||
    !names.every(isName) ||
    !/^[1-9][0-9]{0,2}$/.test(first) ||
    (heading.has("first") && (Number(first) < 2 || Number(first) > names.length)) ||
    (bots !== undefined && (!BOTS.test(bots) || bots.split(" | ").length !== names.length))
  )
    throw new Untrue(FORM);
  return heading;
}

function isName(name: string): boolean {
  return [...name].length <= 40 && NAME.test(name) && /[^\u200c\u200d]/.test(name);
}

/** The events of all turns. */
function readTurns(lines: readonly string[], names: readonly string[]): string[] {
  return lines.flatMap((line, at) => {
    const [, number, name, events] = TURN.exec(line) ?? [];
    const words = (events ?? "").split("; ");
    const isWritten = words.every((word) => word && word === word.trim() && !word.includes(";"));
    if (Number(number) !== at + 1 || !names.includes(name ?? "") || !isWritten)
      throw new Untrue(FORM);
    return words;
  });
}

class Verifier {
  #heading = new Map<string, string>();
  #events: string[] = [];
  #proof: string[] = [];
  #chains = new Map<number, Chain>();
  #newest = -1;
  #dice: string[][] = [];
  #hashes = 0;

  constructor(text: string) {
    if (BREAKS.test(text)) throw new Untrue("The record has line breaks of another kind.");
    const lines = text.split("\n");
    if (lines[0] !== "hotdice record 1") throw new Untrue("This is not a record of this version.");
    const blank = lines.indexOf("");
    this.#heading = readHeading(lines.slice(1, blank));
    const start = lines.indexOf("proof:", blank);
    if (start < 0) throw new Untrue("The record has no proof: its dice were not verified dice.");
    if (this.#heading.get("dice") !== "verified")
      throw new Untrue("The record has a proof, but its heading names other dice.");
    const body = text.slice(0, text.lastIndexOf("\n", text.length - 2) + 1);
    const seal = `seal ${bytesToHex(sha256(utf8ToBytes(body)))}`;
    if (lines.at(-1) !== "" || lines.at(-2) !== seal)
      throw new Untrue("The record has been changed: it does not match the seal in its last line.");
    if (start < blank + 2 || lines[start - 1] !== "") throw new Untrue(FORM);
    this.#events = readTurns(lines.slice(blank + 1, start - 1), this.#names());
    this.#proof = lines.slice(start + 1, -2);
  }

  #names(): string[] {
    return (this.#heading.get("seats") ?? "").split(" | ");
  }

  #head(key: string, value: string): string {
    const found = new RegExp(`^${key} (${value})$`).exec(this.#proof.shift() ?? "");
    if (!found?.[1]) throw new Untrue(`The proof does not name its ${key}.`);
    return found[1];
  }

  run(): Verdict {
    const table = this.#head("table", HEX);
    const game = Number(this.#head("game", "[1-9][0-9]{0,4}"));
    const before = this.#head("before", `-|${HEX}`);
    if ((before === "-") !== (game === 1))
      throw new Untrue("The proof does not name the game before.");
    const names = this.#names();
    const verdict: Verdict = {
      ...{ rolls: 0, game, table, names },
      ...{ skipped: new Map<number, number>(), seals: [], over: this.#heading.has("result") },
    };
    let seal = bytesToHex(
      sha256(
        joined([
          "hotdice verified dice 1",
          `table ${table}`,
          `game ${game}`,
          `before ${before}`,
          `rules ${this.#heading.get("game") ?? ""}`,
          `options ${this.#heading.get("options") ?? ""}`,
          `seats ${names.join(" | ")}`,
          `first ${this.#heading.get("first") ?? "1"}`,
        ]),
      ),
    );
    let [since, done]: [string[], number] = [[], 0];
    let dice: string[] = [];
    for (const line of this.#proof) {
      if (this.#isDie(line)) {
        dice.push(line);
      } else if (!dice.length && this.#isChange(line, verdict)) {
        since.push(line);
      } else {
        const [, roll, event, kinds, given] = ROLL.exec(line) ?? [];
        if (roll === undefined || given === undefined || Number(roll) !== verdict.rolls + 1)
          throw new Untrue(`The proof has no line for roll ${verdict.rolls + 1}.`);
        const at = Number(event) - 1;
        if (at >= this.#events.length || (verdict.rolls && at <= done))
          throw new Untrue(`The proof does not describe roll ${roll} as it was made.`);
        if (this.#hidesRoll(this.#events.slice(verdict.rolls ? done + 1 : 0, at)))
          throw new Untrue(`The proof has no line for roll ${roll}.`);
        const events = this.#events.slice(done, at).map((one) => `event ${one}`);
        seal = bytesToHex(sha256(concatBytes(hexToBytes(seal), joined([...since, ...events]))));
        verdict.seals.push(seal);
        verdict.rolls++;
        const links = this.#links(given, verdict);
        const server = links.get(SERVER) ?? "";
        links.delete(SERVER);
        const seed = seedOf({ table, game, roll: Number(roll), links, seal }, server);
        if (this.#rolled(seed, kinds ?? "", verdict.rolls) !== this.#events[at])
          throw new Untrue(`Roll ${roll} does not follow from its links.`);
        [since, done, dice] = [[...dice, line], at, []];
      }
    }
    const rest = this.#events.slice(verdict.rolls ? done + 1 : 0);
    if (dice.length || this.#hidesRoll(rest))
      throw new Untrue(`The proof has no line for roll ${verdict.rolls + 1}.`);
    return verdict;
  }

  #isDie(line: string): boolean {
    const [, number, tokens] = DIE.exec(line) ?? [];
    if (tokens === undefined) return false;
    if (Number(number) !== this.#dice.length + 1) throw new Untrue("The dice are out of order.");
    this.#dice.push(tokens.split(" "));
    return true;
  }

  #isChange(line: string, { names, game, table, rolls }: Verdict): boolean {
    const [, number, whose, skipped, head] = CHAIN.exec(line) ?? [];
    if (whose !== undefined && head !== undefined) {
      const chain = Number(number);
      const seats = whose === "server" ? [] : whose.split(" ").slice(1).map(Number);
      const fits = (chain === SERVER) === !seats.length && chain > this.#newest;
      if (!fits || seats.some((seat) => seat < 1 || seat > names.length))
        throw new Untrue(`Chain ${chain} is out of order or belongs to no seat.`);
      if (this.#newest < 0 && chain !== SERVER)
        throw new Untrue("The first chain is not the server's.");
      if (chain === SERVER && game === 1 && head !== table)
        throw new Untrue("The server's chain is not that of the table.");
      if (Number(skipped) && (chain === SERVER || game === 1 || rolls))
        throw new Untrue(`Chain ${chain} has skipped rolls that were not made.`);
      if (this.#chains.size >= MOST_CHAINS) throw new Untrue("The proof has too many chains.");
      this.#newest = chain;
      const known = { seats: seats.map((seat) => seat - 1), head, skipped: Number(skipped) };
      this.#chains.set(chain, known);
      return true;
    }
    const [, ended] = END.exec(line) ?? [];
    if (ended === undefined) return false;
    if (Number(ended) === SERVER || !this.#chains.delete(Number(ended)))
      throw new Untrue(`Chain ${ended} ends without having begun.`);
    return true;
  }

  /** The links given for a roll, each checked against its chain. */
  #links(given: string, { rolls, skipped }: Verdict): Map<number, string> {
    const words = given.split(" ").map((word) => GIVEN.exec(word));
    const order = words.map((word) => Number(word?.[1] ?? -1));
    const expected = [...this.#chains.keys()].sort((one, other) => one - other);
    if (order.join() !== expected.join() || (words[0]?.[2]?.length ?? 0) < 64)
      throw new Untrue(`Roll ${rolls} does not say for every chain whether it gave a link.`);
    const links = new Map<number, string>();
    for (const word of words) {
      const [number, link] = [Number(word?.[1]), word?.[2] ?? ""];
      const chain = this.#chains.get(number);
      if (!chain) continue;
      if (link.length < 64) {
        chain.skipped++;
        continue;
      }
      this.#hashes += chain.skipped + 1;
      if (this.#hashes > MOST_HASHES)
        throw new Untrue("The proof skips so many links that checking it would take too long.");
      if (hashedBack(link, chain.skipped + 1) !== chain.head)
        throw new Untrue(`A link of roll ${rolls} does not belong to chain ${number}.`);
      links.set(number, link);
      [chain.head, chain.skipped] = [link, 0];
    }
    const gave = new Set([...links.keys()].flatMap((one) => this.#chains.get(one)?.seats ?? []));
    const all = new Set([...this.#chains.values()].flatMap((chain) => chain.seats));
    for (const seat of all) if (!gave.has(seat)) skipped.set(seat, (skipped.get(seat) ?? 0) + 1);
    return links;
  }

  /** The text of the roll that follows from a seed. */
  #rolled(seed: Uint8Array, kinds: string, roll: number): string {
    const dice = kinds ? kinds.split(" ").map((kind) => this.#dice[Number(kind) - 1]) : [];
    const sides = sidesOf(
      seed,
      dice.map((tokens) => tokens?.length ?? 1),
    );
    const words = dice.map((tokens, at) => {
      const word = tokens?.[sides[at] ?? 0];
      if (word === undefined) throw new Untrue(`Roll ${roll} is made with unknown dice.`);
      return word;
    });
    const together = words.join("");
    return together.length === words.length ? together : words.join(",");
  }

  /** Whether one of these events, which the proof does not name, is a roll, as far as texts tell. */
  #hidesRoll(events: readonly string[]): boolean {
    const tokens = new Set(this.#dice.flat());
    return events.some((event) => {
      const words = event.includes(",") ? event.split(",") : [...event];
      return !CHOICE.test(event) || tokens.has(event) || words.every((word) => tokens.has(word));
    });
  }
}
