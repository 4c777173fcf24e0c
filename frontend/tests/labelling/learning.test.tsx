import { fireEvent } from "@testing-library/preact";
import { beforeEach, describe, expect, it, vi } from "vitest";
import type { Task, TestResult } from "../../src/api/types";
import { rememberRule } from "../../src/labelling/calls";
import { Unreachable } from "../../src/api/client";
import { builtIn } from "../../src/tasks/examples";
import { LINK_WITH_PARTS } from "../../src/tasks/link_with_parts";
import { fakeApi, open, PLACE, RECEIPT, wait } from "../support/page";
import { assignment } from "../support/samples";
import { ruleOf, taskOf, TASKS } from "../support/tasks";

vi.mock("../../src/canvas/Stage", () => ({ Stage: () => <svg /> }));

const NAMES = Object.keys(TASKS) as Task[];
const TEST = assignment(2, { kind: "test" });
const RESULT = { right: 1, questions: 2, needed: 1, passed: true, mistakes: [] };
const FAILED = { ...RESULT, needed: 2, passed: false };
const TRY = ["1", "Enter", "2", "Enter"];

function testApi(result: TestResult = RESULT) {
  const api = fakeApi(TEST);
  api.submit.mockResolvedValue({ ...RECEIPT, test: result, message: result.passed ? "You passed." : "Once more tomorrow." });
  return api;
}

const pressed = (root: HTMLElement): unknown[] => [...root.querySelectorAll<HTMLElement>("[aria-pressed=true]")].map((one) => one.dataset["answer"]);

async function click(root: Element, words: string): Promise<void> {
  fireEvent.click([...root.querySelectorAll("button")].find((one) => one.textContent?.startsWith(words)) as Element);
  await wait(0);
}

beforeEach(() => void vi.useFakeTimers({ now: 1_000_000 }));

describe("a worker who meets a task for the first time", () => {
  it.each(NAMES)("reads the rule of %s and the gesture that it needs, without the answers of examples", async (task) => {
    const { root, text } = await open(fakeApi(assignment(2, { task })), { ...PLACE, task });
    expect(root.dataset["state"]).toBe("learning");
    expect(text()).toContain(ruleOf(task).title);
    expect(text()).toContain(ruleOf(task).sentences[0]);
    expect(text()).toContain(ruleOf(task).gesture);
    expect(root.querySelector(".example")).toBeNull();
  });

  it("reads in drawing that a box is dragged", async () => {
    const { text } = await open(fakeApi(assignment(2, { task: "box_drawing" })), { ...PLACE, task: "box_drawing" });
    expect(text()).toContain("drag to the opposite corner");
  });

  it("may start at once, and is not stopped again", async () => {
    const first = await open();
    await click(first.root, "Start without");
    expect(first.root.dataset["state"]).toBe("asking");
    first.unmount();
    localStorage.removeItem("chainbox draft t-1");
    const { root } = await open();
    expect(root.dataset["state"]).toBe("asking");
  });

  it("is not stopped where the server knows them, in a browser that knows nothing", async () => {
    const { root } = await open(fakeApi(), { ...PLACE, met: true });
    expect(root.dataset["state"]).toBe("asking");
  });

  it("is not stopped in the middle of answers that an earlier browser saved", async () => {
    const first = await open();
    await click(first.root, "Start without");
    await first.press("1");
    first.unmount();
    localStorage.removeItem("chainbox tour coreference_link");
    const { root } = await open();
    expect([root.dataset["state"], root.dataset["index"]]).toEqual(["asking", "1"]);
  });

  it("is stopped once in a browser that may keep nothing", async () => {
    vi.spyOn(Storage.prototype, "getItem").mockImplementation(() => {
      throw new Error("forbidden");
    });
    vi.spyOn(Storage.prototype, "setItem").mockImplementation(() => {
      throw new Error("forbidden");
    });
    const first = await open();
    await click(first.root, "Start without");
    await first.press("1", "2", "Enter", "Enter");
    expect(first.root.dataset["state"]).toBe("asking");
  });

  it("tries examples, and starts with what they got wrong in mind", async () => {
    const { root, press, text } = await open();
    await press("Enter", "1", "Enter", "1", "Enter");
    expect(text()).toContain("1 of 2 examples right.");
    expect(text()).toContain("You linked phrases that mean different things.");
    await press("Enter");
    expect(root.dataset["state"]).toBe("asking");
  });
});

