import { beforeEach, describe, expect, test } from "vitest";
import { Caller, calledSeat, whyNot } from "../src/lib/calling";
import { opened, type Scene } from "../src/lib/scene";
import { line, seat, status, table } from "./builders";
import type { LogLine, Status, Table } from "../src/lib/types";

function scene(lines: LogLine[], now: Partial<Status>, more: Partial<Table> = {}): Scene {
  return opened(null, table({ log: lines, status: status(now), ...more }));
}

const own = line(1, { seat: 0 });
const others = line(2, { seat: 1 });

describe("the seat that is called", () => {
  const before = scene([own], { seat: 1 });

  test("is the one whose turn it is after somebody else's move", () => {
    expect(calledSeat(before, scene([own, others], { seat: 0 }))).toBe(0);
    const rolled = line(3, { seat: 0, kind: "roll" });
    expect(calledSeat(before, scene([own, others, rolled], { seat: 0 }))).toBe(0);
  });

  test("is nobody on another device", () => {
    expect(calledSeat(before, scene([own, others], { seat: 1 }))).toBeNull();
    expect(calledSeat(before, scene([own, others], { seat: null, due: "over" }))).toBeNull();
  });

  test("is nobody for whom a bot plays", () => {
    const seats = [seat("Ann", { bot: "casual" }), seat("Ben")];
    expect(calledSeat(before, scene([own, others], { seat: 0, seats }))).toBeNull();
  });

  test("is nobody whose turn it was before", () => {
    const acting = scene([own], { seat: 0 });
    expect(calledSeat(acting, scene([own, others], { seat: 0 }))).toBeNull();
  });

  test("is nobody by what was done on this device", () => {
    const back = line(2, { seat: 0, kind: "sit" });
    expect(calledSeat(before, scene([own, back], { seat: 0 }))).toBeNull();
    const passed = { yours: [0, 1] };
    const shared = scene([own], { seat: null }, passed);
    expect(calledSeat(shared, scene([own, others], { seat: 0 }, passed))).toBeNull();
  });

  test("is nobody by chat", () => {
    const chat = line(2, { seat: 1, kind: "say" });
    expect(calledSeat(before, scene([own, chat], { seat: 0 }))).toBeNull();
  });

  test("is the first player once all seats are taken", () => {
    const lobby = scene([], { seat: 0, due: "wait" });
    const joined = line(1, { seat: 1, kind: "join" });
    expect(calledSeat(lobby, scene([joined], { seat: 0, due: "wait" }))).toBeNull();
    expect(calledSeat(lobby, scene([joined], { seat: 0, due: "roll" }))).toBe(0);
  });
});

describe("the caller", () => {
  let did: string[];
  let hidden: boolean;
  let shows: boolean;
  const wishes = { callSound: false, callNotice: false };
  const caller = () =>
    new Caller({
      isHidden: () => hidden,
      wishes: () => wishes,
      ring: () => did.push("ring"),
      notify: (title, text) => {
        if (!shows) throw new TypeError("Illegal constructor.");
        did.push(`${title}: ${text}`);
        return { close: () => did.push("close") };
      },
      nudge: () => did.push("nudge"),
    });

  beforeEach(() => {
    did = [];
    hidden = shows = true;
    wishes.callSound = wishes.callNotice = false;
  });

  test("does nothing unless it is wanted", () => {
    caller().call("Ann", "Go");
    expect(did).toEqual([]);
  });

  test("only nudges while the page can be seen", () => {
    hidden = false;
    wishes.callSound = wishes.callNotice = true;
    caller().call("Ann", "Go");
    expect(did).toEqual(["nudge"]);
  });

  test("rings, notifies, or both", () => {
    wishes.callSound = true;
    caller().call("Ann", "Go");
    expect(did.splice(0)).toEqual(["ring"]);
    wishes.callNotice = true;
    caller().call("Ann", "Go");
    expect(did.splice(0)).toEqual(["Ann: Go", "ring"]);
    wishes.callSound = false;
    caller().call("Ann", "Go");
    expect(did).toEqual(["Ann: Go"]);
  });

  test("rings where notifications fail", () => {
    shows = false;
    wishes.callNotice = true;
    caller().call("Ann", "Go");
    expect(did).toEqual(["ring"]);
  });

  test("closes a notification when the player is back, or when the next one comes", () => {
    wishes.callNotice = true;
    const one = caller();
    one.call("Ann", "Go");
    one.call("Ben", "Go");
    one.end();
    one.end();
    expect(did).toEqual(["Ann: Go", "close", "Ben: Go", "close"]);
  });
});

test("a missing permission is explained", () => {
  expect(whyNot("granted")).toBe("");
  expect(whyNot("denied")).toContain("blocks notifications");
  expect(whyNot("default")).toContain("was not allowed");
  expect(whyNot(undefined)).toContain("plain http");
});
