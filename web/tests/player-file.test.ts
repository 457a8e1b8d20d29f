import { beforeEach, expect, test, vi } from "vitest";

const KEY = "0123456789abcdef".repeat(3);
const good = {
  hotdice: "player",
  version: 1,
  key: KEY,
  name: "Ann",
  seats: { table1: [{ seat: 0, secret: "secret-of-a-seat" }] },
  settings: { speed: "fast", sound: true, theme: "dark" },
};

/** The modules, as on a device that has just been opened. */
async function device() {
  vi.resetModules();
  const stored = new Map<string, string>();
  vi.stubGlobal("localStorage", {
    getItem: (name: string) => stored.get(name) ?? null,
    setItem: (name: string, value: string) => void stored.set(name, value),
  });
  const [files, identity, { settings }] = await Promise.all([
    import("../src/lib/player-file"),
    import("../src/lib/identity"),
    import("../src/lib/settings.svelte"),
  ]);
  return { ...files, ...identity, settings };
}

beforeEach(() => vi.unstubAllGlobals());

test("a saved player is the same on another device", async () => {
  const one = await device();
  one.setPlayerName("Ann");
  one.addSecret("table1", "secret-of-a-seat", 1);
  one.settings.speed = "slow";
  const [text, key] = [one.playerFile(), one.playerKey()];
  const other = await device();
  expect(other.playerKey()).not.toBe(key);
  other.usePlayerFile(other.readPlayerFile(text));
  expect(other.playerKey()).toBe(key);
  expect(other.playerName()).toBe("Ann");
  expect(other.secretFor("table1", 1)).toBe("secret-of-a-seat");
  expect(other.settings.speed).toBe("slow");
});

test.each([
  "",
  "hello",
  "[]",
  "null",
  '"player"',
  "{}",
  JSON.stringify({ ...good, hotdice: "record" }),
  JSON.stringify({ ...good, key: "0123" }),
  JSON.stringify({ ...good, key: `${KEY.slice(0, 47)}<` }),
  JSON.stringify({ ...good, key: [KEY] }),
  JSON.stringify({ ...good, version: "1" }),
  JSON.stringify({ ...good, version: 0 }),
  JSON.stringify({ ...good, name: "x".repeat(1_000_000) }),
])("what is no player file gets one sentence: %#", async (text) => {
  const { readPlayerFile } = await device();
  expect(() => readPlayerFile(text)).toThrow(/^That is not a player file.*nothing was changed\.$/);
});

test("a file of a newer version is not guessed at", async () => {
  const { readPlayerFile } = await device();
  expect(() => readPlayerFile(JSON.stringify({ ...good, version: 2 }))).toThrow(/newer/);
});

test("hostile parts are left out", async () => {
  const { readPlayerFile, usePlayerFile, settings, playerName } = await device();
  const file = readPlayerFile(
    JSON.stringify({
      ...good,
      name: "<b>An|n{}",
      seats: {
        "../x": good.seats.table1,
        table2: "secret",
        table3: [{ seat: "0", secret: "s" }, { seat: 0, secret: "a b" }, null, 7],
        table1: [{ seat: 0, secret: "ok", more: 1 }],
      },
      settings: { speed: "warp", theme: 7, sound: "yes", odds: false, __proto__: { x: 1 }, new: 1 },
    }),
  );
  expect(file.seats).toEqual({ table1: [{ seat: 0, secret: "ok" }] });
  expect(file.settings).toEqual({ odds: false });
  usePlayerFile(file);
  expect(settings.speed).toBe("normal");
  expect(settings.odds).toBe(false);
  expect(playerName()).toBe("<b>An n");
});
