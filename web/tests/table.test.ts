import { beforeEach, describe, expect, test } from "vitest";
import { handOver } from "../src/lib/handed";
import type { Advice, TableOpened } from "../src/lib/types";
import { choice, entry, keep, line, news, result, seat, status, table, view } from "./builders";
import { Stage } from "./stage";

let stage: Stage;
beforeEach(() => {
  stage = new Stage();
});

describe("opening", () => {
  test("is empty until the server has answered", () => {
    const open = stage.open();
    expect(open.phase).toEqual({ is: "opening" });
    expect(open.table).toBeNull();
    stage.server.greet(table());
    expect(open.phase).toEqual({ is: "choosing", seat: 0 });
    expect(open.offset).toBe(10);
  });

  test("a game is running from its first roll to its end", () => {
    const open = stage.open();
    expect(open.isRunning).toBe(false);
    const shown = { wait: false, roll: true, choose: true, over: false };
    for (const [due, isRunning] of Object.entries(shown)) {
      stage.server.greet(table({ status: status({ due: due as keyof typeof shown }) }));
      expect(open.isRunning).toBe(isRunning);
    }
  });

  test("hello contains the number of known log entries", () => {
    stage.seated();
    expect(stage.server.last.hello.seen).toBe(0);
    stage.server.last.break();
    stage.clock.run(300);
    stage.server.last.open();
    expect(stage.server.last.hello.seen).toBe(5);
  });

  /** A table whose first dice were rolled when it was set up. */
  const opened = (entries = [entry(5, { kind: "roll" })]): TableOpened => ({
    id: "new",
    host: "",
    seats: [],
    table: table({ id: "new" }),
    before: view({ prompt: "Roll." }),
    entries,
  });

  test("only what somebody here chooses or rolls counts as played", () => {
    handOver(opened());
    const open = stage.open("new");
    stage.server.greet(table({ id: "new" }));
    stage.clock.run(5000);
    expect([open.phase.is, open.acted]).toEqual(["choosing", false]);
    open.choose(keep([1], "bank"));
    expect(open.acted).toBe(true);
  });

  test("the first dice of a new table are thrown before anything tells what they are", () => {
    handOver(opened());
    const open = stage.open("new");
    expect([open.phase.is, open.rolls, open.rolling, open.told]).toEqual(["showing", 1, true, ""]);
    expect([open.view?.choices, open.log]).toEqual([[], []]);
    open.choose(keep([1], "bank"));
    expect(stage.server.last.commands).toEqual([]);
    stage.server.greet(table({ id: "new" }));
    expect([open.phase.is, open.rolling]).toEqual(["showing", true]);
    stage.clock.run(1000);
    expect([open.phase, open.rolling]).toEqual([{ is: "choosing", seat: 0 }, false]);
    expect(open.told).toBe("Line 5.");
    open.choose(keep([1], "bank"));
    expect(stage.server.last.commands).toMatchObject([{ do: "choose", text: "1 bank", seen: 5 }]);
  });

  test("a new table without a roll is shown as it is", () => {
    handOver(opened([]));
    const open = stage.open("new");
    expect([open.phase, open.rolls]).toEqual([{ is: "choosing", seat: 0 }, 0]);
  });

  test("a table that does not exist is gone", () => {
    const open = stage.open();
    stage.server.last.break(4404, "No such table.");
    expect(open.phase).toEqual({ is: "gone", reason: "No such table." });
  });

  test("a server that has lost the table sends the log from the start", () => {
    const open = stage.seated();
    stage.server.last.break(4404);
    expect(open.lines).toEqual([]);
    stage.clock.run(300);
    stage.server.greet(table({ log: [line(1)] }));
    expect(open.lines).toHaveLength(1);
  });
});

