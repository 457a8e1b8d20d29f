import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig } from "vitest/config";

export default defineConfig({
  plugins: [svelte()],
  // The modules under test keep no state of their own, so every file may share them.
  test: { include: ["tests/**/*.test.ts"], isolate: false },
});
