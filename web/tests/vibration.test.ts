import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { settings } from "../src/lib/settings.svelte";
import { canVibrate, vibrate, type Touch } from "../src/lib/vibration";

let felt: unknown[];
let matching: string[];

/** A phone that has been touched. */
function phone(more: object = {}): void {
  vi.stubGlobal("navigator", {
    vibrate: (pattern: unknown) => felt.push(pattern),
    userActivation: { hasBeenActive: true },
    ...more,
  });
}

beforeEach(() => {
  felt = [];
  matching = ["(any-pointer: coarse)"];
  vi.stubGlobal("matchMedia", (query: string) => ({ matches: matching.includes(query) }));
  settings.vibration = true;
  phone();
});

afterEach(() => {
  settings.vibration = true;
  vi.unstubAllGlobals();
});

describe("vibration", () => {
  test("is on by default, and apart from the sound", () => {
    expect(settings.sound).toBe(false);
    vibrate("roll");
    expect(felt).toHaveLength(1);
  });

  test("has a pattern of its own for each event that matters, of half a second at most", () => {
    const events: Touch[] = ["roll", "bank", "bust", "hot", "win", "turn"];
    events.forEach(vibrate);
    expect(new Set(felt.map(String)).size).toBe(events.length);
    for (const pattern of felt as number[][])
      expect(pattern.reduce((sum, part) => sum + part)).toBeLessThanOrEqual(500);
    vibrate("keep");
    expect(felt).toHaveLength(events.length);
  });

  test("can be switched off", () => {
    settings.vibration = false;
    vibrate("bust");
    expect(felt).toEqual([]);
  });

  test("is off where the system asks for reduced motion", () => {
    matching.push("(prefers-reduced-motion: reduce)");
    vibrate("bust");
    expect(felt).toEqual([]);
  });

  test("waits for the first touch, before which browsers refuse it", () => {
    phone({ userActivation: { hasBeenActive: false } });
    vibrate("bust");
    expect(felt).toEqual([]);
  });

  test("is offered only where something can be felt", () => {
    expect(canVibrate()).toBe(true);
    phone({ vibrate: undefined });
    expect(canVibrate()).toBe(false);
    vibrate("bust");
    phone();
    matching = []; // a desk: the browser has the function, but nothing would vibrate
    expect(canVibrate()).toBe(false);
    vibrate("bust");
    expect(felt).toEqual([]);
  });
});