describe("news", () => {
  test("are shown one after the other before the status changes", () => {
    const open = stage.seated();
    stage.server.last.say(news([entry(6, { seat: 1 }), entry(7, { seat: 1, kind: "roll" })]));
    expect(open.phase).toEqual({ is: "showing" });
    expect([open.told, open.status?.seq, open.busy]).toEqual(["Line 6.", 5, true]);
    stage.clock.run(10_000);
    expect([open.told, open.status?.seq, open.busy]).toEqual(["Line 7.", 7, false]);
    expect([open.rolls, open.moved, stage.sounds]).toEqual([1, 7, ["keep", "roll"]]);
  });

  test("dice roll until they are told", () => {
    const open = stage.seated();
    stage.server.last.say(news([entry(6, { kind: "roll" })]));
    expect([open.rolling, open.told, open.log.length]).toEqual([true, "Line 5.", 5]);
    stage.clock.run(1000);
    expect([open.rolling, open.told, open.log.length]).toEqual([false, "Line 6.", 6]);
  });

  test("dice that roll lie when the whole table comes", () => {
    const open = stage.seated();
    stage.server.last.say(news([entry(6, { kind: "roll" })]));
    stage.server.last.break();
    stage.clock.run(300);
    stage.server.greet(table({ log: [line(6), line(7)] }));
    expect(open.rolling).toBe(false);
  });

  test("can be skipped", () => {
    const open = stage.seated();
    stage.server.last.say(news([entry(6, { kind: "roll", seat: 1 })]));
    open.skip();
    expect(open.status?.seq).toBe(6);
  });

  test("do not keep us from rolling when that is due next", () => {
    const open = stage.seated();
    stage.server.last.say(news([entry(6, { kind: "roll", seat: 1 })], { due: "roll", seat: 0 }));
    expect([open.phase.is, open.rollsNext]).toEqual(["showing", 0]);
    open.goOn();
    expect([open.status?.seq, open.rollsNext]).toEqual([6, null]);
    expect(stage.server.last.commands.at(-1)).toMatchObject({ do: "roll", seat: 0, seen: 6 });
  });

  test("do not keep us from a choice that another's move has led to", () => {
    const open = stage.seated();
    const offer = view({ choices: [choice("continue"), choice("fresh")] });
    const moves = [entry(6, { kind: "roll", seat: 1 }), entry(7, { seat: 1, view: offer })];
    stage.server.last.say(news(moves, { due: "choose", seat: 0 }));
    expect([open.phase.is, open.choosesNext]).toEqual(["showing", offer]);
    open.choose(choice("fresh"));
    expect([open.status?.seq, open.choosesNext]).toEqual([7, null]);
    expect(stage.server.last.commands).toEqual([]);
    open.choose(choice("fresh"));
    expect(stage.server.last.commands.at(-1)).toMatchObject({
      do: "choose",
      seat: 0,
      text: "fresh",
    });
  });

  test("of another's last roll keep us from choosing only until the dice lie", () => {
    const open = stage.seated();
    const offer = view({ choices: [choice("take")] });
    const roll = entry(6, { kind: "roll", seat: 1, ends_turn: true, view: offer });
    stage.server.last.say(news([roll], { due: "choose", seat: 0 }));
    expect([open.phase.is, open.choosesNext]).toEqual(["showing", null]);
    stage.clock.run(600);
    expect([open.phase.is, open.choosesNext]).toEqual(["showing", offer]);
  });

  test("of our own roll are seen before we choose", () => {
    const open = stage.seated();
    stage.server.last.say(news([entry(6, { kind: "roll", seat: 0 })], { due: "choose", seat: 0 }));
    expect([open.phase.is, open.choosesNext]).toEqual(["showing", null]);
  });

  test("are superseded by the whole table", () => {
    const open = stage.seated();
    stage.server.last.say(news([entry(6, { kind: "roll", lost: true, ends_turn: true })]));
    stage.clock.run(600);
    expect(open.bust).toBe(true);
    stage.server.last.say(table({ log: [line(7)], status: status({ seq: 7 }) }));
    expect([open.bust, open.status?.seq]).toEqual([false, 7]);
    stage.clock.run(10_000);
    expect([open.lines.length, open.status?.seq]).toEqual([7, 7]);
  });

  test("chat is shown for a while and changes nothing else", () => {
    const open = stage.seated();
    stage.server.last.say(news([entry(6, { kind: "say", told: "Ben: hi" })]));
    expect([open.said, open.moved, open.phase.is]).toEqual(["Ben: hi", 5, "choosing"]);
    stage.clock.run(12_000);
    expect(open.said).toBe("");
  });
});

describe("problems", () => {
  test("are shown until the next news", () => {
    const open = stage.seated();
    stage.server.last.say({ type: "problem", kind: "Refused", error: "No." } as never);
    expect(open.problem).toBe("No.");
    stage.server.last.say({ type: "problem", kind: "Stale", error: "Late." } as never);
    expect(open.problem).toBe("No.");
    stage.server.last.say(news([]));
    expect(open.problem).toBe("");
  });

  test("nothing is sent while the connection is lost", () => {
    const open = stage.seated();
    stage.server.last.break();
    expect([open.lost, open.free, open.phase.is]).toEqual([true, false, "choosing"]);
    expect(open.send({ do: "say", seat: 0, text: "hi" })).toBe(false);
    expect(open.problem).toContain("Try again in a moment");
  });

  test("server problems are shown until they are over", () => {
    const open = stage.seated({ trouble: "The disk is full." });
    expect(open.trouble).toBe("The disk is full.");
    stage.server.last.say({ type: "trouble", what: "" });
    expect(open.trouble).toBe("");
  });
});

describe("the coach", () => {
  const advice = (seq: number) => ({ type: "advice", seq, counsels: [] }) as unknown as Advice;

  test("is asked when we have to choose, and shown if it is about the current state", () => {
    const open = stage.seated({ coach: true });
    expect(stage.server.last.commands).toMatchObject([{ do: "advise", seat: 0, seen: 5 }]);
    expect(open.free).toBe(true);
    stage.server.last.say(advice(4));
    expect(open.advice).toBeNull();
    stage.server.last.say(advice(5));
    expect(open.advice?.seq).toBe(5);
    stage.server.last.say(news([entry(6)], { seat: 1 }));
    stage.clock.run(10_000);
    expect(open.advice).toBeNull();
    expect(stage.server.last.commands).toHaveLength(1);
  });

  test("is asked again once the game is solved", () => {
    const open = stage.seated({ coach: true });
    stage.server.last.say({ type: "working", what: "Solving", part: 0.5 });
    expect(open.working?.part).toBe(0.5);
    stage.server.last.say({ type: "working", what: "Solving", part: 1 });
    expect(open.working).toBeNull();
    expect(stage.server.last.commands).toHaveLength(2);
  });
});

