import { act, cleanup, fireEvent, render } from "@testing-library/preact";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Refusal, type Api } from "../../src/api/client";
import type { Assignment, Receipt } from "../../src/api/types";
import { Page } from "../../src/parts/Page";
import { rememberTour } from "../../src/parts/Tour";
import { Unreachable } from "../../src/state/send";
import { assignment } from "../support/samples";

vi.mock("../../src/canvas/Stage", () => ({ Stage: () => <svg /> }));

const RECEIPT: Receipt = { stored: 2, too_late: [], skipped: 0, repeated: false, message: "", earned_cents: 40 };
const PLACE = { project: "demo", title: "Demo", task: "coreference_link", home: "/work/demo/" } as const;

function fakeApi(given: Assignment | null = assignment(2, { currency: "EUR" })) {
  const lease = { seconds_left: 600, bearer: null };
  return {
    ask: vi.fn<Api["ask"]>(() => Promise.resolve({ assignment: given, message: given ? "" : "Only others can go on." })),
    beat: vi.fn<Api["beat"]>(() => Promise.resolve(lease)),
    keep: vi.fn<Api["keep"]>(() => Promise.resolve(lease)),
    submit: vi.fn<Api["submit"]>(() => Promise.resolve(RECEIPT)),
    giveBack: vi.fn<Api["giveBack"]>(() => Promise.resolve({ returned: true })),
    report: vi.fn<Api["report"]>(() => Promise.resolve({ message: "Thank you." })),
  };
}

const wait = (milliseconds: number): Promise<void> => act(() => vi.advanceTimersByTimeAsync(milliseconds) as unknown as Promise<void>);

async function open(api = fakeApi()) {
  const root = document.body.appendChild(document.createElement("div"));
  const shown = render(<Page root={root} place={PLACE} api={api} />, { container: root });
  await wait(0);
  const press = async (...keys: string[]): Promise<void> => {
    for (const key of keys) {
      fireEvent.keyDown(window, { key });
      await wait(0);
    }
  };
  return { ...shown, root, api, press, text: () => root.textContent ?? "" };
}

// The browser that runs the tests knows no modal dialogs.
HTMLDialogElement.prototype.showModal ??= function (this: HTMLDialogElement) {
  this.open = true;
};

beforeEach(() => {
  vi.useFakeTimers({ now: 1_000_000 });
  localStorage.clear();
  rememberTour("coreference_link");
});
afterEach(() => {
  cleanup();
  document.body.replaceChildren();
  vi.useRealTimers();
});

