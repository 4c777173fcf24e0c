import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { messageOf, type Run, showRun } from "../../src/projects/run";

const WAITING: Run = {
  id: 7, project: "ours", operation: "begin_import", input: {}, asked_at: "2026-01-01T00:00:00Z", words: [],
  state: "waiting", requested: "", resumable: true, interrupted: false, done: 0, total: 0,
  counts: "Waiting for its turn", message: "", problem: "", seconds: 0, result: null,
};
const RUNNING: Run = { ...WAITING, state: "running", done: 3, total: 8, counts: "3 of 8 images", message: "3 images imported", seconds: 2 };
const box = (): HTMLElement => document.querySelector("section") as HTMLElement;
const text = (name: string): string => box().querySelector(`[data-show=${name}]`)?.textContent ?? "";
const buttons = (): string[] => Array.from(box().querySelectorAll<HTMLButtonElement>("button:not([hidden])"), ({ value }) => value);
const fetched = vi.fn<(address: string, options: RequestInit) => Promise<Response>>();

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal("fetch", fetched);
  fetched.mockReset();
  document.body.innerHTML = `<section data-run="/runs/7/"><b data-show="state"></b><i data-show="counts"></i><progress></progress>
    <p data-show="message"></p><p data-show="note"></p><p data-show="problem"></p>
    <form><button value="pause"></button><button value="resume"></button><button value="cancel"></button></form></section>`;
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

test("work is followed until it has ended, over a moment without the service", async () => {
  const answers = [WAITING, null, RUNNING, { ...RUNNING, state: "done" as const, done: 8, result: { note: "All pictures." } }];
  fetched.mockImplementation(() => {
    const next = answers.shift();
    return next ? Promise.resolve(Response.json(next)) : Promise.reject(new Error("away"));
  });
  const ended = vi.fn();
  showRun(box(), ended);
  const seen: string[] = [];
  const bar = box().querySelector("progress") as HTMLProgressElement;
  for (let second = 0; second < 4; second++) {
    await vi.advanceTimersByTimeAsync(second ? 1000 : 0);
    seen.push(`${text("counts")} ${bar.value}/${bar.max} ${ended.mock.calls.length}`);
  }
  expect(seen).toEqual(["Waiting for its turn 0/1 0", "Waiting for its turn 0/1 0", "3 of 8 images 3/8 0", "3 of 8 images 8/8 1"]);
  expect([text("state"), text("note")]).toEqual(["done", "All pictures."]);
  await vi.advanceTimersByTimeAsync(5000);
  expect(answers).toEqual([]);
});

test("work that ends between the page and its first reply has ended, and work that the page shows as done has not ended anew", async () => {
  fetched.mockImplementation(() => Promise.resolve(Response.json({ ...RUNNING, state: "done" })));
  for (const [shown, times] of [["running", 1], ["done", 0]] as const) {
    (box().querySelector("[data-show=state]") as HTMLElement).textContent = shown;
    const ended = vi.fn();
    showRun(box(), ended);
    await vi.advanceTimersByTimeAsync(5000);
    expect(ended).toHaveBeenCalledTimes(times);
  }
});

test("a request is sent to the run, and one that is paused is asked about no more until it is resumed", async () => {
  let now: Run = RUNNING;
  fetched.mockImplementation((_, { body }) => {
    const { command } = JSON.parse((body as string | undefined) ?? "{}") as { command?: string };
    if (command) now = { ...now, state: command === "pause" ? "paused" : "waiting" };
    return Promise.resolve(Response.json(now));
  });
  const stop = showRun(box(), () => undefined);
  await vi.advanceTimersByTimeAsync(0);
  expect(buttons()).toEqual(["pause", "cancel"]);
  box().querySelector<HTMLButtonElement>("[value=pause]")?.click();
  await vi.advanceTimersByTimeAsync(1000);
  expect([text("state"), buttons()]).toEqual(["paused", ["resume", "cancel"]]);
  const calls = fetched.mock.calls.length;
  await vi.advanceTimersByTimeAsync(5000);
  expect(fetched).toHaveBeenCalledTimes(calls);
  box().querySelector<HTMLButtonElement>("[value=resume]")?.click();
  await vi.advanceTimersByTimeAsync(3000);
  expect(fetched.mock.calls.length).toBeGreaterThan(calls + 2);
  stop();
});

test("a run that is signed out says so in its own line, and stops", async () => {
  fetched.mockImplementation(() => Promise.resolve(Response.json({ code: "signed_out", message: "Sign in." }, { status: 401 })));
  showRun(box(), () => undefined);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(fetched).toHaveBeenCalledOnce();
  expect(text("message")).toMatch(/signed out/);
});

test("work that cannot be paused has one button, and its line says what is about to happen", async () => {
  fetched.mockImplementation(() => Promise.resolve(Response.json({ ...RUNNING, resumable: false })));
  const stop = showRun(box(), () => undefined);
  await vi.advanceTimersByTimeAsync(0);
  stop();
  expect(buttons()).toEqual(["cancel"]);
  expect(messageOf(RUNNING)).toBe("3 images imported, 2 s.");
  expect(messageOf({ ...RUNNING, requested: "pause" })).toBe("3 images imported, 2 s. Pausing …");
  expect(messageOf({ ...RUNNING, interrupted: true })).toMatch(/goes on by itself within a minute/);
});
