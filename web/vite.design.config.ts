// The page of all parts, for development only: `make design`. The product does not contain it.

import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig } from "vite";

export default defineConfig({
  base: "/design/",
  plugins: [svelte()],
  publicDir: false,
  build: {
    outDir: ".design",
    emptyOutDir: true,
    target: "es2022",
    rolldownOptions: { input: "design.html" },
  },
});
