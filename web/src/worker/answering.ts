// What the service worker does with a request.

/** The parts of a request that matter here. */
export interface Asked {
  method: string;
  mode: string;
  url: string;
}

/** Where to look first for the answer, and the path at which it is cached. */
export interface Plan {
  first: "cache" | "network";
  path: string;
}

/** The path at which the page itself is cached, whatever its address. */
export const PAGE = "/";

/** How to answer a request; null if the worker leaves it to the browser, as everything of the API. */
export function planFor(asked: Asked, origin: string, files: ReadonlySet<string>): Plan | null {
  const url = new URL(asked.url);
  const path = url.pathname;
  if (asked.method !== "GET" || url.origin !== origin || /^\/api(\/|$)/.test(path)) return null;
  // Names with a hash: whichever build they are from, their content never changes.
  if (path.startsWith("/assets/")) return { first: "cache", path };
  // The page is always that of the server if there is one, and so are the files that it names without a hash.
  if (path !== PAGE && files.has(path)) return { first: "network", path };
  return asked.mode === "navigate" ? { first: "network", path: PAGE } : null;
}

/** Whether a proxy says that it cannot reach the server. */
export const isGateway = (status: number): boolean => status >= 502 && status <= 504;
