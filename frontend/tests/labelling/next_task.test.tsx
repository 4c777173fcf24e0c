import { beforeEach, describe, expect, it, vi } from "vitest";
import type { Api } from "../../src/api/client";
import type { Offer } from "../../src/api/types";
import { DEFAULTS } from "../../src/labelling/preferences";
import { fakeApi, open, PLACE, wait } from "../support/page";

const goTo = vi.hoisted(() => vi.fn());
vi.mock("../../src/canvas/Stage", () => ({ Stage: () => null }));
vi.mock("../../src/labelling/session", () => ({ goTo, goBack: vi.fn() }));

const offer = (task: Offer["task"], label: string, more = 20): Offer => ({
  task, label, state: "open", open: more, more: true, reward_cents: 0, currency: "EUR", questions: 2, seconds: 60, is_begun: false, message: "", hourly_cents: 0,
});
const BOX = offer("box_quality", "check a box");

/** A server with one assignment, after which only the other task has questions. */
function server() {
  const api = fakeApi();
  const first = api.ask("demo", "coreference_link");
  api.ask = vi.fn<Api["ask"]>(() => Promise.resolve({ assignment: null, message: "Nothing is open." })).mockReturnValueOnce(first);
  api.offers = vi.fn<Api["offers"]>(() => Promise.resolve([BOX]));
  return api;
}

beforeEach(() => {
  goTo.mockClear();
  localStorage.setItem("chainbox tour coreference_link", "seen");
  vi.useFakeTimers({ now: 1_000_000 });
});

describe("when the task has run dry", () => {
  it("one key opens the next one, and the page says what is open", async () => {
    const { press, text } = await open(server());
    await press("1", "1", "Enter");
    await wait(300); // effects run
    expect(text()).toContain("Open to you now: check a box (more than 20).");
    await press("Enter");
    expect(text()).toContain("Nothing to do right now");
    expect(goTo).not.toHaveBeenCalled();
    await press("Enter");
    expect(goTo).toHaveBeenCalledExactlyOnceWith("/work/demo/box_quality/");
  });

  it("the next one opens by itself for those whose answers go out by themselves", async () => {
    const { press } = await open(server(), { ...PLACE, preferences: { ...DEFAULTS, send_by_itself: true } });
    await press("1", "1", "Enter");
    await wait(300);
    expect(goTo).toHaveBeenCalledExactlyOnceWith("/work/demo/box_quality/");
  });

  it("a page that found nothing from the start goes nowhere by itself", async () => {
    const api = fakeApi(null);
    api.offers = vi.fn<Api["offers"]>(() => Promise.resolve([BOX]));
    const { text } = await open(api, { ...PLACE, mixed: true });
    await wait(300);
    expect(text()).toContain("Next task: check a box");
    expect(goTo).not.toHaveBeenCalled();
  });
});

it("those who do all tasks in turn go on with the next task after each assignment", async () => {
  const { press } = await open(server(), { ...PLACE, mixed: true });
  await press("1", "1", "Enter", "Enter");
  expect(goTo).toHaveBeenCalledExactlyOnceWith("/work/demo/box_quality/?mixed=on");
});
