import { beforeEach, expect, test } from "vitest";
import { Updates, type Helper } from "../src/lib/updates.svelte";
import type { Question } from "../src/worker/questions";

let did: string[];
let updates: Updates;

/** A worker whose build has, or has not, the script of the page. */
function helper(has: boolean, isFree = true): Helper & { asked: Question["ask"][] } {
  const asked: Question["ask"][] = [];
  return {
    asked,
    ask(question) {
      asked.push(question.ask);
      return Promise.resolve(question.ask === "has" ? has : isFree);
    },
  };
}

beforeEach(() => {
  did = [];
  updates = new Updates({
    script: "/assets/index-1.js",
    reload: () => did.push("reload"),
    loadPages: () => did.push("load pages"),
  });
});

test("a page that is already new has its version take over at once", async () => {
  const waiting = helper(true);
  await updates.found(waiting);
  await updates.changed(waiting);
  expect(waiting.asked).toEqual(["has", "take", "has"]);
  expect(updates.isReady).toBe(false);
  expect(did).toEqual([]);
});

test("an older page offers the new version, and does not take it by itself", async () => {
  const waiting = helper(false);
  await updates.found(waiting);
  expect(waiting.asked).toEqual(["has"]);
  expect(updates.isReady).toBe(true);
  await updates.take();
  expect(did).toEqual([]); // not before the worker has taken over
  await updates.changed(waiting);
  expect(did).toEqual(["reload"]);
});

test("while a game is open elsewhere, nothing is taken, and nothing reloads later", async () => {
  await updates.found(helper(false, false));
  await updates.take();
  expect(updates.isHeld).toBe(true);
  await updates.changed(helper(false)); // taken by another tab, after the game
  expect(did).toEqual(["load pages"]);
});

test("a version that another tab has taken is used by links, and offered", async () => {
  await updates.changed(helper(false));
  expect(did).toEqual(["load pages"]);
  expect(updates.isReady).toBe(true);
  await updates.take();
  expect(did).toEqual(["load pages", "reload"]);
});
