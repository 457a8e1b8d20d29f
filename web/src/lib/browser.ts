// What an open table needs from the browser.

import { Caller } from "./calling";
import type { Dial } from "./connection";
import { notify } from "./notices";
import { paced, settings } from "./settings.svelte";
import { play, ring, type Sound } from "./sound";
import { later, type Cancel, type Later } from "./timers";
import { vibrate } from "./vibration";

export interface Device {
  dial: Dial;
  later: Later;
  /** A pause in milliseconds, adjusted to the speed setting. */
  pace: (milliseconds: number) => number;
  play: (sound: Sound) => void;
  caller: Pick<Caller, "call" | "end">;
  /** The time in seconds. */
  now: () => number;
  /** Calls back whenever the page becomes visible or the network is back. */
  onReturn: (call: () => void) => Cancel;
}

export function onReturn(call: () => void): Cancel {
  const returned = () => document.hidden || call();
  addEventListener("online", returned);
  document.addEventListener("visibilitychange", returned);
  return () => {
    removeEventListener("online", returned);
    document.removeEventListener("visibilitychange", returned);
  };
}

export function browserDevice(id: string): Device {
  return {
    dial: (events) => {
      const address = new URL(`/api/tables/${encodeURIComponent(id)}/socket`, location.href);
      address.protocol = address.protocol.replace("http", "ws");
      const socket = new WebSocket(address);
      socket.onopen = () => events.open();
      socket.onmessage = (event) => events.message(String(event.data));
      socket.onclose = (event) => events.close(event.code, event.reason);
      return {
        send: (text) => socket.send(text),
        close: () => socket.close(),
        isOpen: () => socket.readyState === WebSocket.OPEN,
      };
    },
    later,
    pace: (milliseconds) => (document.hidden ? 0 : paced(milliseconds)),
    play: (sound) => {
      play(sound);
      vibrate(sound);
    },
    caller: new Caller({
      isHidden: () => document.hidden,
      wishes: () => settings,
      ring,
      notify,
      nudge: () => vibrate("turn"),
    }),
    now: () => Date.now() / 1000,
    onReturn,
  };
}