describe("an example", () => {
  it("waits for an answer before it tells the right one", async () => {
    const { root, press, text } = await open();
    await press("Enter");
    expect([pressed(root), text().includes("One person.")]).toEqual([[], false]);
    await press("1");
    expect([pressed(root), text().includes("✓ Right. One person.") || text().includes("One person.")]).toEqual([["same"], true]);
    expect(text()).toContain("✓ Right.");
  });

  it("says what kind of mistake was made, marks the right answer, and says why", async () => {
    const { root, press, text } = await open();
    await press("Enter", "2");
    expect(pressed(root)).toEqual(["same"]);
    expect(text()).toContain("✗ Not right. You said no to phrases that mean the same. The marked answer is right.");
    expect(text()).toContain("One person.");
  });

  it("takes one answer only", async () => {
    const { press, text } = await open();
    await press("Enter", "2", "1");
    expect(text()).toContain("✗ Not right.");
  });

  it("can be left out", async () => {
    const { press, text } = await open();
    await press("Enter", "ArrowRight", "ArrowRight");
    expect(text()).toContain("You tried no example.");
  });

  it("comes from the page itself where the project has none", async () => {
    const api = fakeApi();
    api.examples.mockResolvedValue([]);
    const { press, text } = await open(api);
    await press("Enter");
    expect(text()).toContain("Example 1 of 3");
    await press("1");
    expect(text()).toContain("One person, described in two ways.");
  });

  it("of a part is not wrong for who says no, and marks the answer that says more", async () => {
    const api = fakeApi();
    api.examples.mockResolvedValue([]);
    const { root, press, text } = await open(api, PLACE, { ...TASKS, coreference_link: LINK_WITH_PARTS });
    await press("Enter", "1", "Enter", "2");
    expect(text()).toContain("✓ Right. B is only one of the two dogs.");
    expect(pressed(root)).toEqual(["b is part of a"]);
    await press("Enter", "4");
    expect(pressed(root)).toEqual(["b is part of a"]); // all that is known of the hat is that it is not the man
  });

  it.each(NAMES)("of %s in the page has an answer that its own rule takes for right, and a reason", (task) => {
    const examples = builtIn(task, ruleOf(task));
    expect(examples.length).toBeGreaterThan(2);
    for (const example of examples) expect([taskOf(task).mistakeIn(example, example.answer), example.explanation.length > 9]).toEqual([null, true]);
  });
});

