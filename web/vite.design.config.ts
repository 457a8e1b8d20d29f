// The page of all parts, for development only: `make design`. The product does not contain it.

import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig } from "vite";

// The class of the elements that a part styles names it, so that a test finds which parts are on the page.
const named = svelte({ compilerOptions: { cssHash: ({ name }) => `part-${name}` } });

export default defineConfig({
  base: "/design/",
  plugins: [named],
  publicDir: false,
  build: {
    outDir: ".design",
    emptyOutDir: true,
    target: "es2022",
    rolldownOptions: { input: "design.html" },
  },
});
