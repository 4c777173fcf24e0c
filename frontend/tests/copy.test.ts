import { beforeEach, expect, test, vi } from "vitest";
import { addCopyButtons } from "../src/every_page";

beforeEach(() => {
  document.body.innerHTML = `<code class="token">https://x/join/1/</code><code>no link</code><code class="token">https://x/join/2/</code>`;
  addCopyButtons(document);
});

const buttons = (): HTMLButtonElement[] => [...document.querySelectorAll("button")];

/** Let the browser answer so, press the second button, and return its words. */
async function press(writeText: (text: string) => Promise<void>): Promise<string | null> {
  vi.stubGlobal("navigator", { clipboard: { writeText } });
  const [, second] = buttons();
  second?.click();
  await vi.waitFor(() => expect(second?.textContent).not.toBe("Copy"));
  return second?.textContent ?? null;
}

test("each link has a button that copies this link and says so", async () => {
  expect(buttons().map((one) => one.textContent)).toEqual(["Copy", "Copy"]);
  const copied: string[] = [];
  expect(await press(async (text) => void copied.push(text))).toBe("Copied");
  expect(copied).toEqual(["https://x/join/2/"]);
});

test("where pages may not copy, the link is marked for the keys", async () => {
  expect(await press(() => Promise.reject(new Error("no")))).toBe("Press Ctrl+C");
  expect(getSelection()?.toString()).toBe("https://x/join/2/");
});
