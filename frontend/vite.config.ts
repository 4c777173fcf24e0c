import { defineConfig } from "vite";

export default defineConfig({
  // Django serves what is built from here.
  base: "/static/app/",
  build: { manifest: true, rollupOptions: { input: ["src/gallery.ts", "src/work.tsx"] } },
  test: { environment: "jsdom", include: ["tests/**/*.test.{ts,tsx}"] },
} as Parameters<typeof defineConfig>[0]);
