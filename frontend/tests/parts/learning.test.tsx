import { cleanup, fireEvent } from "@testing-library/preact";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Unreachable } from "../../src/state/send";
import { rememberTour } from "../../src/parts/Tour";
import { EXAMPLES, fakeApi, open, RECEIPT, wait } from "../support/page";
import { assignment } from "../support/samples";

vi.mock("../../src/canvas/Stage", () => ({ Stage: () => <svg /> }));

const TEST = assignment(2, { kind: "test" });
const RESULT = { right: 1, asked: 2, needed: 1, passed: true };

function testApi() {
  const api = fakeApi(TEST);
  api.submit.mockResolvedValue({ ...RECEIPT, test: RESULT, message: "You passed." });
  return api;
}

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

describe("a qualification test", () => {
  it("begins with the rule, every example with its answer, and what has to be reached", async () => {
    const { root, press, text } = await open(testApi());
    expect(root.dataset["state"]).toBe("learning");
    expect(text()).toContain("Qualification test: 2 questions, 1 must be right");
    await press("Enter");
    const chosen = (): unknown[] => [...root.querySelectorAll("[aria-pressed=true]")].map((one) => (one as HTMLElement).dataset["answer"]);
    expect([chosen(), text().includes("One person.")]).toEqual([["same"], true]);
    await press("ArrowRight");
    expect([chosen(), text().includes("A hat is no man.")]).toEqual([["different"], true]);
    await press("Enter");
    expect(text()).toContain("2 questions, 1 must be right.");
    await press("Enter");
    expect(root.dataset["state"]).toBe("asking");
  });

  it("goes back through the examples", async () => {
    const { press, text } = await open(testApi());
    await press("Enter", "Enter", "Enter", "Escape");
    fireEvent.click([...document.querySelectorAll("button")].find((one) => one.textContent === "Back") as Element);
    await wait(0);
    expect(text()).toContain("Example 2 of 2");
    await press("Backspace");
    expect(text()).toContain("Example 1 of 2");
    await press("ArrowLeft");
    expect(text()).toContain("The same thing or not?");
  });

  it("takes no answer before it has begun", async () => {
    const { root, press } = await open(testApi());
    await press("Enter", "1", "2", "s");
    expect([root.dataset["state"], root.querySelector("dialog")]).toEqual(["learning", null]);
  });

  it("begins at once where there are no examples", async () => {
    const api = testApi();
    api.examples.mockResolvedValue([]);
    const { root, press } = await open(api);
    await press("Enter", "Enter");
    expect(root.dataset["state"]).toBe("asking");
  });

  it("waits for the examples until the network is back", async () => {
    const api = testApi();
    api.examples.mockRejectedValueOnce(new Unreachable());
    const { press, text } = await open(api);
    await press("Enter");
    expect(text()).toContain("Loading questions …");
    await wait(1000);
    expect(text()).toContain("Example 1 of 2");
  });

  it("is told apart, and has no one to whom a question could be left", async () => {
    const { root, press, text } = await open(testApi());
    await press("Enter", "Enter", "Enter", "Enter", "s");
    expect(root.querySelector(".test")?.textContent).toBe("Qualification test");
    expect([root.querySelector("[data-open=skip]"), root.querySelector("dialog")]).toEqual([null, null]);
    await press("1", "ArrowRight");
    expect(text()).toContain("Questions that you leave out count as wrong.");
  });

  it("is gone on with after a reload", async () => {
    const first = await open(testApi());
    await first.press("Enter", "Enter", "Enter", "Enter", "1");
    first.unmount();
    const { root } = await open(testApi());
    expect([root.dataset["state"], root.dataset["index"]]).toEqual(["asking", "1"]);
  });

  it("ends with how many were right and how many were needed, and goes on to work", async () => {
    const { press, text, api } = await open(testApi());
    await press("Enter", "Enter", "Enter", "Enter", "1", "2", "Enter");
    expect(text()).toContain("1 of 2 right; 1 was needed.You passed.");
    await press("Enter");
    expect(api.ask).toHaveBeenCalledTimes(2);
  });

  it("that was failed says when it may be tried again, and leads home", async () => {
    const api = testApi();
    api.submit.mockResolvedValue({ ...RECEIPT, test: { ...RESULT, needed: 2, passed: false }, message: "Once more tomorrow." });
    const { root, press, text } = await open(api);
    await press("Enter", "Enter", "Enter", "Enter", "1", "2", "Enter");
    expect(text()).toContain("Once more tomorrow.");
    expect([root.querySelector("[data-next]"), root.querySelector("a.primary")?.getAttribute("href")]).toEqual([null, "/work/demo/"]);
  });

  it("can be left, and taken another time", async () => {
    const { root, press, text } = await open(testApi());
    await press("Enter", "Enter", "Enter", "Enter");
    fireEvent.click(root.querySelector("[data-open=return]") as Element);
    await wait(0);
    fireEvent.click(root.querySelector(".danger") as Element);
    await wait(0);
    expect(text()).toContain("You can take the test another time.");
  });
});

describe("the examples", () => {
  const again = (root: HTMLElement): Element | undefined =>
    [...root.querySelectorAll("dialog button")].find((one) => one.textContent === "Show the examples again");

  it("are asked for only when somebody wants help", async () => {
    const { api, press } = await open();
    expect(api.examples).not.toHaveBeenCalled();
    await press("?");
    expect(api.examples).toHaveBeenCalledWith("demo", "coreference_link");
  });

  it("are shown again in the middle of work, which is found as it was left", async () => {
    const { root, press } = await open();
    await press("1", "?");
    fireEvent.click(again(root) as Element);
    await wait(0);
    document.querySelector("dialog")?.remove();
    expect([root.dataset["state"], root.querySelector(".test")]).toEqual(["learning", null]);
    await press("Enter", "Enter");
    expect([root.dataset["state"], root.dataset["index"], root.querySelectorAll(".dot.answered").length]).toEqual(["asking", "1", 1]);
  });

  it("are not offered where there are none", async () => {
    const api = fakeApi();
    api.examples.mockResolvedValue(EXAMPLES.slice(2));
    const { root, press } = await open(api);
    await press("?");
    expect(again(root)).toBeUndefined();
  });

  it("do not count as time at the question", async () => {
    const { root, press, api } = await open();
    await press("?");
    fireEvent.click(again(root) as Element);
    await wait(30_000);
    document.querySelector("dialog")?.remove();
    await press("Enter", "Enter", "1", "1", "Enter");
    expect(api.submit.mock.calls[0]?.[1]).toMatchObject([{ seconds: 0 }, { seconds: 0 }]);
  });
});
