// The page of a report that is saved to a file: one HTML file with everything in it. Hot Dice puts
// the report itself, and the icons, into the places marked by comments.

import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig, type Plugin } from "vite";

function oneFile(): Plugin {
  return {
    name: "hotdice-one-file",
    generateBundle: {
      order: "post", // Vite makes one stylesheet of the chunks' styles first
      handler(_options, bundle) {
        let [script, styles] = ["", ""];
        for (const [name, part] of Object.entries(bundle)) {
          if (part.type === "chunk") script += part.code;
          else if (name.endsWith(".css")) styles += String(part.source);
          delete bundle[name];
        }
        if (!styles) this.error("The saved report has no styles.");
        const source = [
          '<!doctype html><html lang="en"><head><meta charset="utf-8" />',
          '<meta name="viewport" content="width=device-width, initial-scale=1" />',
          '<meta name="color-scheme" content="dark light" />',
          `<title>Hot Dice</title><style>${styles}</style></head><body><!--icons-->`,
          '<script type="application/json" id="data"><!--data--></script>',
          `<script>${script.replaceAll("</script", "<\\/script")}</script></body></html>`,
        ].join("");
        this.emitFile({ type: "asset", fileName: "report.html", source });
      },
    },
  };
}

export default defineConfig({
  plugins: [svelte(), oneFile()],
  publicDir: false,
  build: {
    outDir: "../src/hotdice/server/saved",
    emptyOutDir: true,
    target: "es2022",
    cssCodeSplit: false,
    rolldownOptions: { input: "src/report/main.ts", output: { format: "iife" } },
  },
});
