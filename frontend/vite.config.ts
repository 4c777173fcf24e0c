import { defineConfig } from "vitest/config";

const ENTRIES: Record<string, string> = { gallery: "src/gallery.ts", work: "src/work.tsx" };

// Each entry is built on its own (`--mode`): a chunk that two of them shared would be one more request on every page.
export default defineConfig(({ mode }) => ({
  // Django serves what is built from here.
  base: "/static/app/",
  build: {
    manifest: `.vite/${mode}.json`,
    emptyOutDir: mode === "gallery",
    modulePreload: { polyfill: false },
    rollupOptions: { input: ENTRIES[mode] ?? [] },
  },
  test: { environment: "jsdom", include: ["tests/**/*.test.{ts,tsx}"] },
}));
