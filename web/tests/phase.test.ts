import { describe, expect, test } from "vitest";
import type { Line } from "../src/lib/connection";
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
import { result, seat, status, table } from "./made";

const ONLINE: Line = { is: "online", waiting: false };

function phase(
  ofStatus: Partial<Status> = {},
  ofTable: Partial<Table> = {},
  more: Partial<Facts> = {},
) {
  const scene = { table: table(ofTable), status: status(ofStatus) };
  return phaseOf({ line: ONLINE, scene, showing: false, ready: null, ...more });
}

describe("without a table", () => {
  const without = (line: Line) => phaseOf({ line, scene: null, showing: false, ready: null });

  test("it is being opened, cannot be reached, or is gone", () => {
    expect(without({ is: "connecting", waiting: false })).toEqual({ is: "opening" });
    expect(without({ is: "lost" })).toEqual({ is: "unreachable" });
    expect(without({ is: "gone", reason: "No." })).toEqual({ is: "gone", reason: "No." });
  });
});

describe("phaseOf", () => {
  test("a lost connection changes nothing about what is waited for", () => {
    expect(phase({}, {}, { line: { is: "lost" } }).is).toBe("choosing");
  });

  test("open seats are waited for, whatever is being shown", () => {
    expect(phase({ due: "wait", seat: null }, {}, { showing: true })).toEqual({ is: "lobby" });
  });

  test("what is being shown comes before everything else", () => {
    expect(phase({ due: "over", result }, {}, { showing: true })).toEqual({ is: "showing" });
  });

  test("the end has a result", () => {
    expect(phase({ due: "over", seat: null, result })).toEqual({ is: "over", result });
  });

  test("a seat of ours rolls or chooses", () => {
    expect(phase({ due: "roll" })).toEqual({ is: "rolling", seat: 0 });
    expect(phase({ due: "choose" })).toEqual({ is: "choosing", seat: 0 });
  });

  test("other seats, and seats that a bot plays, are waited for", () => {
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

    test("a roll is entered by whoever rolled it", () => {
      expect(rolls({})).toEqual({ is: "typing", seat: 0, forBot: false });
      expect(rolls({ seat: 1 })).toEqual({ is: "waiting" });
    });

    test("a bot's roll is entered by whoever plays here", () => {
      expect(rolls({ seat: 1, seats: bots })).toEqual({ is: "typing", seat: 0, forBot: true });
      expect(rolls({ seat: 1, seats: bots }, [])).toEqual({ is: "waiting" });
    });

    test("choosing is as ever", () => {
      expect(phase({}, { dice: "typed" })).toEqual({ is: "choosing", seat: 0 });
    });
  });

  describe("with several people round one device", () => {
    const shared = { yours: [0, 1] };

    test("the device is handed over before somebody chooses", () => {
      expect(phase({ seat: 1 }, shared)).toEqual({ is: "handing", seat: 1 });
      expect(phase({ seat: 1 }, shared, { ready: 0 })).toEqual({ is: "handing", seat: 1 });
      expect(phase({ seat: 1 }, shared, { ready: 1 })).toEqual({ is: "choosing", seat: 1 });
    });

    test("but not for the first dice, and not to roll", () => {
      expect(phase({ seq: 1 }, shared).is).toBe("choosing");
      expect(phase({ due: "roll" }, shared).is).toBe("rolling");
    });

    test("a bot in the other seat needs no device", () => {
      const seats = [seat("Ann"), seat("Ben", { bot: "sharp" })];
      expect(phase({ seats }, shared).is).toBe("choosing");
    });
  });
});

test("actingSeat is the seat that is due, if it is ours and a person's", () => {
  expect(actingSeat(table(), status({ seat: 0 }))).toBe(0);
  expect(actingSeat(table(), status({ seat: 1 }))).toBeNull();
  expect(actingSeat(table(), status({ seat: null }))).toBeNull();
});

test("peopleOf leaves out seats that a bot plays", () => {
  const seats = [seat("Ann"), seat("Ben", { bot: "sharp" })];
  expect(peopleOf(table({ yours: [0, 1] }), status({ seats }))).toEqual([0]);
});

test("undoerOf is the seat that may, if it is ours", () => {
  expect(undoerOf(table(), status({ undoer: 0 }))).toBe(0);
  expect(undoerOf(table(), status({ undoer: 1 }))).toBeNull();
  expect(undoerOf(table(), status({ undoer: null }))).toBeNull();
  expect(undoerOf(table({ yours: [1] }), status({ undoer: -1 }))).toBe(1);
  expect(undoerOf(table({ yours: [] }), status({ undoer: -1 }))).toBeNull();
});

test("isOurTurn does not count the typing of a bot's roll", () => {
  expect(isOurTurn({ is: "typing", seat: 0, forBot: false })).toBe(true);
  expect(isOurTurn({ is: "typing", seat: 0, forBot: true })).toBe(false);
  expect(isOurTurn({ is: "over", result })).toBe(true);
  expect(isOurTurn({ is: "waiting" })).toBe(false);
});

test("isFree while the connection is there or on its way, and nothing is unanswered", () => {
  expect(isFree({ is: "connecting", waiting: false })).toBe(true);
  expect(isFree({ is: "online", waiting: true })).toBe(false);
  expect(isFree({ is: "lost" })).toBe(false);
});
