// The client's routes.

import { linkOf } from "./links";

export type Route =
  | { page: "start" }
  | { page: "new"; game: string }
  | { page: "table"; id: string }
  | { page: "report"; id: string }
  | { page: "analysis" }
  | { page: "position"; game: string }
  | { page: "rules"; game: string }
  | { page: "challenge"; id: string }
  | { page: "challenges" }
  | { page: "tables" }
  | { page: "statistics" }
  /** Without an id, of all tables of the player. */
  | { page: "dice"; id: string }
  /** Without a game, all of them. */
  | { page: "learn"; game: string }
  | { page: "settings" }
  | { page: "about" }
  | { page: "verified" }
  | { page: "nowhere" };

function read(path: string): Route {
  const [first = "", second = "", third = "", ...more] = path
    .split("/")
    .filter(Boolean)
    .map(decodeURIComponent);
  if (more.length) return { page: "nowhere" };
  if (!first) return { page: "start" };
  if (third) {
    if (first === "t" && (third === "report" || third === "dice"))
      return { page: third, id: second };
    return { page: "nowhere" };
  }
  if (second) {
    if (first === "position") return { page: "position", game: second };
    if (first === "learn") return { page: "learn", game: second };
    if (first === "new") return { page: "new", game: second };
    if (first === "t") return { page: "table", id: second };
    if (first === "challenge") return { page: "challenge", id: second };
    if (first === "rules") return { page: "rules", game: second };
    return { page: "nowhere" };
  }
  switch (first) {
    case "dice":
      return { page: first, id: "" };
    case "learn":
      return { page: first, game: "" };
    case "challenges":
    case "tables":
    case "statistics":
    case "settings":
    case "about":
    case "analysis":
    case "verified":
      return { page: first };
    default:
      return { page: "nowhere" };
  }
}

function here(): Route {
  try {
    return read(location.pathname);
  } catch {
    return { page: "nowhere" };
  }
}

/** `loads`: links load pages, as in any site, because this page is outdated. */
export const router = $state<{ route: Route; loads: boolean }>({ route: here(), loads: false });

export function go(path: string): void {
  if (router.loads) {
    location.assign(path);
    return;
  }
  history.pushState(null, "", path);
  router.route = here();
  scrollTo(0, 0);
}

addEventListener("popstate", () => {
  const route = here();
  if (router.loads && route.page !== router.route.page) location.reload();
  else router.route = route;
});

/** Follow internal links without loading a page. */
export function follow(event: MouseEvent): void {
  const link = linkOf(event);
  if (!link || link.hasAttribute("download") || link.origin !== location.origin) return;
  if (link.pathname.startsWith("/api/")) return;
  if (link.pathname === location.pathname && link.hash) return;
  event.preventDefault();
  go(link.pathname + link.search + link.hash);
}
