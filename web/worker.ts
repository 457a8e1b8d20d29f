// Builds the service worker into `sw.js`, with a list of all files of this build. The worker caches exactly those:
// a file with another hash belongs to another build and is refused.

import { createHash } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, sep } from "node:path";
import { build, type Plugin, type ResolvedConfig } from "vite";
import type { Build } from "./src/worker/serving";

/** Systems fetch the icons of installed pages themselves; hidden files are not served. */
const isCached = (name: string) => !/^\.|\.png$|^sw\.js$/.test(name);

/** The files in a folder, as the paths at which they are served, with their hashes. */
function listed(folder: string): Build {
  const names = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((found) => found.isFile())
    .map((found) => join(found.parentPath, found.name).slice(folder.length + 1))
    .map((name) => name.split(sep).join("/"))
    .filter(isCached)
    .sort();
  const files = Object.fromEntries(
    names.map((name) => {
      const hash = createHash("sha256").update(readFileSync(join(folder, name)));
      return [name === "index.html" ? "/" : `/${name}`, `sha256-${hash.digest("base64")}`];
    }),
  );
  const version = createHash("sha256").update(JSON.stringify(files)).digest("hex").slice(0, 12);
  return { version, files };
}

/** The worker as a classic script, which browsers without module workers can run. */
async function scriptFor(root: string, made: Build): Promise<string> {
  const built = await build({
    configFile: false,
    root,
    publicDir: false,
    logLevel: "warn",
    define: { __BUILD__: JSON.stringify(made) },
    build: {
      write: false,
      target: "es2022",
      rolldownOptions: { input: join(root, "src/worker/sw.ts"), output: { format: "iife" } },
    },
  });
  const [output] = [built].flat();
  if (!output || !("output" in output)) throw new Error("The worker was not built.");
  return output.output[0].code;
}

export function worker(): Plugin {
  let config: ResolvedConfig;
  return {
    name: "hotdice-worker",
    apply: "build",
    configResolved(resolved) {
      config = resolved;
    },
    async closeBundle() {
      const folder = join(config.root, config.build.outDir);
      writeFileSync(join(folder, "sw.js"), await scriptFor(config.root, listed(folder)));
    },
  };
}
