import { beforeEach, describe, expect, test } from "vitest";
import { handOver } from "../src/lib/handed";
import { OpenTable } from "../src/lib/table.svelte";
import type { Advice, Table } from "../src/lib/types";
import { entry, ManualClock, keep, line, news, result, seat, status, table } from "./builders";
import { FakeServer } from "./server";

let server: FakeServer;
let clock: ManualClock;
let sounds: string[];
let comeBack: (() => void) | undefined;

function openTable(id = "t"): OpenTable {
  return new OpenTable(id, {
    dial: server.dial,
    later: clock.later,
    pace: (milliseconds) => milliseconds,
    play: (sound) => sounds.push(sound),
    now: () => 90,
    onReturn: (call) => {
      comeBack = call;
      return () => (comeBack = undefined);
    },
  });
}

function seated(more: Partial<Table> = {}): OpenTable {
  const open = openTable();
  server.greet(table({ log: [1, 2, 3, 4, 5].map((seq) => line(seq)), ...more }));
  return open;
}

beforeEach(() => {
  server = new FakeServer();
  clock = new ManualClock();
  sounds = [];
});

describe("opening", () => {
  test("is empty until the server has answered", () => {
    const open = openTable();
    expect(open.phase).toEqual({ is: "opening" });
    expect(open.table).toBeNull();
    server.greet(table());
    expect(open.phase).toEqual({ is: "choosing", seat: 0 });
    expect(open.offset).toBe(10);
  });

  test("hello contains the number of known log entries", () => {
    seated();
    expect(server.last.hello.seen).toBe(0);
    server.last.break();
    clock.run(300);
    server.last.open();
    expect(server.last.hello.seen).toBe(5);
  });

  test("a table that was just set up is shown at once, with tumbling dice", () => {
    handOver({ id: "new", table: table({ id: "new" }), seats: [] } as never);
    const open = openTable("new");
    expect(open.phase).toEqual({ is: "choosing", seat: 0 });
    expect(open.rolls).toBe(1);
    open.choose(keep([1], "bank"));
    expect(open.busy).toBe(true);
    server.greet(table({ id: "new" }));
    expect(server.last.commands).toMatchObject([{ do: "choose", text: "1 bank", seen: 5 }]);
  });

  test("a table that does not exist is gone", () => {
    const open = openTable();
    server.last.break(4404, "No such table.");
    expect(open.phase).toEqual({ is: "gone", reason: "No such table." });
  });

  test("a server that has lost the table sends the log from the start", () => {
    const open = seated();
    server.last.break(4404);
    expect(open.lines).toEqual([]);
    clock.run(300);
    server.greet(table({ log: [line(1)] }));
    expect(open.lines).toHaveLength(1);
  });
});

describe("news", () => {
  test("are shown one after the other before the status changes", () => {
    const open = seated();
    server.last.say(news([entry(6, { seat: 1 }), entry(7, { seat: 1, kind: "roll" })]));
    expect(open.phase).toEqual({ is: "showing" });
    expect([open.told, open.status?.seq, open.busy]).toEqual(["Line 6.", 5, true]);
    clock.run(10_000);
    expect([open.told, open.status?.seq, open.busy]).toEqual(["Line 7.", 7, false]);
    expect([open.rolls, open.moved, sounds]).toEqual([1, 7, ["keep", "roll"]]);
  });

  test("can be skipped", () => {
    const open = seated();
    server.last.say(news([entry(6, { kind: "roll", seat: 1 })]));
    open.skip();
    expect(open.status?.seq).toBe(6);
  });

  test("do not keep us from rolling when that is due next", () => {
    const open = seated();
    server.last.say(news([entry(6, { kind: "roll", seat: 1 })], { due: "roll", seat: 0 }));
    expect([open.phase.is, open.rollsNext]).toEqual(["showing", 0]);
    open.goOn();
    expect([open.status?.seq, open.rollsNext]).toEqual([6, null]);
    expect(server.last.commands.at(-1)).toMatchObject({ do: "roll", seat: 0, seen: 6 });
  });

  test("are superseded by the whole table", () => {
    const open = seated();
    server.last.say(news([entry(6, { kind: "roll", lost: true, ends_turn: true })]));
    clock.run(600);
    expect(open.bust).toBe(true);
    server.last.say(table({ log: [line(7)], status: status({ seq: 7 }) }));
    expect([open.bust, open.status?.seq]).toEqual([false, 7]);
    clock.run(10_000);
    expect([open.lines.length, open.status?.seq]).toEqual([7, 7]);
  });

  test("chat is shown for a while and changes nothing else", () => {
    const open = seated();
    server.last.say(news([entry(6, { kind: "say", told: "Ben: hi" })]));
    expect([open.said, open.moved, open.phase.is]).toEqual(["Ben: hi", 5, "choosing"]);
    clock.run(12_000);
    expect(open.said).toBe("");
  });
});

