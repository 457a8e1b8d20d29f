import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig } from "vite";
import { sprite } from "./sprite";
import { worker } from "./worker";

export default defineConfig({
  plugins: [svelte(), sprite(), worker()],
  build: {
    outDir: "../src/hotdice/server/static",
    emptyOutDir: true,
    modulePreload: { polyfill: false }, // would be an inline script, which our CSP forbids
    target: "es2022",
    assetsInlineLimit: 0,
  },
  server: { proxy: { "/api": { target: "http://127.0.0.1:8000", ws: true, changeOrigin: false } } },
});
