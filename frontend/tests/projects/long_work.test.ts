import { afterEach, expect, test, vi } from "vitest";
import { followWork, type Standing } from "../../src/projects/run";

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

function reply(now: Standing): Response {
  return new Response(JSON.stringify(now), { status: 200 });
}

test("work is followed until it has ended, over a moment without the service", async () => {
  vi.useFakeTimers();
  document.body.innerHTML = `<main><progress max="1" value="0"></progress><p data-show="doing">Waiting for its turn</p></main>`;
  const root = document.querySelector("main") as HTMLElement;
  const answers = [
    () => reply({ state: "waiting", done: 0, total: 0, doing: "" }),
    () => Promise.reject(new Error("away")),
    () => reply({ state: "running", done: 3, total: 8, doing: "Without it" }),
    () => reply({ state: "done", done: 8, total: 8, doing: "" }),
  ];
  vi.stubGlobal("fetch", () => Promise.resolve((answers.shift() as () => Response | Promise<never>)()));
  const ended = vi.fn();
  followWork(root, "/progress/", (now) => now.doing ?? "", ended);
  const seen: string[] = [];
  const bar = root.querySelector("progress") as HTMLProgressElement;
  for (let second = 0; second < 4; second++) {
    await vi.advanceTimersByTimeAsync(1000);
    seen.push(`${root.textContent?.trim()} ${bar.value}/${bar.max} ${ended.mock.calls.length}`);
  }
  expect(seen).toEqual(["Waiting for its turn 0/1 0", "Waiting for its turn 0/1 0", "Without it 3/8 0", "Without it 3/8 1"]);
  await vi.advanceTimersByTimeAsync(5000);
  expect(answers).toEqual([]);
});