describe("commands", () => {
  test("one command at a time", () => {
    const open = stage.seated();
    open.choose(keep([1], "bank"));
    open.choose(keep([1], "bank"));
    expect(stage.server.last.commands).toHaveLength(1);
    expect([open.busy, open.free]).toEqual([true, false]);
  });

  test("roll, with the faces of real dice", () => {
    const open = stage.seated({ dice: "typed", status: status({ due: "roll" }) });
    open.roll("123456");
    expect(stage.server.last.commands).toMatchObject([{ do: "roll", seat: 0, text: "123456" }]);
  });

  test("no roll if none is due", () => {
    stage.seated().roll();
    expect(stage.server.last.commands).toEqual([]);
  });

  test("undo, if a seat on this device may", () => {
    stage.seated().undo();
    expect(stage.server.last.commands).toEqual([]);
    stage.seated({ status: status({ undoer: 0 }) }).undo();
    expect(stage.server.last.commands).toMatchObject([{ do: "undo", seat: 0 }]);
  });

  test("the player with the device keeps it until the game is over", () => {
    const open = stage.seated({ yours: [0, 1] });
    expect(open.phase).toEqual({ is: "handing", seat: 0 });
    open.takeDevice();
    expect(open.phase).toEqual({ is: "choosing", seat: 0 });
    stage.server.last.say(news([entry(6)], { seq: 6, due: "over", seat: null, result }));
    stage.clock.run(1000);
    expect(open.phase.is).toBe("over");
    open.rematch();
    expect(stage.server.last.commands).toMatchObject([{ do: "rematch", seat: 0 }]);
    stage.server.last.say(news([entry(7)], { seq: 7 }));
    stage.clock.run(1000);
    expect(open.phase).toEqual({ is: "handing", seat: 0 });
  });

  test("the player who has chosen has the device", () => {
    const open = stage.seated({ yours: [0, 1], status: status({ seq: 1 }), log: [line(1)] });
    open.choose(keep([1], "roll"));
    stage.server.last.say(news([entry(2)]));
    stage.clock.run(1000);
    expect(open.phase).toEqual({ is: "choosing", seat: 0 });
  });
});

test("names are those of the seats", () => {
  const open = stage.seated({ status: status({ seats: [seat("Ann"), seat("Bo")] }) });
  expect([open.name(1), open.name(null), open.name(9)]).toEqual(["Bo", "", ""]);
});

test("returning to the page reconnects at once", () => {
  stage.seated();
  stage.server.last.break();
  stage.comeBack?.();
  expect(stage.server.sockets).toHaveLength(2);
});

test("a closed table leaves no timers or sockets", () => {
  const open = stage.seated();
  stage.server.last.say(news([entry(6, { kind: "say" }), entry(7, { kind: "roll", seat: 1 })]));
  open.choose(keep([1], "bank"));
  open.close();
  expect(stage.clock.due).toBe(0);
  expect(stage.comeBack).toBeUndefined();
  expect(stage.server.last.state).toBe("closed");
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
    const table = stage.seated({ ...lobby, log: [] });
    expect(table.phase).toEqual({ is: "lobby" });
    stage.server.last.say(begin());
    expect(table.phase).toEqual({ is: "showing" });
    expect(table.name(1)).toBe("Ben");
    stage.clock.run(600);
    expect(table.told).toBe("Ann 6, Ben 2: Ann starts.");
    stage.clock.run(5000);
    expect(table.phase.is).toBe("waiting");
  });

  test("whoever takes it sees them too", () => {
    const guest = stage.seated({ ...lobby, log: [] });
    const first = stage.server.last;
    guest.sitDown(1);
    expect(stage.server.last).toBe(first);
    first.say(begin());
    expect(stage.server.last).not.toBe(first);
    stage.server.greet(table({ yours: [1], log: [], status: status({ seq: 3, seat: 0 }) }));
    expect(guest.phase).toEqual({ is: "showing" });
    stage.clock.run(600);
    expect(guest.told).toBe("Ann 6, Ben 2: Ann starts.");
    expect(guest.table?.yours).toEqual([1]);
    stage.clock.run(5000);
    expect(guest.phase).toEqual({ is: "waiting" });
  });

  test("it is played for at once if the news came first", () => {
    const guest = stage.seated({ ...lobby, log: [] });
    const first = stage.server.last;
    first.say(begin());
    guest.sitDown(1);
    expect(stage.server.last).not.toBe(first);
  });
});
