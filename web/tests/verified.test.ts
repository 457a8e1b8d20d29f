import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { hashedBack, hexOf, linksOf, seedOf, sidesOf, Untrue, verify } from "../src/lib/verified";

interface Vectors {
  chains: { secret: string; length: number; at: number[]; links: string[] }[];
  draws: {
    table: string;
    game: number;
    roll: number;
    links: Record<string, string>;
    seal: string;
    server: string;
    counts: number[];
    seed: string;
    sides: number[];
  }[];
  records: { true: boolean; seals: string[]; text: string }[];
}
const path = new URL("../../docs/verified-dice.json", import.meta.url);
const vectors = JSON.parse(readFileSync(path, "utf-8")) as Vectors;

describe("the published vectors", () => {
  it("hold for chains", () => {
    for (const { secret, length, at, links } of vectors.chains) {
      const found = linksOf(secret, length);
      expect(at.map((one) => hexOf(found[one] ?? new Uint8Array()))).toEqual(links);
      expect(hashedBack(links.at(-1) ?? "", length)).toBe(links[0]);
    }
  });

  it("hold for seeds and sides", () => {
    for (const { links, server, counts, seed, sides, ...draw } of vectors.draws) {
      const given = new Map(Object.entries(links).map(([chain, link]) => [Number(chain), link]));
      const found = seedOf({ ...draw, links: given }, server);
      expect(hexOf(found)).toBe(seed);
      expect(sidesOf(found, counts)).toEqual(sides);
    }
  });

  it("hold for records", () => {
    for (const { true: isTrue, seals, text } of vectors.records) {
      if (isTrue) expect(verify(text).seals).toEqual(seals);
      else expect(() => verify(text)).toThrow(Untrue);
    }
  });
});

describe("a record", () => {
  const record = vectors.records.find((one) => one.true)?.text ?? "";

  it("may have other line ends", () => {
    expect(verify(`\ufeff${record.replaceAll("\n", "\r\n")}`)).toEqual(verify(record));
  });

  it.each([
    "",
    "x",
    "hotdice record 1",
    "hotdice record 1\ngame: farkle\n\n",
    record.slice(0, -70),
  ])("that is damaged gets a sentence", (text) => expect(() => verify(text)).toThrow(Untrue));

  it("that is too long is not read", () => {
    expect(() => verify("x".repeat(10_000_001))).toThrow("too long");
  });
});
