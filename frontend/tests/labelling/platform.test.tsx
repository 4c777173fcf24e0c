import { cleanup, fireEvent } from "@testing-library/preact";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { Refusal } from "../../src/api/client";
import type { Assignment, Receipt } from "../../src/api/types";
import { Unreachable } from "../../src/api/client";
import { goBack } from "../../src/labelling/session";
import { fakeApi, HIT, open, PLACE, RECEIPT, wait } from "../support/page";
import { assignment } from "../support/samples";

vi.mock("../../src/canvas/Stage", () => ({ Stage: () => <svg /> }));
vi.mock("../../src/labelling/session", () => ({ goBack: vi.fn() }));

const NOT_YET = new Refusal(409, "not_finished", "You have nothing to hand in. Give this place back.");

const after = (done: number): Receipt => ({ ...RECEIPT, session: { done, least: 2, quota: 4 } });

/** The page in a session, with the figures that the server tells after each assignment. */
function inSession(...done: number[]) {
  const api = fakeApi(assignment(1, { currency: "USD" }));
  for (const one of done) api.submit.mockResolvedValueOnce(after(one));
  return api;
}

async function start(api = inSession(1), session = HIT) {
  const page = await open(api, { ...PLACE, home: "", met: true, session });
  const finish = (): HTMLElement | null => page.root.querySelector<HTMLElement>("[data-finish]");
  const handIn = async (): Promise<void> => {
    fireEvent.click(finish() as HTMLElement);
    await wait(0);
  };
  // What the page does by itself takes another moment.
  const press = async (...keys: string[]): Promise<void> => {
    await page.press(...keys);
    await wait(10);
  };
  return { ...page, press, finish, handIn, state: () => page.root.dataset["state"] };
}

const calls = () => vi.mocked(goBack).mock.calls;
const answerAll = ["1", "Enter"];

beforeEach(() => {
  vi.useFakeTimers({ now: 1_000_000 });
  vi.mocked(goBack).mockReset();
});

describe("after an assignment of a session", () => {
  it("says how many are missing, and only goes on", async () => {
    const { press, text, finish, api } = await start();
    await press(...answerAll);
    expect(text()).toContain("1 of 2 assignments of this HIT done.");
    expect([finish(), api.finish.mock.calls.length]).toEqual([null, 0]);
    await press("Enter");
    expect(api.ask.mock.calls.filter(([, , ahead]) => !ahead)).toHaveLength(2);
  });

  it("lets the worker go on or hand in once it has enough, and says what was earned", async () => {
    const { press, text, finish, handIn, state } = await start(inSession(1, 2));
    await press(...answerAll, "Enter", ...answerAll);
    expect(text()).toContain("2 assignments of this HIT done. You can hand it in now, or do up to 4 in all.");
    expect(text()).toContain("$0.80 earned so far. The HIT pays $0.80; anything you earn beyond that is paid as a bonus.");
    expect([finish()?.textContent, calls().length]).toEqual(["Hand in and finish", 0]);
    await handIn();
    expect([calls(), state()]).toEqual([[[HIT]], "leaving"]);
  });

  it("does not say what was earned in all when it has not seen all", async () => {
    const { press, text } = await start(inSession(3));
    await press(...answerAll);
    expect(text()).toContain("You earned $0.40.");
    expect(text()).not.toContain("so far");
  });

  it("hands in by itself when it has had all, and does the same again for who is still there", async () => {
    const { press, text, finish, handIn, api } = await start(inSession(4));
    await press(...answerAll);
    expect([api.finish.mock.calls.length, calls()]).toEqual([1, [[HIT]]]);
    expect(text()).toContain("Handed inTaking you back to Mechanical Turk …");
    expect(finish()?.textContent).toContain("Hand in the HIT");
    await handIn();
    expect([api.finish.mock.calls.length, calls().length]).toEqual([2, 2]);
  });

  it("hands in as soon as the network is back", async () => {
    const api = inSession(4);
    api.finish.mockRejectedValueOnce(new Unreachable(""));
    const { press, text } = await start(api);
    await press(...answerAll);
    expect(text()).toContain("Handing in …");
    expect([text().includes("No connection."), calls().length]).toEqual([true, 0]);
    await wait(1000);
    expect(goBack).toHaveBeenCalledOnce();
  });

  it("says why a full session was not taken, and lets the worker try again", async () => {
    const api = inSession(4);
    api.finish.mockRejectedValueOnce(new Refusal(409, "session_over", "Its time ran out."));
    const { press, text, handIn } = await start(api);
    await press(...answerAll);
    expect([text().includes("Its time ran out."), calls().length]).toEqual([true, 0]);
    await handIn();
    expect(goBack).toHaveBeenCalledOnce();
  });
});

