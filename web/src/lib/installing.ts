// The service worker of this page: registers it, looks for new versions, and holds them back during games.

import { GAME_LOCK } from "../worker/questions";
import { router } from "./router.svelte";
import type { Cancel } from "./timers";
import { Updates, type Helper } from "./updates.svelte";

const helperOf = (worker: ServiceWorker): Helper => ({
  ask: (question) =>
    new Promise((done) => {
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = (event: MessageEvent<boolean>) => done(event.data);
      worker.postMessage(question, [port2]);
    }),
});

function ownScript(): string {
  const script = document.querySelector<HTMLScriptElement>("script[type=module][src]");
  return script ? new URL(script.src).pathname : "";
}

export const updates = new Updates({
  script: ownScript(),
  reload: () => location.reload(),
  loadPages: () => (router.loads = true),
});

let registered: ServiceWorkerRegistration | undefined;

/** Look whether the server has a new version. */
export function lookForUpdates(): void {
  registered?.update().catch(() => undefined); // the server may be away
}

/** Register the service worker, where there can be one: over https, or on this machine. */
export async function registerWorker(): Promise<void> {
  if (!import.meta.env.PROD || !("serviceWorker" in navigator)) return;
  const workers = navigator.serviceWorker;
  workers.addEventListener("controllerchange", () => {
    if (workers.controller) void updates.changed(helperOf(workers.controller));
  });
  let found: ServiceWorkerRegistration;
  try {
    found = await workers.register("/sw.js");
  } catch {
    return; // storage is blocked, or the server has just gone; everything works without it
  }
  registered = found;
  const follow = (worker: ServiceWorker | null) =>
    worker?.addEventListener("statechange", () => {
      if (worker === found.waiting && found.active) void updates.found(helperOf(worker));
    });
  if (found.waiting && found.active) void updates.found(helperOf(found.waiting));
  follow(found.installing);
  found.addEventListener("updatefound", () => follow(found.installing));
  document.addEventListener("visibilitychange", () => document.hidden || lookForUpdates());
}

/** Keep the version in use until the returned function is called. */
export function holdVersion(): Cancel {
  let release: Cancel = () => undefined;
  const over = new Promise<void>((done) => (release = done));
  const locks = navigator.locks as LockManager | undefined; // only where there are service workers
  locks?.request(GAME_LOCK, { mode: "shared" }, () => over).catch(() => undefined);
  return release;
}