describe("problems", () => {
  test("are shown until the next news", () => {
    const open = seated();
    server.last.say({ type: "problem", kind: "Refused", error: "No." } as never);
    expect(open.problem).toBe("No.");
    server.last.say({ type: "problem", kind: "Stale", error: "Late." } as never);
    expect(open.problem).toBe("No.");
    server.last.say(news([]));
    expect(open.problem).toBe("");
  });

  test("nothing is sent while the connection is lost", () => {
    const open = seated();
    server.last.break();
    expect([open.lost, open.free, open.phase.is]).toEqual([true, false, "choosing"]);
    expect(open.send({ do: "say", seat: 0, text: "hi" })).toBe(false);
    expect(open.problem).toContain("Try again in a moment");
  });

  test("server problems are shown until they are over", () => {
    const open = seated({ trouble: "The disk is full." });
    expect(open.trouble).toBe("The disk is full.");
    server.last.say({ type: "trouble", what: "" });
    expect(open.trouble).toBe("");
  });
});

describe("the coach", () => {
  const advice = (seq: number) => ({ type: "advice", seq, counsels: [] }) as unknown as Advice;

  test("is asked when we have to choose, and shown if it is about the current state", () => {
    const open = seated({ coach: true });
    expect(server.last.commands).toMatchObject([{ do: "advise", seat: 0, seen: 5 }]);
    expect(open.free).toBe(true);
    server.last.say(advice(4));
    expect(open.advice).toBeNull();
    server.last.say(advice(5));
    expect(open.advice?.seq).toBe(5);
    server.last.say(news([entry(6)], { seat: 1 }));
    clock.run(10_000);
    expect(open.advice).toBeNull();
    expect(server.last.commands).toHaveLength(1);
  });

  test("is asked again once the game is solved", () => {
    const open = seated({ coach: true });
    server.last.say({ type: "working", what: "Solving", part: 0.5 });
    expect(open.working?.part).toBe(0.5);
    server.last.say({ type: "working", what: "Solving", part: 1 });
    expect(open.working).toBeNull();
    expect(server.last.commands).toHaveLength(2);
  });
});

