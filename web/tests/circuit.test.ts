import { expect, test } from "vitest";
import { circuitOf, HEIGHT } from "../src/lib/circuit";

test.each([1, 2, 8, 30])("a circuit of %i stages stays in its box, stages apart", (stages) => {
  const { path, spots } = circuitOf(stages, 600);
  expect(path).toMatch(/^M[\d.]+ [\d.]+ L.*Z$/);
  expect(spots).toHaveLength(stages);
  for (const { x, y } of spots) {
    expect(x).toBeGreaterThan(0);
    expect(x).toBeLessThan(600);
    expect(y).toBeGreaterThan(0);
    expect(y).toBeLessThan(HEIGHT);
  }
  spots.forEach((spot, at) => {
    for (const other of spots.slice(at + 1))
      expect(Math.hypot(spot.x - other.x, spot.y - other.y)).toBeGreaterThan(600 / stages / 2.5);
  });
});

test("cars on the first stage drive on, not back", () => {
  const [first, second] = circuitOf(8, 400).spots;
  expect(first?.x).toBeGreaterThan(second?.x ?? Infinity);
  expect(Math.abs(first?.heading ?? 0)).toBeGreaterThan(120);
});
