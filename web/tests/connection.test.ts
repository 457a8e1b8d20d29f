import { beforeEach, describe, expect, test } from "vitest";
import { ANSWER, backOff, Connection, type Heard } from "../src/lib/connection";
import type { Command } from "../src/lib/types";
import { HandClock, news, table } from "./made";
import { FakeServer } from "./server";

const command = (what: Command["do"] = "roll"): Command => ({
  do: what,
  seat: 0,
  seen: 5,
  text: "",
  other: null,
});

let server: FakeServer;
let clock: HandClock;
let heard: Heard[];

function connect(isKnown = false): Connection {
  const { later } = clock;
  const hello = () => ({ secrets: ["s"], player: "p", seen: 3 });
  const made = new Connection(
    { dial: server.dial, later, hello, hear: (one) => heard.push(one) },
    isKnown,
  );
  made.start();
  return made;
}

const types = () => heard.filter((one) => one.type !== "line").map((one) => one.type);

beforeEach(() => {
  server = new FakeServer();
  clock = new HandClock();
  heard = [];
});

describe("connecting", () => {
  test("says hello when the socket is open, and is online when it is answered", () => {
    const made = connect();
    expect(server.last.sent).toEqual([]);
    server.last.open();
    expect(server.last.hello).toEqual({ secrets: ["s"], player: "p", seen: 3 });
    expect(made.line).toEqual({ is: "connecting", waiting: false });
    server.last.say(table());
    expect(made.line).toEqual({ is: "online", waiting: false });
    expect(types()).toEqual(["said"]);
  });

  test("waits longer from attempt to attempt, but never very long", () => {
    expect([0, 1].map(backOff)).toEqual([300, 510]);
    expect(backOff(50)).toBe(8000);
  });

  test("connects again after a break, and begins to count anew when it is back", () => {
    const made = connect();
    server.greet(table());
    server.last.break();
    expect(made.line).toEqual({ is: "lost" });
    clock.run(299);
    expect(server.sockets).toHaveLength(1);
    clock.run(1);
    server.last.break();
    clock.run(509);
    expect(server.sockets).toHaveLength(2);
    clock.run(1);
    expect(made.line).toEqual({ is: "lost" });
    server.greet(table());
    expect(made.line).toEqual({ is: "online", waiting: false });
    server.last.break();
    clock.run(300);
    expect(server.sockets).toHaveLength(4);
  });

  test("tries at once when asked to, but leaves an open socket alone", () => {
    const made = connect();
    server.greet(table());
    made.retry();
    expect(server.sockets).toHaveLength(1);
    server.last.break();
    made.retry();
    expect(server.sockets).toHaveLength(2);
    clock.run(10_000);
    expect(server.sockets).toHaveLength(2);
  });

  test("says hello again when asked to, without being lost", () => {
    const made = connect();
    server.greet(table());
    made.reconnect();
    expect(server.sockets.map((socket) => socket.state)).toEqual(["closed", "connecting"]);
    expect(made.line).toEqual({ is: "connecting", waiting: false });
    server.sockets[0]?.break();
    expect(made.line.is).toBe("connecting");
    server.sockets[0]?.say(table());
    expect(made.line.is).toBe("connecting");
  });
});

describe("refusals", () => {
  test("a table that was never seen is gone", () => {
    const made = connect();
    server.last.break(4404, "There is no such table.");
    expect(made.line).toEqual({ is: "gone", reason: "There is no such table." });
    expect(clock.due).toBe(0);
    made.reconnect();
    made.retry();
    expect(server.sockets).toHaveLength(1);
  });

  test("a server that knows less than we do is asked again", () => {
    const made = connect(true);
    server.last.break(4404, "There is no such table.");
    expect(made.line).toEqual({ is: "lost" });
    expect(types()).toEqual(["forgotten"]);
    clock.run(300);
    expect(server.sockets).toHaveLength(2);
  });

  test("too many connections are told", () => {
    connect();
    server.last.break(4429, "Too many.");
    expect(heard).toContainEqual({ type: "refused", reason: "Too many." });
  });
});

describe("commands", () => {
  test("are sent, and waited for", () => {
    const made = connect();
    server.greet(table());
    expect(made.send(command())).toBe(true);
    expect(server.last.commands).toEqual([command()]);
    expect(made.line).toEqual({ is: "online", waiting: true });
    server.last.say(news([]));
    expect(made.line).toEqual({ is: "online", waiting: false });
  });

  test("are answered by a problem too, but not by advice", () => {
    const made = connect();
    server.greet(table());
    made.send(command());
    server.last.say({ type: "trouble", what: "" });
    expect(made.line).toMatchObject({ waiting: true });
    server.last.say({ type: "problem", kind: "Refused", error: "No." } as never);
    expect(made.line).toMatchObject({ waiting: false });
  });

  test("words and questions to the coach are not waited for", () => {
    const made = connect();
    server.greet(table());
    made.send(command("say"));
    made.send(command("advise"));
    expect(made.line).toEqual({ is: "online", waiting: false });
    expect(clock.due).toBe(0);
  });

  test("without an answer, the connection is taken for dead", () => {
    const made = connect();
    server.greet(table());
    made.send(command());
    clock.run(ANSWER);
    expect(server.sockets).toHaveLength(2);
    expect(made.line).toEqual({ is: "connecting", waiting: true });
    server.greet(table());
    expect(made.line).toEqual({ is: "online", waiting: false });
    expect(server.last.commands).toEqual([]);
  });

  test("with an answer, it is not", () => {
    const made = connect();
    server.greet(table());
    made.send(command());
    server.last.say(news([]));
    clock.run(ANSWER);
    expect(server.sockets).toHaveLength(1);
  });

  test("are kept until the first connection is there", () => {
    const made = connect(true);
    expect(made.send(command())).toBe(true);
    expect(made.line).toEqual({ is: "connecting", waiting: true });
    server.greet(table());
    expect(server.last.commands).toEqual([command()]);
    expect(made.line).toEqual({ is: "online", waiting: true });
  });

  test("are refused while the connection is lost, and none is sent late", () => {
    const made = connect(true);
    made.send(command());
    server.last.break();
    expect(made.line).toEqual({ is: "lost" });
    expect(made.send(command())).toBe(false);
    clock.run(300);
    server.greet(table());
    expect(server.last.commands).toEqual([]);
  });
});

test("a closed connection stays closed", () => {
  const made = connect();
  server.greet(table());
  made.send(command());
  made.close();
  server.last.break();
  made.reconnect();
  clock.run(60_000);
  expect(made.line).toEqual({ is: "closed" });
  expect(server.sockets).toHaveLength(1);
  expect(clock.due).toBe(0);
  expect(made.send(command())).toBe(false);
});
