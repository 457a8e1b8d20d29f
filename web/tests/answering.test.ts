import { expect, test } from "vitest";
import { isGateway, planFor } from "../src/worker/answering";

const HOME = "https://dice.example";
const FILES = new Set(["/", "/sprite.svg", "/assets/index-1.js"]);
const plan = (path: string, mode = "cors", method = "GET") =>
  planFor({ method, mode, url: new URL(path, HOME).href }, HOME, FILES);

test.each(["/api", "/api/games", "/api/tables/t/socket"])("%s is left alone", (path) => {
  expect(plan(path)).toBeNull();
  expect(plan(path, "navigate")).toBeNull();
});

test("so are other hosts, other methods and unknown files", () => {
  expect(plan("https://elsewhere.example/sprite.svg")).toBeNull();
  expect(plan("/sprite.svg", "cors", "HEAD")).toBeNull();
  expect(plan("/", "navigate", "POST")).toBeNull();
  expect(plan("/sw.js", "same-origin")).toBeNull();
});

test("files with a hash come from the cache, of this build or another", () => {
  for (const path of ["/assets/index-1.js", "/assets/index-2.js"]) {
    expect(plan(path)).toEqual({ first: "cache", path });
  }
});

test("files without a hash come from the server if it answers", () => {
  expect(plan("/sprite.svg")).toEqual({ first: "network", path: "/sprite.svg" });
});

test("every address of a page gets the page", () => {
  for (const path of ["/", "/?from=home", "/t/abc", "/rules/farkle", "/apis"]) {
    expect(plan(path, "navigate")).toEqual({ first: "network", path: "/" });
  }
});

test("a proxy without its server is told from a refusal", () => {
  expect([502, 503, 504].every(isGateway)).toBe(true);
  expect([200, 404, 429, 500, 505].some(isGateway)).toBe(false);
});
