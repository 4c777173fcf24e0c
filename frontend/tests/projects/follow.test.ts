import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { followNumbers } from "../../src/projects/dashboard/dashboard";
import { followAddress } from "../../src/projects/run";

const look = (hidden: boolean): void => {
  vi.spyOn(document, "hidden", "get").mockReturnValue(hidden);
  document.dispatchEvent(new Event("visibilitychange"));
};
const fetched = vi.fn<(address: string, options: RequestInit) => Promise<Response>>();
const said = vi.fn();
const begin = () => followAddress("/standing/", { every: 1000, on: () => "go on", trouble: said });

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal("fetch", fetched);
  fetched.mockReset();
  said.mockReset();
});
afterEach(() => vi.useRealTimers());

test("a tab that is looked at again while the numbers are on their way does not ask twice from then on", async () => {
  fetched.mockImplementation((_, { signal }) => new Promise((done, fail) => {
    if (fetched.mock.calls.length > 1) done(Response.json({ texts: {}, needs: [] }));
    signal?.addEventListener("abort", () => fail(new Error("aborted")));
  }));
  const stop = followNumbers(document.body, "/live/");
  await vi.advanceTimersByTimeAsync(10_000);
  document.dispatchEvent(new Event("visibilitychange"));
  await vi.advanceTimersByTimeAsync(10_000);
  expect(fetched).toHaveBeenCalledTimes(3);
  stop();
});

const refused = (status: number) => (): Response => new Response("", { status });

test.each([
  ["signed out", refused(401), /Sign in again/],
  ["no member any more", refused(403), /Ask an owner/],
  ["that was deleted", refused(404), /Go back to the project/],
])("a page of somebody %s says what to do and asks no more", async (_, answer, words) => {
  fetched.mockImplementation(() => Promise.resolve(answer()));
  begin();
  await vi.advanceTimersByTimeAsync(60_000);
  look(false);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(fetched).toHaveBeenCalledOnce();
  expect(said.mock.calls).toEqual([[expect.stringMatching(words)]]);
});

test("a hidden tab asks nothing, and asks at once when it is shown", async () => {
  fetched.mockImplementation(() => Promise.resolve(Response.json({})));
  const { stop } = begin();
  look(true);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(fetched).not.toHaveBeenCalled();
  look(false);
  await vi.advanceTimersByTimeAsync(2_000);
  expect(fetched).toHaveBeenCalledTimes(3);
  stop();
});

test("a service that is away is asked less and less often, and the page says so until it is back", async () => {
  const at: number[] = [];
  const start = Date.now();
  fetched.mockImplementation(() => {
    at.push((Date.now() - start) / 1000);
    return at.length < 7 ? Promise.reject(new Error("away")) : Promise.resolve(Response.json({}));
  });
  const { stop } = begin();
  await vi.advanceTimersByTimeAsync(47_000);
  expect(at).toEqual([1, 2, 4, 8, 16, 31, 46, 47]);
  expect([said.mock.calls[0], said.mock.calls.at(-1)]).toEqual([["The service does not answer. Asking again …"], [""]]);
  stop();
});
