import { cleanup, fireEvent } from "@testing-library/preact";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { Refusal } from "../../src/api/client";
import type { Receipt } from "../../src/api/types";
import { START, step } from "../../src/labelling/assignment";
import { rememberRule } from "../../src/labelling/calls";
import { draftOf, keepDraft, readDraft } from "../../src/labelling/draft";
import { fakeApi, open, PLACE, RECEIPT, wait } from "../support/page";
import { assignment } from "../support/samples";

vi.mock("../../src/canvas/Stage", () => ({ Stage: () => <svg /> }));

beforeEach(() => {
  vi.useFakeTimers({ now: 1_000_000 });
  rememberRule("coreference_link");
});

describe("answers of an earlier assignment", () => {
  const LATE: Receipt = { ...RECEIPT, stored: 1, too_late: 1 };

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
