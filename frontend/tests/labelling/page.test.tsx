import { act, fireEvent } from "@testing-library/preact";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { Refusal } from "../../src/api/client";
import type { Question } from "../../src/api/types";
import { rememberRule } from "../../src/labelling/calls";
import { tellOtherTabs } from "../../src/labelling/other_tabs";
import { Unreachable } from "../../src/api/client";
import { fakeApi, open, PLACE, RECEIPT, wait } from "../support/page";
import { assignment } from "../support/samples";
import { TASKS } from "../support/tasks";

vi.mock("../../src/canvas/Stage", () => ({ Stage: () => <svg /> }));

beforeEach(() => {
  vi.useFakeTimers({ now: 1_000_000 });
  rememberRule("coreference_link");
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
    expect(root.querySelector("[data-ask]")?.getAttribute("href")).toBe("/work/demo/messages/?assignment=t-1");
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

  it("says that the answers of another tab count when this one sent others", async () => {
    const api = fakeApi();
    const message = "The first submission counts.";
    api.submit.mockResolvedValueOnce({ ...RECEIPT, repeated: true, differs: true, message });
    const { press, text } = await open(api);
    await press("1", "n", "Enter");
    expect(text()).toContain("Already submitted");
    expect(text()).toContain("The first submission counts.First submission: 2 answers stored");
    expect(text()).not.toContain("Thank you");
  });

  it("stops at once when another tab has sent, says which answers count, and drops its draft", async () => {
    const { root, press, text } = await open();
    await press("1");
    tellOtherTabs({ token: "t-1", how: "submitted" });
    await vi.waitFor(() => expect(text()).toContain("Submitted in another tab"), { timeout: 20_000 });
    expect(text()).toContain("The answers sent there count. Those in this tab were not sent.");
    expect(root.dataset["state"]).toBe("empty");
    expect(Object.keys(localStorage).filter((key) => key.includes("draft"))).toEqual([]);
  });

  it("learns from the next saved draft that the assignment was returned on another device", async () => {
    const api = fakeApi();
    api.keep.mockResolvedValueOnce({ seconds_left: 0, state: "returned", bearer: null });
    const { press, text } = await open(api);
    await press("1");
    await wait(10_000);
    expect(text()).toContain("Returned in another tab or on another device");
  });

  it("goes on when another tab has sent another assignment", async () => {
    const { root, press } = await open();
    await press("1");
    tellOtherTabs({ token: "t-2", how: "submitted" });
    await wait(1_000);
    expect(root.dataset["state"]).toBe("asking");
  });

  it("says before sending what the answers earn, not what all of them would have", async () => {
    const { press, text } = await open(fakeApi(assignment(5, { currency: "USD", reward_cents: 20 })));
    await press("1", "1", "1", "ArrowRight", "ArrowRight");
    expect(text()).toContain("This assignment earns $0.12: 3 of 5 questions answered. All of them earn $0.20.");
    expect(text()).not.toContain("pays $0.20");
  });

  it("says what skipping costs before the question is skipped", async () => {
    const { root, press, text } = await open(fakeApi(assignment(5, { currency: "USD", reward_cents: 20 })));
    await press("s");
    expect(text()).toContain("a skipped question is not paid: this assignment then earns at most $0.16 instead of $0.20.");
    fireEvent.click(root.querySelector("[data-skip=unclear]") as Element);
    await wait(0);
    await press("s");
    expect(text()).toContain("earns at most $0.12 instead of $0.16.");
  });

  it("says that answers of a returned assignment are not paid", async () => {
    const { root, press, text } = await open(fakeApi(assignment(2, { currency: "USD", reward_cents: 20 })));
    await press("1");
    fireEvent.click(root.querySelector("[data-open=return]") as Element);
    await wait(0);
    expect(text()).toContain("Your answers so far (1) are thrown away and not paid.");
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
    api.keep.mockResolvedValue({ seconds_left: 4, state: "active", bearer: null });
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

  it("sends no draft while the worker only looks around or leaves the tab", async () => {
    const { press, api } = await open();
    await press("1");
    expect(api.keep).toHaveBeenCalledTimes(1);
    await wait(15_000);
    await press("Backspace", "ArrowRight");
    document.dispatchEvent(new Event("visibilitychange"));
    await wait(60_000);
    expect(api.keep).toHaveBeenCalledTimes(1);
    await press("2");
    expect(api.keep).toHaveBeenCalledTimes(2);
  });

  it("sends no heartbeat in a minute in which it saved a draft", async () => {
    const { press, api } = await open();
    await wait(50_000);
    await press("1");
    expect(api.keep).toHaveBeenCalledTimes(1);
    await wait(10_000);
    expect(api.beat).not.toHaveBeenCalled();
    await wait(60_000);
    expect(api.beat).toHaveBeenCalledTimes(1);
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

  it("says what happened when a question cannot be shown, keeps the answers, and goes on with the next", async () => {
    vi.spyOn(console, "error").mockReturnValue();
    let broken = true;
    const { Screen } = TASKS.coreference_link;
    const Fragile: typeof Screen = (props) => {
      if (broken && props.question.image.url === "/broken.jpg") throw new Error("no such picture");
      return <Screen {...props} />;
    };
    const given = assignment(3);
    given.questions[1] = { ...(given.questions[1] as Question), image: { url: "/broken.jpg", full_url: "/broken.jpg", width: 4, height: 3 } };
    const { root, press, text, api } = await open(fakeApi(given), PLACE, { ...TASKS, coreference_link: { ...TASKS.coreference_link, Screen: Fragile } });
    await press("1");
    expect(text()).toContain("Something went wrong");
    expect(text()).toContain("no such picture");
    fireEvent.click(root.querySelector("[data-pass]") as Element);
    await press("2", "ArrowLeft", "ArrowLeft");
    broken = false;
    fireEvent.click(root.querySelector("[data-again]") as Element);
    await press("1", "ArrowRight", "Enter");
    expect(api.submit.mock.calls[0]?.[1]).toMatchObject([{ answer: "same" }, { answer: "same" }, { answer: "different" }]);
  });

  it("says what happened when a mistake of the page ends a call, and keeps the answers", async () => {
    vi.spyOn(console, "error").mockReturnValue();
    const { press, text, api } = await open();
    api.submit.mockRejectedValueOnce(new TypeError("x is undefined"));
    await press("1", "1", "Enter");
    expect(text()).toContain("The page made a mistake: TypeError: x is undefined. Your answers so far are kept.");
    await press("Enter");
    expect(api.submit).toHaveBeenCalledTimes(2);
    expect(text()).toContain("Thank you");
  });
});
