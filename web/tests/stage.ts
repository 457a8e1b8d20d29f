// An open table with a server, a clock and a device of the tests.

import { OpenTable } from "../src/lib/table.svelte";
import type { Table } from "../src/lib/types";
import { line, ManualClock, table } from "./builders";
import { FakeServer } from "./server";

export class Stage {
  server = new FakeServer();
  clock = new ManualClock();
  sounds: string[] = [];
  calls: [string, string][] = [];
  ended = 0;
  comeBack: (() => void) | undefined;

  open(id = "t"): OpenTable {
    return new OpenTable(id, {
      dial: this.server.dial,
      later: this.clock.later,
      pace: (milliseconds) => milliseconds,
      play: (sound) => this.sounds.push(sound),
      caller: { call: (...words) => this.calls.push(words), end: () => this.ended++ },
      now: () => 90,
      onReturn: (call) => {
        this.comeBack = call;
        return () => (this.comeBack = undefined);
      },
    });
  }

  seated(more: Partial<Table> = {}): OpenTable {
    const open = this.open();
    this.server.greet(table({ log: [1, 2, 3, 4, 5].map((seq) => line(seq)), ...more }));
    return open;
  }
}