describe("commands", () => {
  test("one command at a time", () => {
    const open = seated();
    open.choose(keep([1], "bank"));
    open.choose(keep([1], "bank"));
    expect(server.last.commands).toHaveLength(1);
    expect([open.busy, open.free]).toEqual([true, false]);
  });

  test("roll, with the faces of real dice", () => {
    const open = seated({ dice: "typed", status: status({ due: "roll" }) });
    open.roll("123456");
    expect(server.last.commands).toMatchObject([{ do: "roll", seat: 0, text: "123456" }]);
  });

  test("no roll if none is due", () => {
    seated().roll();
    expect(server.last.commands).toEqual([]);
  });

  test("undo, if a seat on this device may", () => {
    seated().undo();
    expect(server.last.commands).toEqual([]);
    seated({ status: status({ undoer: 0 }) }).undo();
    expect(server.last.commands).toMatchObject([{ do: "undo", seat: 0 }]);
  });

  test("the player with the device keeps it until the game is over", () => {
    const open = seated({ yours: [0, 1] });
    expect(open.phase).toEqual({ is: "handing", seat: 0 });
    open.takeDevice();
    expect(open.phase).toEqual({ is: "choosing", seat: 0 });
    server.last.say(news([entry(6)], { seq: 6, due: "over", seat: null, result }));
    clock.run(1000);
    expect(open.phase.is).toBe("over");
    open.rematch();
    expect(server.last.commands).toMatchObject([{ do: "rematch", seat: 0 }]);
    server.last.say(news([entry(7)], { seq: 7 }));
    clock.run(1000);
    expect(open.phase).toEqual({ is: "handing", seat: 0 });
  });

  test("the player who has chosen has the device", () => {
    const open = seated({ yours: [0, 1], status: status({ seq: 1 }), log: [line(1)] });
    open.choose(keep([1], "roll"));
    server.last.say(news([entry(2)]));
    clock.run(1000);
    expect(open.phase).toEqual({ is: "choosing", seat: 0 });
  });
});

test("names are those of the seats", () => {
  const open = seated({ status: status({ seats: [seat("Ann"), seat("Bo")] }) });
  expect([open.name(1), open.name(null), open.name(9)]).toEqual(["Bo", "", ""]);
});

test("returning to the page reconnects at once", () => {
  seated();
  server.last.break();
  comeBack?.();
  expect(server.sockets).toHaveLength(2);
});

test("a closed table leaves no timers or sockets", () => {
  const open = seated();
  server.last.say(news([entry(6, { kind: "say" }), entry(7, { kind: "roll", seat: 1 })]));
  open.choose(keep([1], "bank"));
  open.close();
  expect(clock.due).toBe(0);
  expect(comeBack).toBeUndefined();
  expect(server.last.state).toBe("closed");
});

describe("the last seat is taken", () => {
  const open = seat("Open seat", { open: true });
  const lobby = { yours: [], status: status({ seq: 0, due: "wait", seats: [seat("Ann"), open] }) };
  const begin = () =>
    news(
      [
        entry(1, { kind: "sit", seat: 1 }),
        entry(2, { kind: "roll", told: "Ann 6, Ben 2: Ann starts.", ends_turn: true }),
        entry(3, { kind: "roll", told: "Ann rolls 1." }),
      ],
      { seats: [seat("Ann"), seat("Ben")] },
    );

  test("everybody sees the first rolls, with the names of all players", () => {
    const table = seated({ ...lobby, log: [] });
    expect(table.phase).toEqual({ is: "lobby" });
    server.last.say(begin());
    expect(table.phase).toEqual({ is: "showing" });
    expect(table.name(1)).toBe("Ben");
    clock.run(600);
    expect(table.told).toBe("Ann 6, Ben 2: Ann starts.");
    clock.run(5000);
    expect(table.phase.is).toBe("waiting");
  });

  test("whoever takes it sees them too", () => {
    const guest = seated({ ...lobby, log: [] });
    const first = server.last;
    guest.sitDown(1);
    expect(server.last).toBe(first);
    first.say(begin());
    expect(server.last).not.toBe(first);
    server.greet(table({ yours: [1], log: [], status: status({ seq: 3, seat: 0 }) }));
    expect(guest.phase).toEqual({ is: "showing" });
    clock.run(600);
    expect(guest.told).toBe("Ann 6, Ben 2: Ann starts.");
    expect(guest.table?.yours).toEqual([1]);
    clock.run(5000);
    expect(guest.phase).toEqual({ is: "waiting" });
  });

  test("it is played for at once if the news came first", () => {
    const guest = seated({ ...lobby, log: [] });
    const first = server.last;
    first.say(begin());
    guest.sitDown(1);
    expect(server.last).not.toBe(first);
  });
});
