import { describe, expect, test } from "vitest";
import type { LinkState } from "../src/lib/connection";
import {
  actingSeat,
  isFree,
  isOurTurn,
  peopleOf,
  phaseOf,
  undoerOf,
  type Facts,
} from "../src/lib/phase";
import type { Status, Table } from "../src/lib/types";
import { result, seat, status, table } from "./builders";

const ONLINE: LinkState = { is: "online", waiting: false };

function phase(
  ofStatus: Partial<Status> = {},
  ofTable: Partial<Table> = {},
  more: Partial<Facts> = {},
) {
  const scene = { table: table(ofTable), status: status(ofStatus) };
  const facts = { link: ONLINE, scene, showing: false, coming: null, ready: null };
  return phaseOf({ ...facts, ...more });
}

describe("without a table", () => {
  const without = (link: LinkState) =>
    phaseOf({ link, scene: null, showing: false, coming: null, ready: null });

  test("it is opening, unreachable or gone", () => {
    expect(without({ is: "connecting", waiting: false })).toEqual({ is: "opening" });
    expect(without({ is: "lost" })).toEqual({ is: "unreachable" });
    expect(without({ is: "gone", reason: "No." })).toEqual({ is: "gone", reason: "No." });
  });
});

describe("phaseOf", () => {
  test("a lost connection does not change the phase", () => {
    expect(phase({}, {}, { link: { is: "lost" } }).is).toBe("choosing");
  });

  test("open seats mean the lobby, even during an animation", () => {
    expect(phase({ due: "wait", seat: null }, {}, { showing: true })).toEqual({ is: "lobby" });
  });

  test("the lobby gives way as soon as the first roll is shown", () => {
    const begins = { showing: true, coming: { due: "choose" as const } };
    expect(phase({ due: "wait", seat: null }, {}, begins)).toEqual({ is: "showing" });
    const waits = { showing: true, coming: { due: "wait" as const } };
    expect(phase({ due: "wait", seat: null }, {}, waits)).toEqual({ is: "lobby" });
  });

  test("an animation comes before everything else", () => {
    expect(phase({ due: "over", result }, {}, { showing: true })).toEqual({ is: "showing" });
  });

  test("the end has a result", () => {
    expect(phase({ due: "over", seat: null, result })).toEqual({ is: "over", result });
  });

  test("a seat on this device rolls or chooses", () => {
    expect(phase({ due: "roll" })).toEqual({ is: "rolling", seat: 0 });
    expect(phase({ due: "choose" })).toEqual({ is: "choosing", seat: 0 });
  });

  test("other seats, and seats played by a bot, are waited for", () => {
    expect(phase({ seat: 1 })).toEqual({ is: "waiting" });
    expect(phase({ seats: [seat("Ann", { bot: "sharp" }), seat("Ben")] })).toEqual({
      is: "waiting",
    });
    expect(phase({}, { yours: [] })).toEqual({ is: "waiting" });
  });

  describe("with real dice", () => {
    const bots = [seat("Ann"), seat("Bo", { bot: "sharp", person: false })];
    const rolls = (more: Partial<Status>, yours = [0]) =>
      phase({ due: "roll", ...more }, { dice: "typed", yours });

    test("a roll is entered by the seat that rolls", () => {
      expect(rolls({})).toEqual({ is: "typing", seat: 0, forBot: false });
      expect(rolls({ seat: 1 })).toEqual({ is: "waiting" });
    });

    test("a bot's roll is entered by a seat on this device", () => {
      expect(rolls({ seat: 1, seats: bots })).toEqual({ is: "typing", seat: 0, forBot: true });
      expect(rolls({ seat: 1, seats: bots }, [])).toEqual({ is: "waiting" });
    });

    test("choosing is the same", () => {
      expect(phase({}, { dice: "typed" })).toEqual({ is: "choosing", seat: 0 });
    });
  });

  describe("with several people sharing a device", () => {
    const shared = { yours: [0, 1] };

    test("the device is handed over before a choice", () => {
      expect(phase({ seat: 1 }, shared)).toEqual({ is: "handing", seat: 1 });
      expect(phase({ seat: 1 }, shared, { ready: 0 })).toEqual({ is: "handing", seat: 1 });
      expect(phase({ seat: 1 }, shared, { ready: 1 })).toEqual({ is: "choosing", seat: 1 });
    });

    test("but not for the first dice, and not for a roll", () => {
      expect(phase({ seq: 1 }, shared).is).toBe("choosing");
      expect(phase({ due: "roll" }, shared).is).toBe("rolling");
    });

    test("not if a bot plays the other seat", () => {
      const seats = [seat("Ann"), seat("Ben", { bot: "sharp" })];
      expect(phase({ seats }, shared).is).toBe("choosing");
    });
  });
});

test("actingSeat is the seat to act, if it is on this device and played by a person", () => {
  expect(actingSeat(table(), status({ seat: 0 }))).toBe(0);
  expect(actingSeat(table(), status({ seat: 1 }))).toBeNull();
  expect(actingSeat(table(), status({ seat: null }))).toBeNull();
});

test("peopleOf leaves out seats played by bots", () => {
  const seats = [seat("Ann"), seat("Ben", { bot: "sharp" })];
  expect(peopleOf(table({ yours: [0, 1] }), status({ seats }))).toEqual([0]);
});

test("undoerOf is the seat that may undo, if it is on this device", () => {
  expect(undoerOf(table(), status({ undoer: 0 }))).toBe(0);
  expect(undoerOf(table(), status({ undoer: 1 }))).toBeNull();
  expect(undoerOf(table(), status({ undoer: null }))).toBeNull();
  expect(undoerOf(table({ yours: [1] }), status({ undoer: -1 }))).toBe(1);
  expect(undoerOf(table({ yours: [] }), status({ undoer: -1 }))).toBeNull();
});

test("isOurTurn does not count entering a bot's roll", () => {
  expect(isOurTurn({ is: "typing", seat: 0, forBot: false })).toBe(true);
  expect(isOurTurn({ is: "typing", seat: 0, forBot: true })).toBe(false);
  expect(isOurTurn({ is: "over", result })).toBe(true);
  expect(isOurTurn({ is: "waiting" })).toBe(false);
});

test("isFree while connected or connecting, with no unanswered command", () => {
  expect(isFree({ is: "connecting", waiting: false })).toBe(true);
  expect(isFree({ is: "online", waiting: true })).toBe(false);
  expect(isFree({ is: "lost" })).toBe(false);
});
