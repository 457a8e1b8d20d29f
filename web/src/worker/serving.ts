// The service worker: caches the files of its build, answers from there without the server, and replaces the
// version in use only when no game is open. What it needs from the browser is injected.

import type { Later } from "../lib/timers";
import { isGateway, planFor } from "./answering";
import { GAME_LOCK, type Question } from "./questions";

export interface Build {
  version: string;
  /** The hash of every file by its path, as `Request.integrity`. */
  files: Record<string, string>;
}

export interface Scope {
  origin: string;
  caches: Pick<CacheStorage, "open" | "keys" | "delete" | "match">;
  /** Missing in old browsers. */
  locks: Pick<LockManager, "request"> | undefined;
  fetch(request: Request): Promise<Response>;
  later: Later;
  skipWaiting(): Promise<void>;
  claim(): Promise<void>;
}

const PREFIX = "hotdice-build-";
/** Milliseconds that the network gets before the cached page is shown. */
export const PATIENCE = 2000;

export class Worker {
  #name: string;
  #paths: ReadonlySet<string>;

  constructor(
    readonly scope: Scope,
    readonly build: Build,
  ) {
    this.#name = PREFIX + build.version;
    this.#paths = new Set(Object.keys(build.files));
  }

  /** Cache all files of the build; fails if the server has other ones. */
  async install(): Promise<void> {
    const cache = await this.scope.caches.open(this.#name);
    const requests = Object.entries(this.build.files).map(
      ([path, integrity]) =>
        new Request(new URL(path, this.scope.origin), { cache: "no-cache", integrity }),
    );
    await cache.addAll(requests);
  }

  /** Only now are earlier builds forgotten: until then, open pages may load more of their files. */
  async activate(): Promise<void> {
    const names = await this.scope.caches.keys();
    const old = names.filter((name) => name.startsWith(PREFIX) && name !== this.#name);
    await Promise.all(old.map((name) => this.scope.caches.delete(name)));
    await this.scope.claim();
  }

  /** The answer to a request, or null to leave it to the browser. */
  answer(request: Request): Promise<Response> | null {
    const plan = planFor(request, this.scope.origin, this.#paths);
    if (!plan) return null;
    return plan.first === "cache" ? this.#asset(request) : this.#fresh(request, plan.path);
  }

  async #asset(request: Request): Promise<Response> {
    return (await this.scope.caches.match(request)) ?? this.scope.fetch(request);
  }

  async #fresh(request: Request, path: string): Promise<Response> {
    const answer = this.scope.fetch(request);
    const prompt = await this.#inTime(answer);
    if (prompt && !isGateway(prompt.status)) return prompt;
    const cache = await this.scope.caches.open(this.#name);
    return (await cache.match(path)) ?? answer;
  }

  /** The answer, if there is one soon. */
  #inTime(answer: Promise<Response>): Promise<Response | null> {
    const late = new Promise<null>((done) => this.scope.later(PATIENCE, () => done(null)));
    return Promise.race([answer.catch(() => null), late]);
  }

  reply(question: Question): Promise<boolean> {
    if (question.ask === "has") return Promise.resolve(this.#paths.has(question.path));
    return this.#take();
  }

  async #take(): Promise<boolean> {
    const ifFree = { mode: "exclusive", ifAvailable: true } as const;
    const taken = await this.scope.locks?.request(GAME_LOCK, ifFree, async (lock) => {
      if (lock) await this.scope.skipWaiting();
      return lock !== null;
    });
    return taken ?? false;
  }
}
