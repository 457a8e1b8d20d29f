import { beforeEach, expect, test } from "vitest";
import { Reach } from "../src/lib/reach.svelte";
import { ManualClock } from "./builders";

let clock: ManualClock;
let isUp: boolean;
let tries: number;
let comeBack: (() => void) | undefined;
let reach: Reach;
const settle = () => new Promise((done) => setTimeout(done));

beforeEach(() => {
  clock = new ManualClock();
  isUp = false;
  tries = 0;
  comeBack = undefined;
  reach = new Reach({
    ask: () => {
      tries += 1;
      return isUp ? Promise.resolve() : Promise.reject(new TypeError("refused"));
    },
    later: clock.later,
    onReturn: (call) => {
      comeBack = call;
      return () => (comeBack = undefined);
    },
  });
});

test("nothing is asked while the server answers", async () => {
  clock.run(60_000);
  expect(tries).toBe(0);
  await reach.back();
});

test("a lost server is asked less and less often, until it is back", async () => {
  let isBack = false;
  reach.lose();
  void reach.back().then(() => (isBack = true));
  for (const wait of [300, 510]) {
    clock.run(wait - 1);
    await settle();
    const before = tries;
    clock.run(1);
    await settle();
    expect(tries).toBe(before + 1);
  }
  reach.lose(); // more failed requests change nothing
  expect([reach.lost, isBack]).toEqual([true, false]);
  isUp = true;
  clock.run(8000);
  await settle();
  expect([reach.lost, isBack]).toEqual([false, true]);
  clock.run(60_000);
  expect(tries).toBe(3);
  expect(comeBack).toBeUndefined();
});

test("it is asked at once when the page becomes visible", async () => {
  reach.lose();
  isUp = true;
  comeBack?.();
  await settle();
  expect(reach.lost).toBe(false);
});