describe("a qualification test", () => {
  it("begins with the rule, examples to try, and what has to be reached", async () => {
    const { root, press, text } = await open(testApi());
    expect(root.dataset["state"]).toBe("learning");
    expect(text()).toContain("Qualification test: 2 questions, 1 must be right");
    await press("Enter", ...TRY);
    expect(text()).toContain("2 of 2 examples right.");
    expect(text()).toContain("2 questions, 1 must be right.");
    await press("Enter");
    expect(root.dataset["state"]).toBe("asking");
  });

  it("goes back through the examples", async () => {
    const { root, press, text } = await open(testApi());
    await press("Enter", ...TRY);
    await click(root, "Try the examples again");
    expect(text()).toContain("Example 1 of 2");
    await press("ArrowRight", "Backspace");
    expect(text()).toContain("Example 1 of 2");
    await press("ArrowLeft");
    expect(text()).toContain("The same thing or not?");
  });

  it("takes no answer before it has begun", async () => {
    const { root, press, api } = await open(testApi());
    await press("Enter", "1", "2", "s");
    expect([root.dataset["state"], root.querySelector("dialog")]).toEqual(["learning", null]);
    expect(api.keep).not.toHaveBeenCalled();
  });

  it("shows the rule only with the examples, which wait for the network: no key after it is lost", async () => {
    const api = testApi();
    api.examples.mockRejectedValueOnce(new Unreachable());
    const { root, press, text } = await open(api);
    expect([root.dataset["state"], root.querySelector("[data-answers=wait]")?.textContent]).toEqual(["loading", "Loading questions …"]);
    await wait(1000);
    await press("Enter", "1");
    expect(text()).toContain("✓ Right. One person.");
  });

  it("is told apart, and has no one to whom a question could be left", async () => {
    const { root, press, text } = await open(testApi());
    await press("Enter", ...TRY, "Enter", "s");
    expect(root.querySelector(".test")?.textContent).toBe("Qualification test");
    expect([root.querySelector("[data-open=skip]"), root.querySelector("dialog")]).toEqual([null, null]);
    await press("1", "ArrowRight");
    expect(text()).toContain("Questions that you leave out count as wrong.");
  });

  it("is gone on with after a reload", async () => {
    const first = await open(testApi());
    await first.press("Enter", ...TRY, "Enter", "1");
    first.unmount();
    const { root } = await open(testApi());
    expect([root.dataset["state"], root.dataset["index"]]).toEqual(["asking", "1"]);
  });

  it("ends with how many were right and how many were needed, and goes on to work", async () => {
    const { press, text, api } = await open(testApi());
    await press("Enter", ...TRY, "Enter", "1", "2", "Enter");
    expect(text()).toContain("1 of 2 right; 1 was needed.You passed.");
    await press("Enter");
    expect(api.ask).toHaveBeenCalledTimes(2);
  });

  it("that was failed says what kind of mistakes were made and when it may be tried again, and leads home", async () => {
    const { root, press, text } = await open(testApi({ ...FAILED, mistakes: ["linked others"] }));
    await press("Enter", ...TRY, "Enter", "1", "2", "Enter");
    expect(text()).toContain("More than once:You linked phrases that mean different things.");
    expect(text()).toContain("Once more tomorrow.");
    expect([root.querySelector("[data-next]"), root.querySelector("a.primary")?.getAttribute("href")]).toEqual([null, "/work/demo/"]);
  });

  it("that was failed in several ways says that", async () => {
    const { press, text } = await open(testApi(FAILED));
    await press("Enter", ...TRY, "Enter", "1", "2", "Enter");
    expect(text()).toContain("Your mistakes were of different kinds.");
  });

  it("can be left, and taken another time", async () => {
    const { root, press, text } = await open(testApi());
    await press("Enter", ...TRY, "Enter");
    fireEvent.click(root.querySelector("[data-open=return]") as Element);
    await wait(0);
    fireEvent.click(root.querySelector(".danger") as Element);
    await wait(0);
    expect(text()).toContain("You can take the test another time.");
  });
});

describe("the examples in the middle of work", () => {
  beforeEach(() => rememberRule("coreference_link"));

  const again = async (root: HTMLElement): Promise<void> => {
    await click(root, "Try the examples");
    document.querySelector("dialog")?.remove();
  };

  it("are asked for only when somebody wants them", async () => {
    const { api, root, press } = await open();
    await press("?");
    expect(api.examples).not.toHaveBeenCalled();
    await again(root);
    expect(api.examples).toHaveBeenCalledWith("demo", "coreference_link");
  });

  it("leave the work as it was", async () => {
    const { root, press } = await open();
    await press("1", "?");
    await again(root);
    expect([root.dataset["state"], root.querySelector(".test")]).toEqual(["learning", null]);
    await press(...TRY, "Enter");
    expect([root.dataset["state"], root.dataset["index"], root.querySelectorAll(".dot.answered").length]).toEqual(["asking", "1", 1]);
  });

  it("do not count as time at the question", async () => {
    const { root, press, api } = await open();
    await press("?");
    await again(root);
    await wait(30_000);
    await press(...TRY, "Enter", "1", "1", "Enter");
    const seconds = api.submit.mock.calls[0]?.[1].map((reply) => reply?.seconds ?? 99);
    expect(Math.max(...(seconds ?? []))).toBeLessThan(1);
  });
});
