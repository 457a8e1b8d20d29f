// A fake server: sockets that a test opens, sends messages through and breaks.

import type { Dial, SocketEvents } from "../src/lib/connection";
import type { Command, Hello, ServerMessage } from "../src/lib/types";

export class FakeSocket {
  readonly sent: unknown[] = [];
  state: "connecting" | "open" | "closed" = "connecting";

  constructor(readonly events: SocketEvents) {}

  open(): void {
    this.state = "open";
    this.events.open();
  }

  say(said: ServerMessage): void {
    this.events.message(JSON.stringify(said));
  }

  break(code = 1006, reason = ""): void {
    this.state = "closed";
    this.events.close(code, reason);
  }

  get hello(): Hello {
    return this.sent[0] as Hello;
  }

  get commands(): Command[] {
    return this.sent.slice(1) as Command[];
  }
}

export class FakeServer {
  readonly sockets: FakeSocket[] = [];

  dial: Dial = (events) => {
    const socket = new FakeSocket(events);
    this.sockets.push(socket);
    return {
      send: (text) => socket.sent.push(JSON.parse(text)),
      close: () => (socket.state = "closed"),
      isOpen: () => socket.state === "open",
    };
  };

  get last(): FakeSocket {
    const socket = this.sockets.at(-1);
    if (!socket) throw new Error("No client has connected.");
    return socket;
  }

  /** Open the last socket and answer its hello. */
  greet(table: ServerMessage): void {
    this.last.open();
    this.last.say(table);
  }
}
