// The icons that looks name: one file of symbols, put into the page once. A drawing refers to its symbol there,
// so that a file that arrives late, after a cut connection, still fills the drawings that wait for it.

const FILE = "/sprite.svg";
const LONGEST_WAIT = 30_000;

/** What loading needs from the browser. */
export interface Page {
  fetch(path: string): Promise<Pick<Response, "ok" | "text">>;
  /** Put the symbols of an SVG document into the page. */
  add(svg: string): void;
  later(milliseconds: number, then: () => void): void;
}

const browser: Page = {
  fetch: (path) => fetch(path),
  add(svg) {
    const parsed = new DOMParser().parseFromString(svg, "image/svg+xml").documentElement;
    const symbols = document.importNode(parsed, true);
    symbols.classList.add("symbols");
    symbols.setAttribute("aria-hidden", "true");
    document.body.prepend(symbols);
  },
  later: (milliseconds, then) => void setTimeout(then, milliseconds),
};

let first: Promise<void> | undefined;

/** Load the icons, once. Resolves after the first try; if that failed, others follow. */
export function loadIcons(): Promise<void> {
  first ??= tryLoading(browser, 1000);
  return first;
}

export async function tryLoading(page: Page, wait: number): Promise<void> {
  try {
    const found = await page.fetch(FILE);
    if (!found.ok) throw new Error("no icons");
    page.add(await found.text());
  } catch {
    page.later(wait, () => void tryLoading(page, Math.min(2 * wait, LONGEST_WAIT)));
  }
}
