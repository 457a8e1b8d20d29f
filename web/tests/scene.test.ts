import { describe, expect, test } from "vitest";
import { framesOf, opened, shown } from "../src/lib/scene";
import { die, entry, line, table, view } from "./builders";

describe("opened", () => {
  test("takes the log and the last entry that is not chat", () => {
    const log = [line(1), line(2, { kind: "say", told: "Hello!" })];
    const scene = opened(null, table({ log }));
    expect(scene).toMatchObject({ lines: log, told: "Line 1.", rolls: 0, bust: false });
  });

  test("keeps known lines and adds later ones", () => {
    const before = { ...opened(null, table({ log: [line(1), line(2)] })), rolls: 4, bust: true };
    const scene = opened(before, table({ log: [line(2, { told: "again" }), line(3)] }));
    expect(scene.lines.map((one) => one.told)).toEqual(["Line 1.", "Line 2.", "Line 3."]);
    expect(scene).toMatchObject({ rolls: 4, bust: false });
  });
});

test("shown changes only what the frame contains", () => {
  const scene = { ...opened(null, table({ log: [line(1)] })), bust: true };
  expect(shown(scene, { pause: 0 })).toEqual(scene);
  const next = view({ prompt: "Next." });
  const after = shown(scene, {
    line: line(2),
    view: next,
    told: "Told.",
    rolled: true,
    bust: false,
    pause: 9,
  });
  expect(after).toMatchObject({ view: next, told: "Told.", rolls: 1, bust: false });
  expect(after.lines).toHaveLength(2);
});

