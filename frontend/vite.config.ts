import { defineConfig } from "vitest/config";

/** The page's words in other languages, a file each: a page loads only its own. */
const WORDS = ["src/words/de.ts"];
const ENTRIES: Record<string, string | string[]> = {
  gallery: "src/gallery.ts",
  projects: "src/projects.ts",
  work: "src/work.tsx",
  draw: "src/draw.tsx",
  survey: "src/survey.tsx",
  words: WORDS,
};

/** The labelling pages load late scripts without late styles: Vite's loader, which waits for styles, would be 2 % of a page. */
const PLAIN_LOADER = {
  name: "plain-loader",
  enforce: "pre" as const,
  load: (id: string) => (id === "\0vite/preload-helper.js" ? "export const __vitePreload = (load) => load();" : null),
};

// Each entry is built on its own (`--mode`): a chunk that two of them shared would be one more request on every page.
export default defineConfig(({ mode }) => ({
  // Django serves what is built from here.
  base: "/static/app/",
  plugins: ["work", "draw", "survey"].includes(mode) ? [PLAIN_LOADER] : [],
  // Elements as calls of h(type, properties, ...children), which are shorter than those of the newer runtime.
  oxc: { jsx: { runtime: "classic", pragma: "h", pragmaFrag: "Fragment" } },
  build: {
    manifest: `.vite/${mode}.json`,
    emptyOutDir: mode === "gallery",
    modulePreload: false,
    rollupOptions: { input: ENTRIES[mode] ?? [], transform: { inject: { h: ["preact", "h"], Fragment: ["preact", "Fragment"] } } },
  },
  test: {
    environment: "jsdom",
    // One browser for all files of a process: tests/support/setup.ts keeps them apart.
    isolate: false,
    setupFiles: ["tests/support/setup.ts"],
    include: ["tests/**/*.test.{ts,tsx}"],
    testTimeout: 30_000,
  },
}));
