import { beforeEach, describe, expect, it } from "vitest";
import { Chains, contradicts, LENGTH, type Memory } from "../src/lib/chains";
import { hashedBack } from "../src/lib/verified";
import type { Status, Table } from "../src/lib/types";
import { entry, status, table } from "./builders";

type Ask = NonNullable<NonNullable<Status["draw"]>["ask"]>;
const SEAL = "ab".repeat(32);

function drawn(ask: Partial<Ask> | null): Status {
  const draw = { rolls: 0, without: [0, 0], ask: null };
  if (!ask) return status({ draw });
  return status({ draw: { ...draw, ask: { number: 1, seal: SEAL, given: [], ...ask } } });
}

describe("the chain of a device", () => {
  let sent: { do: string; seat: number; text: string }[];
  let memory: Memory;
  const device = () => new Chains("t", (command) => void sent.push(command), memory);
  const at = (more: Partial<Table> = {}, ask: Partial<Ask> | null = null) =>
    table({ dice: "verified", yours: [1], chains: [], status: drawn(ask), ...more });
  const news = (chains: Chains, ask: Partial<Ask> | null, text = "") =>
    chains.hear({
      type: "news",
      entries: text ? [entry(6, { kind: "chain", text })] : [],
      status: drawn(ask),
    });

  beforeEach(() => {
    sent = [];
    let stored = "{}";
    memory = {
      read: () => JSON.parse(stored) as ReturnType<Memory["read"]>,
      write: (all) => (stored = JSON.stringify(all)),
    };
  });

  function taken(base = 0): Chains {
    const chains = device();
    chains.open(at());
    news(chains, null, `3 1 ${base} ${chains.tip}`);
    sent = [];
    return chains;
  }

  it("is announced once", () => {
    const chains = device();
    chains.open(at());
    news(chains, null);
    expect(sent).toEqual([{ do: "chain", seat: 1, text: chains.tip }]);
  });

  it("is not announced while dice are rolling, or by a spectator", () => {
    const chains = device();
    chains.open(at({}, {}));
    expect(sent).toEqual([]);
    news(chains, null);
    expect(sent).toHaveLength(1);
    device().open(at({ yours: [] }));
    expect(sent).toHaveLength(1);
  });

  it("is announced again if the server did not take it", () => {
    const chains = device();
    chains.open(at());
    chains.refused();
    news(chains, null);
    expect(sent).toHaveLength(2);
  });

  it("gives the next link for every roll", () => {
    const chains = taken(4);
    news(chains, { number: 5 });
    news(chains, { number: 7 });
    const links = sent.map((one) => one.text.split(" "));
    expect(links.map(([number, chain]) => [number, chain])).toEqual([
      ["5", "3"],
      ["7", "3"],
    ]);
    expect(hashedBack(links[0]?.[2] ?? "", 1)).toBe(chains.tip);
    expect(hashedBack(links[1]?.[2] ?? "", 3)).toBe(chains.tip);
  });

  it("gives no link that the server has, and none for rolls before it took part", () => {
    const chains = taken(4);
    news(chains, { number: 5, given: [3] });
    news(chains, { number: 4 });
    expect(sent).toEqual([]);
  });

  it("gives a link again only for the same seal", () => {
    taken();
    const again = device();
    const known = [{ number: 3, seats: [1], base: 0, tip: again.tip }];
    again.open(at({ chains: known }, { number: 1 }));
    expect(sent.map((one) => one.do)).toEqual(["chain", "link"]);
    again.open(at({ chains: known }, { number: 1 }));
    expect(sent.filter((one) => one.do === "link")).toHaveLength(2);
    again.open(at({ chains: known }, { number: 1, seal: "cd".repeat(32) }));
    expect(sent.filter((one) => one.do === "link")).toHaveLength(2);
  });

  it("is replaced if the server does not know it, or takes it for a later roll", () => {
    const { tip } = taken();
    const other = device();
    other.open(at());
    expect(other.tip).not.toBe(tip);
    news(other, null, `5 1 2 ${other.tip}`);
    const { tip: second } = other;
    news(other, null, `6 1 9 ${second}`);
    expect(other.tip).not.toBe(second);
  });

  it("is renewed before it is used up", () => {
    const chains = taken();
    const { tip } = chains;
    news(chains, { number: LENGTH - 5 });
    sent = [];
    news(chains, null);
    expect(chains.tip).not.toBe(tip);
    expect(sent).toEqual([{ do: "chain", seat: 1, text: `${chains.tip} 3` }]);
  });

  it("remembers for which seals links were given", () => {
    const chains = device();
    const server = { number: 0, seats: [], base: 0, tip: "5e".repeat(32) };
    chains.open(at({ chains: [server] }));
    news(chains, null, `3 1 0 ${chains.tip}`);
    news(chains, { number: 1 });
    const record = { table: server.tip, game: status().game, seals: [SEAL, "00"], over: true };
    expect(contradicts(record, memory)).toBe(false);
    expect(contradicts({ ...record, seals: ["00"] }, memory)).toBe(true);
    expect(contradicts({ ...record, seals: ["00"], over: false }, memory)).toBe(false);
    expect(contradicts({ ...record, seals: [], game: 99 }, memory)).toBe(false);
    expect(contradicts({ ...record, seals: [], table: "00" }, memory)).toBe(false);
  });

  it("notices that its link for another roll was asked for", () => {
    const chains = device();
    const server = { number: 0, seats: [], base: 0, tip: "5e".repeat(32) };
    chains.open(at({ chains: [server] }));
    news(chains, null, `3 1 0 ${chains.tip}`);
    const other = "cd".repeat(32);
    const record = { table: server.tip, game: 1, seals: [SEAL, other], over: true };
    news(chains, { number: 1 });
    news(chains, { number: 2, seal: other });
    expect(contradicts(record, memory)).toBe(false);
    news(chains, { number: 900, seal: other });
    expect(contradicts(record, memory)).toBe(true);
  });
});
