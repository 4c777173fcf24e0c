import { expect, test, vi } from "vitest";
import { follow } from "../../src/campaign/dashboard/follow";

test("a tab that is looked at again while the numbers are on their way does not ask twice from then on", async () => {
  vi.useFakeTimers();
  const fetched = vi.fn((_: string, { signal }: RequestInit) => new Promise((done, fail) => {
    if (fetched.mock.calls.length > 1) done(Response.json({ texts: {}, needs: [] }));
    signal?.addEventListener("abort", () => fail(new Error("aborted")));
  }));
  vi.stubGlobal("fetch", fetched);
  const stop = follow(document.body, "/live/");
  await vi.advanceTimersByTimeAsync(10_000);
  document.dispatchEvent(new Event("visibilitychange"));
  await vi.advanceTimersByTimeAsync(10_000);
  expect(fetched).toHaveBeenCalledTimes(3);
  stop();
});