describe("the labelling page", () => {
  it("goes from question to question to the summary, sends, and tells what was stored", async () => {
    const { root, press, api, text } = await open();
    expect(root.dataset).toMatchObject({ state: "asking", index: "0", total: "2" });
    await press("1", "n");
    expect(root.dataset["state"]).toBe("summary");
    expect(text()).toContain("All 2 answered");
    await press("Enter");
    expect(api.submit.mock.calls[0]?.[1]).toMatchObject([{ answer: "same" }, { answer: "different" }]);
    expect(root.dataset["state"]).toBe("sent");
    expect(text()).toContain("2 answers stored. You earned €0.40.");
    expect(Object.keys(localStorage).filter((key) => key.includes("draft"))).toEqual([]);
  });

  it("tells what was left out and what was skipped", async () => {
    const { root, press, text } = await open();
    await press("ArrowRight", "1");
    expect(text()).toContain("1 left out");
    fireEvent.click(root.querySelector(".leftover button") as Element);
    await press("s");
    fireEvent.click(root.querySelector("[data-skip=unclear]") as Element);
    await wait(0);
    expect(text()).toContain("1 answered, 1 skipped");
  });

  it("goes back with Backspace and shows the answer", async () => {
    const { container, press } = await open();
    await press("1", "Backspace");
    expect(container.querySelector("[aria-pressed=true]")?.getAttribute("data-answer")).toBe("same");
  });

  it("sends again until the network is back, and says so meanwhile", async () => {
    const api = fakeApi();
    api.submit.mockRejectedValueOnce(new Unreachable());
    const { root, press, text } = await open(api);
    await press("1", "1", "Enter");
    expect(root.dataset["state"]).toBe("sending");
    expect(text()).toContain("No connection. Your answers are kept here");
    await act(() => void window.dispatchEvent(new Event("online")));
    await wait(0);
    expect(root.dataset["state"]).toBe("sent");
    expect(text()).not.toContain("No connection");
    expect(api.submit).toHaveBeenCalledTimes(2);
  });

  it("goes on after a reload with what this browser kept", async () => {
    const first = await open();
    await first.press("1");
    first.unmount();
    const { root } = await open();
    expect(root.dataset["index"]).toBe("1");
    expect(root.querySelectorAll(".dot.answered")).toHaveLength(1);
  });

  it("says when time is up, takes no more answers, and still submits", async () => {
    const { root, press, api, text } = await open(fakeApi(assignment(2, { seconds_left: 5 })));
    api.keep.mockResolvedValue({ seconds_left: 4, bearer: null });
    await press("1");
    await wait(6000);
    expect(text()).toContain("Time is up. Your answers are kept");
    await press("1");
    expect(root.dataset["index"]).toBe("1");
    fireEvent.click(root.querySelector(".ended button") as Element);
    await wait(0);
    expect(api.submit.mock.calls[0]?.[1]).toMatchObject([{ answer: "same" }, null]);
  });

  it("is told by a heartbeat that the lease has ended", async () => {
    const api = fakeApi();
    api.beat.mockRejectedValue(new Refusal(409, "lease_ended", "Too late."));
    const { text } = await open(api);
    await wait(60_000);
    expect(text()).toContain("Time is up.");
  });

  it("extends the lease only while somebody is there", async () => {
    const { api } = await open(fakeApi(assignment(2, { seconds_left: 6000 })));
    await wait(20 * 60_000);
    expect(api.beat).toHaveBeenCalledTimes(4);
  });

  it("keeps the answers when the worker was signed out", async () => {
    const api = fakeApi();
    api.submit.mockRejectedValue(new Refusal(401, "signed_out", "Please sign in."));
    const { root, press, text } = await open(api);
    await press("1", "1", "Enter");
    expect(root.dataset["state"]).toBe("error");
    expect(text()).toContain("You were signed out");
    expect(localStorage.getItem("chainbox draft t-1")).toContain('"same"');
  });

  it("shows why the server refused, with all answers still there", async () => {
    const api = fakeApi();
    api.submit.mockRejectedValue(new Refusal(400, "bad_answer", "The second answer is none."));
    const { root, press, text } = await open(api);
    await press("1", "1", "Enter");
    expect(root.dataset["state"]).toBe("summary");
    expect(text()).toContain("The second answer is none.");
  });

  it("says why nothing is open and looks again every half minute", async () => {
    const { root, api, text } = await open(fakeApi(null));
    expect(root.dataset["state"]).toBe("empty");
    expect(text()).toContain("Only others can go on.");
    api.ask.mockResolvedValue({ assignment: assignment(1), message: "" });
    await wait(30_000);
    expect(root.dataset["state"]).toBe("asking");
  });

  it("does not take another assignment by itself after one was returned", async () => {
    const { root, api, text } = await open();
    fireEvent.click(root.querySelector("[data-open=return]") as Element);
    await wait(0);
    fireEvent.click(root.querySelector(".danger") as Element);
    await wait(60_000);
    expect(text()).toContain("Other people can answer these questions now.");
    expect(api.giveBack).toHaveBeenCalledWith("t-1");
    expect(api.ask).toHaveBeenCalledOnce();
  });

  it("saves the draft on the server once in ten seconds", async () => {
    const { press, api } = await open();
    await press("1", "Backspace", "2");
    expect(api.keep).toHaveBeenCalledTimes(1);
    await wait(10_000);
    expect(api.keep).toHaveBeenCalledTimes(2);
    expect(api.keep.mock.lastCall?.[1]).toMatchObject({ index: 1, entries: [{ answer: "different" }, { answer: null }] });
  });

  it("warns before unsent answers are left, and only then", async () => {
    const leave = (): boolean => !window.dispatchEvent(new Event("beforeunload", { cancelable: true }));
    const { press } = await open();
    expect(leave()).toBe(false);
    await press("1");
    expect(leave()).toBe(true);
    await press("1", "Enter");
    expect(leave()).toBe(false);
  });
});
