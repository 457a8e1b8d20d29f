import { expect, test } from "vitest";
import { faceOf, painted, properties } from "../src/lib/look";
import type { Look } from "../src/lib/types";

const look = {
  surface: "wood",
  light: { surface: "#111111", on_accent: "#222222" },
  dark: { surface: "#333333" },
  faces: {
    c: [
      { icon: "fox-head", box: "", shapes: [] },
      { icon: "wolf-head", box: "", shapes: [] },
    ],
  },
} as unknown as Look;

test("colours become custom properties for light and dark pages", () => {
  expect(properties(look)).toEqual([
    ["--felt", "light-dark(#111111, #333333)"],
    ["--on-accent", "light-dark(#222222, #222222)"],
  ]);
});

test("an element is painted, and painted anew", () => {
  const set = new Map<string, string>();
  const style = {
    setProperty: (name: string, value: string) => set.set(name, value),
    removeProperty: (name: string) => set.delete(name),
  };
  const paint = painted({ style } as unknown as HTMLElement, look);
  expect(set.get("--felt")).toBe("light-dark(#111111, #333333)");
  paint.update(undefined);
  expect(set.size).toBe(0);
});

test("a face has a drawing if the look has one for its token", () => {
  expect(faceOf(look, "c")?.icon).toBe("fox-head");
  expect([1, 2].map((nth) => faceOf(look, "c", nth)?.icon)).toEqual(["wolf-head", "fox-head"]);
  expect(faceOf(look, "6")).toBeUndefined();
  expect(faceOf(undefined, "c")).toBeUndefined();
});