describe("a test in a session", () => {
  const RESULT = { right: 1, questions: 1, needed: 1, passed: true, mistakes: [] };

  async function tested(passed: boolean, session = HIT) {
    const api = fakeApi(assignment(1, { kind: "test" }));
    api.submit.mockResolvedValue({ ...after(0), test: { ...RESULT, passed }, message: "In the server's words." });
    const page = await start(api, session);
    await page.press("Enter", "ArrowRight", "ArrowRight");
    const before = page.text();
    await page.press("Enter", ...answerAll);
    return { ...page, before };
  }

  it("that was passed leads to the first assignment", async () => {
    const { press, text, finish, api } = await tested(true);
    expect(text()).toContain("The HIT is not finished yet: it needs 2 assignments.");
    expect(finish()).toBeNull();
    await press("Enter");
    expect(api.ask.mock.calls.filter(([, , ahead]) => !ahead)).toHaveLength(2);
  });

  it("that was not passed can be handed in where it is paid", async () => {
    const { press, text } = await tested(false);
    expect(text()).toContain("In the server's words.");
    await press("Enter");
    expect(goBack).toHaveBeenCalledOnce();
  });

  it("that was not passed is to be given back where it is not paid", async () => {
    const { handIn, text, api, state } = await tested(false);
    api.finish.mockRejectedValue(NOT_YET);
    await handIn();
    expect(text()).toContain("You have nothing to hand in. Give this place back. To leave the HIT itself, use its own Return button.");
    expect([calls().length, state()]).toEqual([0, "sent"]);
  });

  it("says before it begins whether it is paid", async () => {
    expect((await tested(true)).before).toContain("The test alone is not paid");
    cleanup();
    expect((await tested(true, { ...HIT, paysTests: true })).before).toContain("The HIT is paid whether or not you pass.");
  });
});

describe("a session in which nothing is asked", () => {
  const refuse = (status: number, code: string, message = "For a reason.") => {
    const api = fakeApi();
    api.ask.mockRejectedValue(new Refusal(status, code, message));
    return api;
  };

  it("may be handed in while nothing is open, and is not asked about meanwhile", async () => {
    const api = fakeApi(null);
    api.finish.mockRejectedValueOnce(NOT_YET);
    const { handIn, text, state } = await start(api);
    await handIn();
    expect([text().includes("You have nothing to hand in."), state()]).toEqual([true, "empty"]);
    await handIn();
    await wait(60_000);
    expect([calls().length, api.ask.mock.calls.length, state()]).toEqual([1, 1, "leaving"]);
  });

  it.each(["not_trusted", "budget_spent", "not_running"])("may be handed in after %s, which is not a fault", async (code) => {
    const { press, text, finish } = await start(refuse(403, code));
    expect([text().includes("For a reason."), finish()?.textContent]).toEqual([true, "Finish Enter"]);
    expect(text()).not.toContain("Something went wrong");
    await press("Enter");
    expect(goBack).toHaveBeenCalledOnce();
  });

  it("is handed in when it is over", async () => {
    const { press, text, finish } = await start(refuse(409, "session_over", "It has had all its assignments."));
    expect([text().includes("It has had all its assignments."), finish()?.textContent]).toEqual([true, "Hand in the HIT Enter"]);
    await press("Enter");
    expect(goBack).toHaveBeenCalledOnce();
  });

  it("is not called back by an answer that was on its way", async () => {
    const api = fakeApi(null);
    const { handIn, state } = await start(api);
    let answer: (asked: { assignment: Assignment; message: string }) => void = () => undefined;
    api.ask.mockReturnValueOnce(new Promise((resolve) => (answer = resolve)));
    await wait(30_000);
    await handIn();
    answer({ assignment: assignment(1), message: "" });
    await wait(0);
    expect(state()).toBe("leaving");
  });
});

describe("a page without a home", () => {
  it("has no link anywhere, and says how the HIT itself is left", async () => {
    const { root, press, text } = await start();
    expect(root.querySelector(".brand")?.tagName).toBe("SPAN");
    fireEvent.click(root.querySelector("[data-open=return]") as Element);
    await wait(0);
    expect(text()).toContain("To leave the HIT itself, use its own Return button.");
    root.querySelector("dialog")?.remove();
    await press(...answerAll);
    expect(root.querySelectorAll("a")).toHaveLength(0);
  });

  it.each(["signed_out", "not_trusted", "session_over", "no_access"])("has none after %s", async (code) => {
    const api = fakeApi();
    api.ask.mockRejectedValue(new Refusal(code === "signed_out" ? 401 : 403, code, "No."));
    const { root } = await start(api);
    expect(root.querySelectorAll("a")).toHaveLength(0);
  });

  it("is reloaded when it was open for too long, whatever was on its way", async () => {
    const reload = vi.fn();
    vi.stubGlobal("location", { reload });
    const api = inSession(4);
    api.finish.mockRejectedValue(new Refusal(401, "signed_out", "Sign in again."));
    const { press, text } = await start(api);
    await press(...answerAll);
    expect([text().includes("Reload this page"), text().includes("Sign in")]).toEqual([true, false]);
    await press("Enter");
    expect(reload).toHaveBeenCalledOnce();
  });
});

describe("a browser that forbids storage in frames", () => {
  const forbid = (): never => {
    throw new DOMException("Forbidden", "SecurityError");
  };
  beforeEach(() => void vi.spyOn(window, "localStorage", "get").mockImplementation(forbid));

  it("lets all work be done and handed in", async () => {
    const { press, api } = await start(inSession(4));
    expect(() => window.localStorage).toThrow("Forbidden");
    await press(...answerAll);
    expect(api.submit.mock.calls[0]?.[1]).toMatchObject([{ answer: "same" }]);
    expect(goBack).toHaveBeenCalledOnce();
  });

  it("goes on with the draft that the server kept", async () => {
    const first = await start(inSession(1));
    await first.press("1");
    await wait(10_000);
    const draft: unknown = first.api.keep.mock.lastCall?.[1];
    cleanup();
    const { root } = await start(fakeApi(assignment(1, { draft })));
    expect(root.querySelectorAll(".dot.answered")).toHaveLength(1);
  });

  it("is not told that its answers are kept", async () => {
    const api = inSession();
    api.submit.mockRejectedValue(new Refusal(401, "signed_out", "Sign in again."));
    const { press, text } = await start(api);
    await press(...answerAll);
    expect(text()).toContain("Reload it to continue.");
    expect(text()).not.toContain("kept on this device");
  });
});
