import { act, cleanup, fireEvent } from "@testing-library/preact";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Refusal } from "../../src/api/client";
import type { Receipt } from "../../src/api/types";
import { rememberTour } from "../../src/parts/Tour";
import { START, step } from "../../src/state/assignment";
import { draftOf, keepDraft, readDraft } from "../../src/state/draft";
import { Unreachable } from "../../src/state/send";
import { fakeApi, open, PLACE, RECEIPT, wait } from "../support/page";
import { assignment } from "../support/samples";

vi.mock("../../src/canvas/Stage", () => ({ Stage: () => <svg /> }));

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
    expect(text()).toContain("No connection. Your answers are safe here");
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

  it("says in the summary that a comment alone is not sent", async () => {
    const { root, press, text } = await open();
    await press("1", "c");
    fireEvent.input(root.querySelector("textarea") as Element, { target: { value: "hm" } });
    await press("ArrowRight");
    expect(root.dataset["state"]).toBe("summary");
    expect(text()).toContain("A comment is sent only with an answer: answer or skip question 2.");
  });
});

describe("answers of an earlier assignment", () => {
  const LATE: Receipt = { ...RECEIPT, stored: 1, too_late: [1] };

  /** This browser keeps two answers of the assignment t-0. */
  function leave(): void {
    const begun = step(START, { type: "assigned", assignment: assignment(2), kept: null });
    const done = step(step(begun, { type: "answer", answer: "same" }), { type: "answer", answer: "different" });
    keepDraft("t-0", draftOf(done, PLACE, 999_000));
  }

  async function openLater(api = fakeApi()) {
    leave();
    const page = await open(api);
    const click = async (label: string): Promise<void> => {
      const button = [...page.root.querySelectorAll(".earlier button")].find((one) => one.textContent === label);
      fireEvent.click(button as Element);
      await wait(0);
    };
    return { ...page, click };
  }

  it("are told of while others are asked, and when there is nothing to do", async () => {
    const { root, text } = await openLater();
    expect(root.dataset["state"]).toBe("asking");
    expect(text()).toContain("2 answers from an earlier assignment were not sent.");
    cleanup();
    const idle = await openLater(fakeApi(null));
    expect(idle.root.dataset["state"]).toBe("empty");
    expect(idle.text()).toContain("2 answers from an earlier assignment were not sent.");
  });

  it("are sent, after what was not begun is given back, and what came of it is said", async () => {
    const api = fakeApi();
    api.submit.mockResolvedValue(LATE);
    const { root, click, text } = await openLater(api);
    await click("Send them now");
    expect(api.giveBack).toHaveBeenCalledWith("t-1");
    expect(api.submit.mock.calls[0]).toMatchObject(["t-0", [{ answer: "same" }, { answer: "different" }]]);
    expect(api.giveBack.mock.invocationCallOrder[0]).toBeLessThan(api.submit.mock.invocationCallOrder[0] ?? 0);
    expect(text()).toContain("1 answer stored, 1 too late");
    expect([api.ask.mock.calls.length, root.dataset["state"], readDraft("t-0")]).toEqual([2, "asking", null]);
    await click("Close");
    expect(root.querySelector(".earlier")).toBeNull();
  });

  it("are sent without touching what was begun", async () => {
    const { root, press, api, click, text } = await openLater();
    await press("1");
    await click("Send them now");
    expect(api.giveBack).not.toHaveBeenCalled();
    expect(text()).toContain("2 answers stored");
    expect(root.querySelectorAll(".dot.answered")).toHaveLength(1);
  });

  it("can only be discarded when the server refuses them", async () => {
    const api = fakeApi();
    api.submit.mockRejectedValue(new Refusal(409, "assignment_ended", "It was returned."));
    const { root, click, text } = await openLater(api);
    await click("Send them now");
    expect(text()).toContain("It was returned.");
    expect([...root.querySelectorAll(".earlier button")].map((one) => one.textContent)).toEqual(["Discard"]);
    expect(readDraft("t-0")).not.toBeNull();
  });

  it("are discarded only after a second question", async () => {
    const { root, click, api } = await openLater();
    await click("Discard");
    expect(readDraft("t-0")).not.toBeNull();
    await click("Keep");
    await click("Discard");
    await click("Discard for good");
    expect(root.querySelector(".earlier")).toBeNull();
    expect([readDraft("t-0"), api.submit.mock.calls.length]).toEqual([null, 0]);
  });
});
