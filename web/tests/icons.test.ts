import { expect, test } from "vitest";
import { tryLoading } from "../src/lib/icons";

/** A page whose requests have these outcomes, one after another. */
function page(...outcomes: ("sent" | "cut" | "refused" | "missing")[]) {
  const added: string[] = [];
  const waits: number[] = [];
  const next: (() => void)[] = [];
  return {
    added,
    waits,
    next,
    fetch(path: string) {
      const outcome = outcomes.shift();
      if (outcome === "refused") return Promise.reject(new TypeError("refused"));
      const text = () =>
        outcome === "cut" ? Promise.reject(new TypeError("cut")) : Promise.resolve(`<svg>${path}`);
      return Promise.resolve({ ok: outcome !== "missing", text });
    },
    add: (svg: string) => void added.push(svg),
    later(wait: number, then: () => void) {
      waits.push(wait);
      next.push(then);
    },
  };
}

test("icons are added once", async () => {
  const here = page("sent");
  await tryLoading(here, 1000);
  expect(here.added).toEqual(["<svg>/sprite.svg"]);
  expect(here.waits).toEqual([]);
});

test("icons that did not arrive are asked for again, less and less often", async () => {
  const here = page("refused", "cut", "missing", "sent");
  await tryLoading(here, 10_000);
  for (let tries = 0; tries < 3; tries += 1) {
    expect(here.added).toEqual([]);
    here.next[tries]?.();
    await new Promise((done) => setTimeout(done));
  }
  expect(here.added).toHaveLength(1);
  expect(here.waits).toEqual([10_000, 20_000, 30_000]);
});
