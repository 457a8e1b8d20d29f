import { beforeEach, describe, expect, test } from "vitest";
import { entry, keep, line, news, seat, status, table } from "./builders";
import { Stage } from "./stage";

let stage: Stage;
beforeEach(() => {
  stage = new Stage();
});

describe("who is away", () => {
  test("is part of the table, and changes by message", () => {
    const open = stage.seated({ away: [1] });
    expect([...open.away]).toEqual([1]);
    stage.server.last.say({ type: "presence", away: [] });
    expect([...open.away]).toEqual([]);
    stage.server.last.say({ type: "presence", away: [1] });
    expect([...open.away]).toEqual([1]);
    stage.server.last.break();
    stage.clock.run(300);
    stage.server.greet(table());
    expect([...open.away]).toEqual([]);
  });

  test("a bot that sits in is not away", () => {
    const open = stage.seated({ away: [1] });
    const seats = [seat("Ann"), seat("Ben", { bot: "casual" })];
    stage.server.last.say(news([entry(6, { kind: "sit", seat: 1 })], { seats }));
    expect([...open.away]).toEqual([]);
  });

  test("does not answer a command", () => {
    const open = stage.seated();
    open.choose(keep([1], "bank"));
    stage.server.last.say({ type: "presence", away: [1] });
    expect(open.busy).toBe(true);
  });
});

describe("calling", () => {
  test("the player is called by name when their turn comes", () => {
    stage.seated({ status: status({ seat: 1 }) });
    stage.server.last.say(news([entry(6, { seat: 1 })], { seat: 1 }));
    stage.clock.run(5000);
    expect(stage.calls).toEqual([]);
    stage.server.last.say(news([entry(7, { seat: 1, told: "Ben banks 50." })]));
    stage.clock.run(5000);
    expect(stage.calls).toEqual([["Ann, it is your turn", "Ben banks 50."]]);
  });

  test("also if the turn came while the connection was lost", () => {
    stage.seated({ status: status({ seat: 1 }) });
    stage.server.last.break();
    stage.clock.run(300);
    stage.server.greet(table({ log: [line(6, { seat: 1 })], status: status({ seq: 6 }) }));
    expect(stage.calls).toEqual([["Ann, it is your turn", "Line 6."]]);
  });

  test("ends when the player is back, and with the page", () => {
    const open = stage.seated();
    expect(stage.ended).toBe(0);
    stage.comeBack?.();
    expect(stage.ended).toBe(1);
    open.close();
    expect(stage.ended).toBe(2);
  });
});
