// The service worker's script; `worker.ts` beside `vite.config.ts` builds it.

import { later } from "../lib/timers";
import type { Question } from "./questions";
import { Worker, type Build } from "./serving";

declare const __BUILD__: Build;

/** The types for workers exclude those for pages, so what we use is declared here. */
interface Extendable extends Event {
  waitUntil(done: Promise<unknown>): void;
}
interface Fetching extends Event {
  request: Request;
  respondWith(answer: Promise<Response>): void;
}
interface Global {
  skipWaiting(): Promise<void>;
  clients: { claim(): Promise<void> };
  addEventListener(type: "install" | "activate", call: (event: Extendable) => void): void;
  addEventListener(type: "fetch", call: (event: Fetching) => void): void;
  addEventListener(type: "message", call: (event: MessageEvent & Extendable) => void): void;
}
const global = self as unknown as Global;

const worker = new Worker(
  {
    origin: location.origin,
    caches,
    locks: navigator.locks,
    fetch: (request) => fetch(request),
    later,
    skipWaiting: () => global.skipWaiting(),
    claim: () => global.clients.claim(),
  },
  __BUILD__,
);

global.addEventListener("install", (event) => event.waitUntil(worker.install()));
global.addEventListener("activate", (event) => event.waitUntil(worker.activate()));
global.addEventListener("fetch", (event) => {
  const answer = worker.answer(event.request);
  if (answer) event.respondWith(answer);
});
global.addEventListener("message", (event) => {
  const [port] = event.ports;
  event.waitUntil(worker.reply(event.data as Question).then((yes) => port?.postMessage(yes)));
});
