// The part of this device in verified dice: it announces a chain of hashes and gives a link for every roll.
//
// A link is given once for a roll, and only for one seal: a server that shows another log for the same roll
// gets nothing. What was given is remembered, to be compared with the record.

import { hexOf, linksOf, type Verdict } from "./verified";
import type { Command, News, Status, Table } from "./types";

const KEY = "hotdice.chains";
/** Links of a chain; then the device announces another one. */
export const LENGTH = 2000;
const RENEW = 20;
const MOST_TABLES = 30;
/** Hexadecimal digits of a seal that are remembered. */
const REMEMBERED = 16;

/** What a device knows about its chain at a table. */
interface Held {
  secret: string;
  /** The tip of the server's chain, which stands for the table in records. */
  table?: string;
  number?: number;
  base?: number;
  seats?: string;
  /** The beginning of the seal for which a link was given, by roll, with the number of the game. */
  given: Record<string, [number, string]>;
}

type Stored = Record<string, Held>;

/** Where chains are remembered; without storage, until the page closes. */
export interface Memory {
  read(): Stored;
  write(all: Stored): void;
}

export const browserMemory: Memory = {
  read: () => {
    try {
      return JSON.parse(localStorage.getItem(KEY) ?? "{}") as Stored;
    } catch {
      return {};
    }
  },
  write: (all) => {
    try {
      localStorage.setItem(KEY, JSON.stringify(all));
    } catch {
      // storage is full or blocked: the chain lasts as long as the page
    }
  },
};

export type Send = (command: Pick<Command, "do" | "seat" | "text">) => void;

function newSecret(): string {
  return hexOf(crypto.getRandomValues(new Uint8Array(32)));
}

/** Whether this device gave links in a game for other seals than those of its record. */
export function contradicts(
  { table, game, seals, over }: Pick<Verdict, "table" | "game" | "seals" | "over">,
  memory = browserMemory,
): boolean {
  const held = Object.values(memory.read()).find((one) => one.table === table);
  const given = Object.entries(held?.given ?? {}).filter(([, [of]]) => of === game);
  const known = seals.map((seal) => seal.slice(0, REMEMBERED));
  // The last roll of a game that is not over may have been asked for after the record was made.
  const settled = over ? given : given.slice(0, -1);
  // A link for a later roll than that of its seal would give away those of all rolls between.
  const places = settled.map(([, [, seal]]) => known.indexOf(seal));
  const before = new Set(settled.map(([roll], at) => Number(roll) - 1 - (places[at] ?? 0)));
  return (
    places.includes(-1) || before.size > 1 || (game === 1 && settled.length > 0 && !before.has(0))
  );
}

export class Chains {
  #held: Held;
  #links: Uint8Array[] = [];
  /** The seats on this device, separated by commas. */
  #seats = "";
  #announced = "";
  /** The chain that the next one replaces. */
  #ended: number | undefined;

  constructor(
    readonly table: string,
    readonly send: Send,
    readonly memory: Memory = browserMemory,
  ) {
    this.#held = this.memory.read()[table] ?? { secret: newSecret(), given: {} };
  }

  get tip(): string {
    if (!this.#links.length) this.#links = linksOf(this.#held.secret, LENGTH);
    return hexOf(this.#links[0] ?? new Uint8Array());
  }

  /** The table, after connecting. */
  open(table: Table): void {
    this.#seats = table.yours.join();
    this.#announced = "";
    const held = this.#held;
    const server = table.chains[0]?.tip;
    if (server) held.table = server;
    const known = table.chains.find((chain) => chain.tip === this.tip);
    if (known?.base === held.base && known?.number === held.number && held.seats === this.#seats) {
      if (known) this.#announce(this.tip); // the server learns which device this is
    } else if (held.number !== undefined || known) {
      this.#renew();
      this.#ended = known?.number;
    }
    this.#go(table.status);
  }

  hear(news: News): void {
    for (const { kind, text } of news.entries) if (kind === "chain") this.#accept(text);
    this.#go(news.status);
  }

  /** The server does not take the chain now: announce it after the roll. */
  refused(): void {
    if (this.#held.number !== undefined) return;
    this.#announced = "";
    this.#ended = undefined;
  }

  #go(status: Status): void {
    const ask = status.draw?.ask;
    if (!ask) {
      if (this.#left() < RENEW) this.#renew();
      if (this.#held.number === undefined && this.#announced !== this.tip)
        this.#announce([this.tip, this.#ended ?? []].flat().join(" "));
      return;
    }
    const { number, base, given } = this.#held;
    if (number === undefined || base === undefined || ask.given.includes(number)) return;
    const link = this.#links[ask.number - base];
    if (ask.number <= base || !link) return;
    const seal = ask.seal.slice(0, REMEMBERED);
    const before = given[ask.number];
    if (before && before[1] !== seal) return; // the server shows another log than before
    if (!before) {
      given[ask.number] = [status.game, seal];
      this.#save();
    }
    this.#tell("link", `${ask.number} ${number} ${hexOf(link)}`);
  }

  #left(): number {
    const rolls = Object.keys(this.#held.given).map(Number);
    return this.#held.base === undefined
      ? LENGTH
      : LENGTH - (Math.max(this.#held.base, ...rolls) - this.#held.base);
  }

  #announce(text: string): void {
    this.#announced = this.tip;
    this.#tell("chain", text);
  }

  /** Another chain, instead of one that is used up or unknown to the server. */
  #renew(): void {
    this.#ended = this.#held.number;
    const { given, table } = this.#held;
    this.#held = { secret: newSecret(), given };
    if (table) this.#held.table = table;
    this.#links = [];
    this.#save();
  }

  #accept(text: string): void {
    const [number, , base, tip] = text.split(" ");
    if (tip !== this.tip) return;
    if (this.#held.base !== undefined && this.#held.base !== Number(base)) return this.#renew();
    this.#held = {
      ...this.#held,
      number: Number(number),
      base: Number(base),
      seats: this.#seats,
    };
    this.#save();
  }

  #tell(what: "chain" | "link", text: string): void {
    const [seat] = this.#seats.split(",");
    if (seat) this.send({ do: what, seat: Number(seat), text });
  }

  #save(): void {
    const others = Object.entries(this.memory.read()).filter(([id]) => id !== this.table);
    const all = [...others, [this.table, this.#held] as const];
    this.memory.write(Object.fromEntries(all.slice(-MOST_TABLES)));
  }
}
