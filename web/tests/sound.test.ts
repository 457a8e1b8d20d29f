import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { PLAIN, VOICES } from "../src/lib/sound";

const LOOKS = readFileSync(new URL("../../src/hotdice/core/look.py", import.meta.url), "utf-8");

/** The names in a tuple of the module that reads looks. */
function namesIn(tuple: string): string[] {
  const [, listed = ""] = new RegExp(`^${tuple} = \\(([^)]*)\\)`, "m").exec(LOOKS) ?? [];
  return [...listed.matchAll(/"(\w+)"/g)].map(([, name]) => name ?? "");
}

test("every sound that a look may name has a voice, and the other way round", () => {
  expect(Object.keys(VOICES).sort()).toEqual(namesIn("SOUNDS").sort());
});

test("every event sounds without a look, too", () => {
  expect(Object.keys(PLAIN).sort()).toEqual(namesIn("EVENTS").sort());
  for (const name of Object.values(PLAIN)) expect(VOICES).toHaveProperty(name);
});
