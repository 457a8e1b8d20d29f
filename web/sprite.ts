// Collects the icons that the games' looks name into one sprite, `sprite.svg`, and lists them for the
// page that credits their authors. Nothing of the icon package is in the repository.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { Plugin } from "vite";

interface IconSet {
  icons: Record<string, { body: string; width?: number; height?: number }>;
  aliases?: Record<string, { parent: string }>;
  width?: number;
  height?: number;
}

const GAMES = new URL("../src/hotdice/games", import.meta.url).pathname;
const NAMED = /\bicon\s*=\s*"([a-z0-9-]+)"/g;

/** The names of all icons in looks, and of those that the client itself uses. */
function named(): string[] {
  const found = new Set<string>();
  for (const game of readdirSync(GAMES, { withFileTypes: true })) {
    if (!game.isDirectory()) continue;
    const file = join(GAMES, game.name, "look", "look.toml");
    if (!existsSync(file)) continue; // a game without a look
    for (const [, name] of readFileSync(file, "utf-8").matchAll(NAMED)) if (name) found.add(name);
  }
  return [...found].sort();
}

function spriteOf(names: string[]): string {
  const require = createRequire(import.meta.url);
  const set = require("@iconify-json/game-icons/icons.json") as IconSet;
  const symbols = names.map((name) => {
    const icon = set.icons[set.aliases?.[name]?.parent ?? name];
    if (!icon) throw new Error(`There is no icon "${name}" in game-icons; a look names it.`);
    const width = icon.width ?? set.width ?? 512;
    const height = icon.height ?? set.height ?? 512;
    return `<symbol id="icon-${name}" viewBox="0 0 ${width} ${height}">${icon.body}</symbol>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg">${symbols.join("")}</svg>`;
}

export function sprite(): Plugin {
  return {
    name: "hotdice-sprite",
    generateBundle() {
      const names = named();
      this.emitFile({ type: "asset", fileName: "sprite.svg", source: spriteOf(names) });
      this.emitFile({ type: "asset", fileName: "icons.json", source: JSON.stringify(names) });
    },
    configureServer(server) {
      server.middlewares.use("/sprite.svg", (_request, response) => {
        response.setHeader("Content-Type", "image/svg+xml");
        response.end(spriteOf(named()));
      });
      server.middlewares.use("/icons.json", (_request, response) => {
        response.setHeader("Content-Type", "application/json");
        response.end(JSON.stringify(named()));
      });
    },
  };
}