describe("framesOf", () => {
  test("chat is one frame without a pause", () => {
    const words = entry(3, { kind: "say", told: "Ann: hi" });
    expect(framesOf(words, view(), false)).toEqual([{ line: words, said: "Ann: hi", pause: 0 }]);
  });

  test("another player's choice is shown longer than our own", () => {
    const [theirs] = framesOf(entry(3), view(), false);
    const [ours] = framesOf(entry(3), view(), true);
    expect(theirs?.pause).toBeGreaterThan(ours?.pause ?? 0);
    expect(theirs?.sound).toBe("keep");
  });

  test("keep and roll are one beat", () => {
    const [keeps] = framesOf(entry(3), view(), false, true);
    const [ends] = framesOf(entry(3), view(), false);
    expect(keeps?.pause).toBeLessThan(ends?.pause ?? 0);
  });

  test("a choice that ends the turn plays a sound", () => {
    expect(framesOf(entry(3, { ends_turn: true }), view(), true)[0]?.sound).toBe("bank");
  });

  test("a choice that makes the dice hot has a sound of its own", () => {
    const hot = { view: view({ mood: "hot" }) };
    expect(framesOf(entry(3, hot), view(), true)[0]?.sound).toBe("hot");
    expect(framesOf(entry(3, { ...hot, ends_turn: true }), view(), true)[0]?.sound).toBe("bank");
  });

  test("hot dice are seen on the rail, then all of them are thrown", () => {
    const hot = view({ mood: "hot", dice: [die(5, { place: "kept" }), die(1, { place: "kept" })] });
    const kept = framesOf(entry(3, { view: hot }), view(), true, true);
    expect(kept[0]?.view).toEqual(hot);
    expect(kept[0]?.pause).toBeGreaterThan(500);
    const lost = entry(4, { kind: "roll", rolled: [die(2), die(3)], lost: true, ends_turn: true });
    expect(framesOf(lost, hot, true)[0]?.view?.dice).toEqual(lost.rolled);
  });

  test("the end of the game has a sound of its own", () => {
    const over = { ends_turn: true, view: view({ seat: null }) };
    expect(framesOf(entry(3, over), view(), true)[0]?.sound).toBe("win");
    const rolled = framesOf(entry(3, { ...over, kind: "roll", lost: true }), view(), true);
    expect(rolled[1]?.sound).toBe("win");
  });

  test("between two games of a series one sees how the last one ended", () => {
    const [ended, after] = [view({ prompt: "Game 1 ends." }), view({ prompt: "Roll." })];
    const [last, next] = framesOf(entry(3, { view: after, ended }), view(), true);
    expect(last?.view).toBe(ended);
    expect(last?.pause).toBeGreaterThan(1000);
    expect(next).toMatchObject({ view: after, pause: 0 });
  });

  test("so one does if a roll ended it, once the dice lie", () => {
    const [ended, after] = [view({ prompt: "Game 1 ends." }), view({ prompt: "Roll." })];
    const roll = entry(3, { kind: "roll", ends_turn: true, rolled: [die(4)], view: after, ended });
    const [tumbling, lying, next] = framesOf(roll, view(), true);
    expect(tumbling?.view?.prompt).not.toBe("Game 1 ends.");
    expect(lying?.view).toMatchObject({ prompt: "Game 1 ends.", dice: [{ code: 4 }] });
    expect(lying?.pause).toBeGreaterThan(1000);
    expect(next?.view?.prompt).toBe("Roll.");
  });

  test("other entries have no pause", () => {
    const [frame, ...more] = framesOf(entry(3, { kind: "game" }), view(), false);
    expect(frame).toMatchObject({ told: "Line 3.", pause: 0 });
    expect(more).toEqual([]);
  });

  test("a roll tumbles first; its sentence follows when it has landed", () => {
    const after = view({ dice: [die(1)] });
    const [tumbling, lying, last] = framesOf(entry(3, { kind: "roll", view: after }), view(), true);
    expect(tumbling).toMatchObject({ rolled: true, sound: "roll" });
    expect(tumbling?.told).toBeUndefined();
    expect(lying).toMatchObject({ told: "Line 3.", view: after, bust: false, pause: 0 });
    expect(last).toMatchObject({ view: after, pause: 0 });
  });

  test("dice that die with a roll are still in the tray while they tumble", () => {
    const dead = (code: number) => die(code, { place: "dead" });
    const before = view({ dice: [dead(6), die(2), die(3)] });
    const after = view({ dice: [die(4), dead(6), dead(5)] });
    const [tumbling] = framesOf(entry(3, { kind: "roll", view: after }), before, true);
    expect(tumbling?.view?.dice.map((one) => one.place)).toEqual(["tray", "dead", "tray"]);
  });

  test("dice that lead to something else at once are seen for a while", () => {
    const rolled = [die(3), die(4)];
    const after = view({ dice: [die(9)] });
    const due = entry(3, { kind: "roll", rolled, view: after });
    const [tumbling, lying, last] = framesOf(due, view(), true);
    expect(tumbling?.view?.dice.map((one) => one.code)).toEqual([3, 4]);
    expect(lying?.view).toBeUndefined();
    expect(lying).toMatchObject({ told: "Line 3.", bust: false });
    expect(lying?.pause).toBeGreaterThan(800);
    expect(last).toMatchObject({ view: after });
  });

  test("who starts is said in place of the dice, long enough to read", () => {
    const decided = entry(3, { kind: "roll", rolled: [die(3), die(4)], starts: true });
    const [, lying, said, last] = framesOf(decided, view(), false);
    expect([lying?.told, lying?.banner]).toEqual(["Line 3.", undefined]);
    expect(said).toMatchObject({ banner: "Line 3.", view: { dice: [], choices: [] } });
    expect(said?.pause).toBeGreaterThanOrEqual(1000);
    expect(said?.pause).toBeLessThanOrEqual(2000);
    expect(last).toMatchObject({ view: decided.view, pause: 0 });
    expect(last?.banner).toBeUndefined();
  });

  test("a bust stays on the table for a while, without choices", () => {
    const before = view({ dice: [die(1, { place: "kept" }), die(2)], choices: [] });
    const rolled = [die(3), die(4)];
    const lost = entry(3, { kind: "roll", ends_turn: true, lost: true, rolled });
    const [tumbling, lying, last] = framesOf(lost, before, true);
    expect(tumbling?.view?.dice.map((one) => one.code)).toEqual([1, 3, 4]);
    expect(lying).toMatchObject({ bust: true, sound: "bust" });
    expect(lying?.view).toBeUndefined();
    expect(lying?.pause).toBeGreaterThan(800);
    expect(last).toMatchObject({ bust: false, view: lost.view });
  });
});
