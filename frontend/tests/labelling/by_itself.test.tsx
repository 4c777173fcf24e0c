import { beforeEach, describe, expect, it, vi } from "vitest";
import type { Api } from "../../src/api/client";
import type { Assignment } from "../../src/api/types";
import { DEFAULTS } from "../../src/labelling/preferences";
import { WAY_BACK } from "../../src/labelling/use_work";
import { fakeApi, open, PLACE, RECEIPT, wait } from "../support/page";
import { assignment } from "../support/samples";

vi.mock("../../src/canvas/Stage", () => ({ Stage: () => null }));

const SETTLED = { ...PLACE, preferences: { ...DEFAULTS, send_by_itself: true } };

/** A server that leases batch after batch; `most`: how many in all. */
function batches(most = 9, change: Partial<Assignment> = {}) {
  const api = fakeApi();
  let sent = 0;
  const number = (n: number) => (n <= most ? assignment(2, { token: `t-${String(n)}`, ...change }) : null);
  api.ask = vi.fn<Api["ask"]>((_project, _task, ahead) => Promise.resolve({ assignment: number(sent + (ahead ? 2 : 1)), message: "Nothing." }));
  api.submit = vi.fn<Api["submit"]>(() => {
    sent += 1;
    return Promise.resolve(RECEIPT);
  });
  return api;
}

beforeEach(() => {
  localStorage.setItem("chainbox tour coreference_link", "seen");
  vi.useFakeTimers();
});

describe("a worker who wants it", () => {
  it("answers batch after batch with one key a question, and every answer is sent", async () => {
    const { root, api, press } = await open(batches(), SETTLED);
    for (let batch = 1; batch <= 3; batch++) {
      expect([root.dataset["state"], root.dataset["index"]]).toEqual(["asking", "0"]);
      await press("1", "2");
      await wait(WAY_BACK);
      expect(api.submit).toHaveBeenLastCalledWith(`t-${String(batch)}`, [
        expect.objectContaining({ answer: "same" }),
        expect.objectContaining({ answer: "different" }),
      ]);
    }
    expect(localStorage.getItem("chainbox draft t-1")).toBeNull();
  });

  it("sees the next batch at once, and can still change an answer of the last one", async () => {
    const { root, api, press, text } = await open(batches(), SETTLED);
    await press("1", "1");
    expect([root.dataset["state"], root.dataset["index"]]).toEqual(["asking", "0"]);
    expect(text()).toContain("Change last answers");
    expect(localStorage.getItem("chainbox draft t-1")).not.toBeNull();
    await press("Backspace");
    expect(root.dataset["index"]).toBe("1");
    await wait(2 * WAY_BACK);
    expect(api.submit).not.toHaveBeenCalled();
    await press("2");
    expect(root.dataset["index"]).toBe("0");
    await wait(WAY_BACK);
    expect(api.submit).toHaveBeenCalledExactlyOnceWith("t-1", [
      expect.objectContaining({ answer: "same" }),
      expect.objectContaining({ answer: "different" }),
    ]);
    expect(text()).toContain("2 stored");
  });

  it("loses nothing that was answered in the next batch meanwhile", async () => {
    const { root, api, press } = await open(batches(), SETTLED);
    await press("1", "1", "2");
    expect(root.dataset["index"]).toBe("1");
    await press("Backspace", "Backspace");
    expect(root.dataset["index"]).toBe("1"); // of the first batch
    await press("2");
    expect(root.dataset["index"]).toBe("1"); // of the second
    await wait(WAY_BACK);
    await press("2");
    await wait(WAY_BACK);
    expect(api.submit).toHaveBeenLastCalledWith("t-2", [
      expect.objectContaining({ answer: "different" }),
      expect.objectContaining({ answer: "different" }),
    ]);
  });

  it("gets the batch that the server gives if it is not the one that was loaded", async () => {
    const api = batches();
    const { press, text } = await open(api, SETTLED);
    await press("1", "1");
    api.ask = vi.fn<Api["ask"]>(() => Promise.resolve({ assignment: assignment(1, { token: "other" }), message: "" }));
    await wait(WAY_BACK);
    expect(text()).toContain("1 of 1");
  });

  it("is sent to the end when nothing more is open", async () => {
    const { root, api, press } = await open(batches(1), SETTLED);
    await press("1", "1");
    expect(root.dataset["state"]).toBe("summary");
    await wait(WAY_BACK);
    await wait(0);
    expect([api.submit.mock.calls.length, root.dataset["state"]]).toEqual([1, "empty"]);
  });

  it("still has to look at what was left out", async () => {
    const { root, api, press } = await open(batches(), SETTLED);
    await press("ArrowRight", "1");
    expect(root.dataset["state"]).toBe("summary");
    await wait(2 * WAY_BACK);
    expect(api.submit).not.toHaveBeenCalled();
  });

  it("hands in a test by hand all the same", async () => {
    const { root, api, press } = await open(batches(9, { kind: "test" }), SETTLED);
    await press("Enter", "1", "Enter", "2", "Enter", "Enter", "1", "1");
    expect(root.dataset["state"]).toBe("summary");
    await wait(2 * WAY_BACK);
    expect(api.submit).not.toHaveBeenCalled();
    expect(api.ask).toHaveBeenCalledTimes(1);
  });

  it("reads why answers are not used before going on", async () => {
    const api = batches(1);
    api.submit = vi.fn<Api["submit"]>(() => Promise.resolve({ ...RECEIPT, message: "These answers are not used." }));
    const { root, press } = await open(api, SETTLED);
    await press("1", "1");
    await wait(WAY_BACK);
    expect(root.dataset["state"]).toBe("sent");
  });

  it("finds a refused batch again, with its answers and the reason", async () => {
    const { Refusal } = await import("../../src/api/client");
    const api = batches();
    api.submit = vi.fn<Api["submit"]>(() => Promise.reject(new Refusal(400, "bad_answer", "A box lies outside.")));
    const { root, press, text } = await open(api, SETTLED);
    await press("1", "1");
    await wait(WAY_BACK);
    expect([root.dataset["state"], text().includes("A box lies outside.")]).toEqual(["summary", true]);
  });
});

describe("a worker who does not", () => {
  it("submits by hand, and nothing is leased ahead before they go on once", async () => {
    const { root, api, press } = await open(batches());
    await press("1", "1");
    expect([root.dataset["state"], api.ask.mock.calls.length]).toEqual(["summary", 1]);
    await wait(2 * WAY_BACK);
    expect(api.submit).not.toHaveBeenCalled();
    await press("Enter", "Enter", "1");
    expect(api.ask).toHaveBeenLastCalledWith("demo", "coreference_link", "t-2");
  });

  it("gives the next batch back by leaving the page before beginning it", async () => {
    const { api, press } = await open(batches());
    await press("1", "1", "Enter", "Enter", "1");
    window.dispatchEvent(new Event("pagehide"));
    expect(api.giveBack).toHaveBeenCalledWith("t-3", true);
  });
});
