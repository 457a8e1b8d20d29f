import { beforeEach, describe, expect, test } from "vitest";
import { ANSWER_TIMEOUT, backOff, Connection, type ConnectionEvent } from "../src/lib/connection";
import type { Command } from "../src/lib/types";
import { ManualClock, news, table } from "./builders";
import { FakeServer } from "./server";

const command = (what: Command["do"] = "roll"): Command => ({
  do: what,
  seat: 0,
  seen: 5,
  text: "",
  other: null,
});

let server: FakeServer;
let clock: ManualClock;
let events: ConnectionEvent[];

function connect(isKnown = false): Connection {
  const { later } = clock;
  const hello = () => ({ secrets: ["s"], player: "p", seen: 3 });
  const connection = new Connection(
    { dial: server.dial, later, hello, onEvent: (one) => events.push(one) },
    isKnown,
  );
  connection.start();
  return connection;
}

const types = () => events.filter((one) => one.type !== "link").map((one) => one.type);

beforeEach(() => {
  server = new FakeServer();
  clock = new ManualClock();
  events = [];
});

describe("connecting", () => {
  test("says hello when the socket opens, and is online once answered", () => {
    const connection = connect();
    expect(server.last.sent).toEqual([]);
    server.last.open();
    expect(server.last.hello).toEqual({ secrets: ["s"], player: "p", seen: 3 });
    expect(connection.link).toEqual({ is: "connecting", waiting: false });
    server.last.say(table());
    expect(connection.link).toEqual({ is: "online", waiting: false });
    expect(types()).toEqual(["message"]);
  });

  test("backs off between attempts, up to a maximum", () => {
    expect([0, 1].map(backOff)).toEqual([300, 510]);
    expect(backOff(50)).toBe(8000);
  });

  test("reconnects after a break, and resets the back-off once online", () => {
    const connection = connect();
    server.greet(table());
    server.last.break();
    expect(connection.link).toEqual({ is: "lost" });
    clock.run(299);
    expect(server.sockets).toHaveLength(1);
    clock.run(1);
    server.last.break();
    clock.run(509);
    expect(server.sockets).toHaveLength(2);
    clock.run(1);
    expect(connection.link).toEqual({ is: "lost" });
    server.greet(table());
    expect(connection.link).toEqual({ is: "online", waiting: false });
    server.last.break();
    clock.run(300);
    expect(server.sockets).toHaveLength(4);
  });

  test("retry connects at once, unless a socket is open", () => {
    const connection = connect();
    server.greet(table());
    connection.retry();
    expect(server.sockets).toHaveLength(1);
    server.last.break();
    connection.retry();
    expect(server.sockets).toHaveLength(2);
    clock.run(10_000);
    expect(server.sockets).toHaveLength(2);
  });

  test("reconnect says hello again without reporting a lost connection", () => {
    const connection = connect();
    server.greet(table());
    connection.reconnect();
    expect(server.sockets.map((socket) => socket.state)).toEqual(["closed", "connecting"]);
    expect(connection.link).toEqual({ is: "connecting", waiting: false });
    server.sockets[0]?.break();
    expect(connection.link.is).toBe("connecting");
    server.sockets[0]?.say(table());
    expect(connection.link.is).toBe("connecting");
  });
});

describe("refusals", () => {
  test("an unknown table is gone", () => {
    const connection = connect();
    server.last.break(4404, "There is no such table.");
    expect(connection.link).toEqual({ is: "gone", reason: "There is no such table." });
    expect(clock.due).toBe(0);
    connection.reconnect();
    connection.retry();
    expect(server.sockets).toHaveLength(1);
  });

  test("if the server does not know a table that we know, it retries", () => {
    const connection = connect(true);
    server.last.break(4404, "There is no such table.");
    expect(connection.link).toEqual({ is: "lost" });
    expect(types()).toEqual(["forgotten"]);
    clock.run(300);
    expect(server.sockets).toHaveLength(2);
  });

  test("too many connections are reported", () => {
    connect();
    server.last.break(4429, "Too many.");
    expect(events).toContainEqual({ type: "refused", reason: "Too many." });
  });
});

describe("commands", () => {
  test("are sent, and wait for an answer", () => {
    const connection = connect();
    server.greet(table());
    expect(connection.send(command())).toBe(true);
    expect(server.last.commands).toEqual([command()]);
    expect(connection.link).toEqual({ is: "online", waiting: true });
    server.last.say(news([]));
    expect(connection.link).toEqual({ is: "online", waiting: false });
  });

  test("are answered by a problem too, but not by other messages", () => {
    const connection = connect();
    server.greet(table());
    connection.send(command());
    server.last.say({ type: "trouble", what: "" });
    expect(connection.link).toMatchObject({ waiting: true });
    server.last.say({ type: "problem", kind: "Refused", error: "No." } as never);
    expect(connection.link).toMatchObject({ waiting: false });
  });

  test("chat and questions to the coach do not wait for an answer", () => {
    const connection = connect();
    server.greet(table());
    connection.send(command("say"));
    connection.send(command("advise"));
    expect(connection.link).toEqual({ is: "online", waiting: false });
    expect(clock.due).toBe(0);
  });

  test("without an answer in time, the connection is replaced", () => {
    const connection = connect();
    server.greet(table());
    connection.send(command());
    clock.run(ANSWER_TIMEOUT);
    expect(server.sockets).toHaveLength(2);
    expect(connection.link).toEqual({ is: "connecting", waiting: true });
    server.greet(table());
    expect(connection.link).toEqual({ is: "online", waiting: false });
    expect(server.last.commands).toEqual([]);
  });

  test("with an answer in time, it is kept", () => {
    const connection = connect();
    server.greet(table());
    connection.send(command());
    server.last.say(news([]));
    clock.run(ANSWER_TIMEOUT);
    expect(server.sockets).toHaveLength(1);
  });

  test("are queued until the first connection is open", () => {
    const connection = connect(true);
    expect(connection.send(command())).toBe(true);
    expect(connection.link).toEqual({ is: "connecting", waiting: true });
    server.greet(table());
    expect(server.last.commands).toEqual([command()]);
    expect(connection.link).toEqual({ is: "online", waiting: true });
  });

  test("are refused while the connection is lost, and queued ones are dropped", () => {
    const connection = connect(true);
    connection.send(command());
    server.last.break();
    expect(connection.link).toEqual({ is: "lost" });
    expect(connection.send(command())).toBe(false);
    clock.run(300);
    server.greet(table());
    expect(server.last.commands).toEqual([]);
  });
});

test("a closed connection stays closed", () => {
  const connection = connect();
  server.greet(table());
  connection.send(command());
  connection.close();
  server.last.break();
  connection.reconnect();
  clock.run(60_000);
  expect(connection.link).toEqual({ is: "closed" });
  expect(server.sockets).toHaveLength(1);
  expect(clock.due).toBe(0);
  expect(connection.send(command())).toBe(false);
});
