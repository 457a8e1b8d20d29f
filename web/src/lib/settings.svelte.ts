// Display settings of this device: stored, and applied to the whole page.

export interface Settings {
  speed: "off" | "fast" | "normal" | "slow";
  sound: boolean;
  /** Whether a device that can vibrate does. */
  vibration: boolean;
  /** How to call the player when it is their turn and the page is in the background. */
  callSound: boolean;
  callNotice: boolean;
  theme: "system" | "dark" | "light";
  clearDice: boolean;
  odds: boolean;
  /** Whether the coach speaks at the table. */
  coach: boolean;
}

const STORED = "hotdice.settings";
const DEFAULTS: Settings = {
  speed: "normal",
  sound: false,
  vibration: true,
  callSound: false,
  callNotice: false,
  theme: "system",
  clearDice: false,
  odds: true,
  coach: false,
};

function load(): Settings {
  try {
    const found = JSON.parse(localStorage.getItem(STORED) ?? "{}") as Partial<Settings>;
    return { ...DEFAULTS, ...found };
  } catch {
    return { ...DEFAULTS };
  }
}

export const settings = $state<Settings>(load());

export function applySettings(): void {
  const root = document.documentElement;
  if (settings.theme === "system") delete root.dataset.theme;
  else root.dataset.theme = settings.theme;
  for (const meta of document.querySelectorAll<HTMLMetaElement>("meta[name=theme-color]")) {
    const system = `(prefers-color-scheme: ${meta.dataset.theme})`;
    const isChosen = meta.dataset.theme === settings.theme;
    meta.media = settings.theme === "system" ? system : isChosen ? "all" : "not all";
  }
  root.dataset.clearDice = String(settings.clearDice);
  root.dataset.speed = settings.speed;
  try {
    localStorage.setItem(STORED, JSON.stringify(settings));
  } catch {
    // storage is blocked; the settings last as long as the page
  }
}

/** From now on show the keys of dice: somebody here uses the keyboard. */
export function showDiceKeys(): void {
  document.documentElement.dataset.keys = "true";
}

const PACES = { off: 0, fast: 0.4, normal: 1, slow: 2 };

/** A duration in milliseconds, adjusted to the speed setting. */
export function paced(milliseconds: number): number {
  return PACES[settings.speed] * milliseconds;
}

export function tumbles(): boolean {
  return settings.speed !== "off" && !matchMedia("(prefers-reduced-motion: reduce)").matches;
}
