import { beforeEach, describe, expect, test } from "vitest";
import { PATIENCE, Worker, type Scope } from "../src/worker/serving";
import { ManualClock } from "./builders";

const HOME = "https://dice.example";
const pathOf = (request: RequestInfo | URL) =>
  new URL(request instanceof Request ? request.url : request, HOME).pathname;

/** Caches in memory, filled by the worker's fetch. */
class Caches {
  stored = new Map<string, Map<string, Response>>();
  constructor(readonly fetch: (request: Request) => Promise<Response>) {}

  open(name: string): Promise<Cache> {
    const held = this.stored.get(name) ?? new Map<string, Response>();
    this.stored.set(name, held);
    const cache = {
      addAll: async (requests: Request[]) => {
        for (const request of requests) held.set(pathOf(request), await this.fetch(request));
      },
      match: (request: RequestInfo | URL) => Promise.resolve(held.get(pathOf(request))?.clone()),
    };
    return Promise.resolve(cache as unknown as Cache);
  }
  match(request: RequestInfo | URL): Promise<Response | undefined> {
    const found = [...this.stored.values()].find((held) => held.has(pathOf(request)));
    return Promise.resolve(found?.get(pathOf(request))?.clone());
  }
  keys = () => Promise.resolve([...this.stored.keys()]);
  delete = (name: string) => Promise.resolve(this.stored.delete(name));
}

let caches: Caches;
let clock: ManualClock;
let network: (request: Request) => Promise<Response>;
let asked: Request[];
let did: string[];
let isPlaying: boolean;

function worker(version: string, more: Partial<Scope> = {}): Worker {
  const locks = {
    request: (_name: string, _how: LockOptions, call: (lock: Lock | null) => unknown) =>
      Promise.resolve(call(isPlaying ? null : ({} as Lock))),
  } as unknown as LockManager;
  const scope: Scope = {
    origin: HOME,
    caches,
    locks,
    fetch: (request) => network(request),
    later: clock.later,
    skipWaiting: () => Promise.resolve(void did.push("took over")),
    claim: () => Promise.resolve(void did.push("claimed")),
    ...more,
  };
  const files = { "/": "sha256-page", "/sprite.svg": "sha256-s", [`/assets/${version}.js`]: "x" };
  return new Worker(scope, { version, files });
}

/** A request as browsers make it to open a page; programs cannot construct one. */
const opening = (path: string) =>
  Object.defineProperty(new Request(new URL(path, HOME)), "mode", { value: "navigate" });
const text = async (answer: Promise<Response> | null) => (await answer)?.text();
const settle = () => new Promise((done) => setTimeout(done));

beforeEach(() => {
  clock = new ManualClock();
  asked = [];
  did = [];
  isPlaying = false;
  network = (request) => {
    asked.push(request);
    return Promise.resolve(new Response(`new ${pathOf(request)}`));
  };
  caches = new Caches((request) => {
    asked.push(request);
    return Promise.resolve(new Response(`cached ${pathOf(request)}`));
  });
});

describe("installing", () => {
  test("caches exactly the files of the build, checked by their hashes", async () => {
    await worker("one").install();
    expect(asked.map((request) => [pathOf(request), request.integrity, request.cache])).toEqual([
      ["/", "sha256-page", "no-cache"],
      ["/sprite.svg", "sha256-s", "no-cache"],
      ["/assets/one.js", "x", "no-cache"],
    ]);
  });

  test("keeps the files of the build in use until the new one takes over", async () => {
    const [one, two] = [worker("one"), worker("two")];
    await one.install();
    await two.install();
    const old = () => text(one.answer(new Request(`${HOME}/assets/one.js`)));
    network = () => Promise.resolve(new Response("gone", { status: 404 }));
    expect(await old()).toBe("cached /assets/one.js");
    caches.stored.set("somebody else's", new Map());
    await two.activate();
    expect([...caches.stored.keys()]).toEqual(["hotdice-build-two", "somebody else's"]);
    expect(did).toEqual(["claimed"]);
    expect(await old()).toBe("gone");
  });
});

describe("answering", () => {
  let one: Worker;
  beforeEach(async () => {
    one = worker("one");
    await one.install();
    asked = [];
  });

  test("files with a hash do not need the network", async () => {
    const answer = one.answer(new Request(`${HOME}/assets/one.js`));
    expect(await text(answer)).toBe("cached /assets/one.js");
    expect(asked).toEqual([]);
  });

  test("the page comes from the server if there is one", async () => {
    expect(await text(one.answer(opening("/t/abc")))).toBe("new /t/abc");
  });

  test("without the server it comes from the cache", async () => {
    network = () => Promise.reject(new TypeError("refused"));
    expect(await text(one.answer(opening("/t/abc")))).toBe("cached /");
    network = () => Promise.resolve(new Response("Bad gateway", { status: 502 }));
    expect(await text(one.answer(opening("/")))).toBe("cached /");
  });

  test("a slow network does not keep the page waiting", async () => {
    network = () => new Promise(() => undefined);
    const answer = text(one.answer(opening("/")));
    let isThere = false;
    void answer.then(() => (isThere = true));
    clock.run(PATIENCE - 1);
    await settle();
    expect(isThere).toBe(false);
    clock.run(1);
    expect(await answer).toBe("cached /");
  });

  test("unless nothing is cached", async () => {
    await caches.delete("hotdice-build-one");
    let arrive: (answer: Response) => void = () => undefined;
    network = () => new Promise((done) => (arrive = done));
    const answer = text(one.answer(opening("/")));
    clock.run(PATIENCE);
    await settle();
    arrive(new Response("late"));
    expect(await answer).toBe("late");
  });

  test("the API is not touched", () => {
    expect(one.answer(new Request(`${HOME}/api/games`))).toBeNull();
  });
});

describe("questions", () => {
  test("a page can ask whether it is of this build", async () => {
    expect(await worker("one").reply({ ask: "has", path: "/assets/one.js" })).toBe(true);
    expect(await worker("one").reply({ ask: "has", path: "/assets/two.js" })).toBe(false);
  });

  test("a version is not taken while a game is open", async () => {
    isPlaying = true;
    expect(await worker("one").reply({ ask: "take" })).toBe(false);
    expect(did).toEqual([]);
    isPlaying = false;
    expect(await worker("one").reply({ ask: "take" })).toBe(true);
    expect(did).toEqual(["took over"]);
  });

  test("nor if that cannot be known", async () => {
    expect(await worker("one", { locks: undefined }).reply({ ask: "take" })).toBe(false);
    expect(did).toEqual([]);
  });
});
