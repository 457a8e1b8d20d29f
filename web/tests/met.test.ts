import { beforeEach, expect, test, vi } from "vitest";
import { hasMet, meet } from "../src/lib/met";

let stored: Map<string, string>;

beforeEach(() => {
  stored = new Map();
  vi.stubGlobal("localStorage", {
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, value: string) => stored.set(key, value),
  });
});

test("a game is met once", () => {
  expect(hasMet("farkle")).toBe(false);
  meet("farkle");
  meet("farkle");
  meet("rogue");
  expect([hasMet("farkle"), hasMet("rogue"), hasMet("pig")]).toEqual([true, true, false]);
  expect(stored.get("hotdice.met")).toBe('["farkle","rogue"]');
});

test("what cannot be read counts as nothing", () => {
  for (const text of ["no json", "{}", "[1]"]) {
    stored.set("hotdice.met", text);
    expect(hasMet("farkle")).toBe(false);
  }
});
