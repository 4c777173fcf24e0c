import { fireEvent, render } from "@testing-library/preact";
import { beforeEach, describe, expect, it, vi } from "vitest";
import type { Answer, Question } from "../../src/api/types";
import { rememberRule } from "../../src/labelling/calls";
import { readDraft } from "../../src/labelling/draft";
import { COREFERENCE_LINK, SWEEPS } from "../../src/tasks/coreference_link";
import { LINK_WITH_SWEEPS } from "../../src/tasks/sweep";
import { fakeApi, open, PLACE } from "../support/page";
import { assignment, question } from "../support/samples";
import { TASKS } from "../support/tasks";

vi.mock("../../src/canvas/Stage", () => ({ Stage: () => <svg /> }));
await SWEEPS.preload();

/** A is the second phrase, mention 11; its candidates are in three captions. */
const swept = (preset: number[] = []): Question => ({
  ...question("*A man* pets *a dog*", "*The tourist* waits", "*He* has *an animal*"),
  sweep: { about: 2, candidates: [1, 11, 21, 22], preset },
});
/** One caption of so many phrases, the first of which is A. */
const many = (phrases: number): Question => ({
  ...question(Array.from({ length: phrases }, (_, i) => `*one ${String(i)}* and`).join(" ")),
  sweep: { about: 1, candidates: Array.from({ length: phrases - 1 }, (_, i) => i + 2), preset: [] },
});

function show(asked = swept(), { answer = null as Answer | null, disabled = false, tried = null as Answer | null } = {}) {
  const onAnswer = vi.fn<(answer: unknown) => void>();
  const onChange = vi.fn<(answer: unknown) => void>();
  const { container } = render(
    <COREFERENCE_LINK.Screen question={asked} answer={answer as never} tried={tried as never} {...{ onAnswer, onChange, disabled }} />,
  );
  const candidates = (): HTMLElement[] => [...container.querySelectorAll<HTMLElement>(".touch")];
  const on = (): (string | null)[] => candidates().filter((one) => one.getAttribute("aria-pressed") === "true").map((one) => one.textContent);
  const main = (): string | null => container.querySelector(".answer span")?.textContent ?? null;
  return { container, heading: container.querySelector("h1")?.textContent, candidates, on, main, onAnswer, onChange };
}
const press = (key: string, target: Element | Window = window, more: KeyboardEventInit = {}): void => void fireEvent.keyDown(target, { key, ...more });

describe("a sweep", () => {
  it("asks what means the same as A, wherever A stands, and numbers all other phrases in reading order", () => {
    const { heading, container, candidates } = show();
    expect(heading).toBe("Which phrases mean the same as A “a dog”?");
    expect(container.querySelector("mark")?.textContent).toBe("A: a dog, end of mark");
    expect(candidates().map((one) => one.textContent)).toEqual(["1A man", "2The tourist", "3He", "4an animal"]);
    expect(candidates().map((one) => [one.role, one.tabIndex, one.getAttribute("aria-pressed")])).toEqual(Array(4).fill(["button", 0, "false"]));
  });

  it.each<[string, string[], Answer]>([
    ["None of them", [], { same: [] }],
    ["This one", ["4"], { same: [22] }],
    ["These 2", ["4", "2"], { same: [11, 22] }],
    ["This one", ["4", "2", "4"], { same: [11] }],
  ])("is confirmed by Enter as the main button says: %s", (label, keys, answer) => {
    const { main, onAnswer } = show();
    keys.forEach((key) => press(key));
    expect(main()).toBe(label);
    expect(onAnswer).not.toHaveBeenCalled();
    press("Enter");
    expect(onAnswer.mock.calls).toEqual([[answer]]);
  });

  it("keeps what is chosen so far as a begun answer, and nothing once all is taken back", () => {
    const { onChange } = show();
    press("3");
    press("1");
    press("3");
    press("1");
    expect(onChange.mock.calls).toEqual([[{ same: [21] }], [{ same: [1, 21] }], [{ same: [1] }], [null]]);
  });

  it("is chosen by a press of the pointer, which leaves the focus where it is", () => {
    const { candidates, on } = show();
    const [first] = candidates() as [HTMLElement];
    expect(fireEvent.mouseDown(first)).toBe(false);
    fireEvent.click(first);
    expect(on()).toEqual(["1A man"]);
  });

  it.each(["Enter", " "])("is chosen by %j where the focus is, which confirms nothing", (key) => {
    const { candidates, on, onAnswer } = show();
    press(key, candidates()[1]);
    press(key, candidates()[1], { repeat: true });
    expect([on(), onAnswer.mock.calls]).toEqual([["2The tourist"], []]);
  });

  it.each([["é", "Digit2"], ["ě", "Digit2"], ["٢", "Digit2"]])("takes digits of other keyboards: %s", (key, code) => {
    const { on } = show();
    press(key, window, { code });
    expect(on()).toEqual(["2The tourist"]);
  });

  it("gives keys to its first nine phrases only", () => {
    const { candidates, on } = show(many(12));
    for (const key of "1234567890") press(key);
    expect(on().length).toBe(9);
    expect(candidates().map((one) => one.getAttribute("aria-keyshortcuts"))).toEqual([..."123456789", null, null]);
  });

  it("begins with what is preset, says so, and can take all of it back", () => {
    const { container, on, main, onChange, onAnswer } = show(swept([22]));
    expect(container.textContent).toContain("Some are chosen already. Check them, too.");
    expect([on(), main()]).toEqual([["4an animal"], "This one"]);
    press("4");
    expect(onChange.mock.calls).toEqual([[{ same: [] }]]);
    press("Enter");
    expect(onAnswer.mock.calls).toEqual([[{ same: [] }]]);
  });

  it("shows the earlier answer", () => {
    expect(show(swept(), { answer: { same: [11] } }).on()).toEqual(["2The tourist"]);
  });

  it("shows the right answer of an example, and what was touched wrongly or missed", () => {
    const { candidates, on } = show(swept(), { answer: { same: [11, 22] }, tried: { same: [1, 11] }, disabled: true });
    expect(candidates().map((one) => one.textContent)).toEqual(["1A man✗ wrong", "2The tourist", "3He", "4an animal✗ missed"]);
    expect(on()).toEqual(["2The tourist", "4an animal✗ missed"]);
  });

  it("takes nothing when it is over", () => {
    const { candidates, onAnswer, onChange } = show(swept(), { disabled: true });
    press("1");
    press("Enter");
    press("Enter", candidates()[0]);
    fireEvent.click(candidates()[0] as Element);
    expect([onAnswer.mock.calls, onChange.mock.calls]).toEqual([[], []]);
  });
});

describe("on the page", () => {
  const given = assignment(2, { questions: [swept(), question("*A man* waits", "*He* waits")] });

  beforeEach(() => {
    vi.useFakeTimers({ now: 1_000_000 });
    rememberRule("coreference_link");
  });

  it("what is chosen survives a reload, and counts once it is confirmed", async () => {
    const first = await open(fakeApi(given));
    await first.press("1", "3", "ArrowRight", "2");
    expect(first.text()).toContain("1 left out");
    expect(first.text()).toContain("A begun answer is sent only after you finish it.");
    expect(readDraft("t-1")).toMatchObject({ entries: [{ answer: { same: [1, 21] }, decided: false }, { answer: "different" }] });
    first.unmount();
    const { root, press: type, api } = await open(fakeApi(given));
    await type("ArrowLeft", "ArrowLeft");
    expect([...root.querySelectorAll(".touch[aria-pressed=true]")].map((one) => one.textContent)).toEqual(["1A man", "3He"]);
    await type("Enter", "Enter");
    expect(api.submit.mock.calls[0]?.[1]).toMatchObject([{ answer: { same: [1, 21] } }, { answer: "different" }]);
  });

  it("newcomers try sweeps and a pair, and read their mistakes", async () => {
    localStorage.clear();
    const api = { ...fakeApi(given), examples: vi.fn(() => Promise.resolve([])) };
    const { press: type, text } = await open(api, PLACE, { ...TASKS, coreference_link: LINK_WITH_SWEEPS });
    expect(text()).toContain("Choose every numbered phrase that means the same as A");
    await type("Enter", "1", "Enter");
    expect(text()).toContain("✗ Not right. You said no to phrases that mean the same.");
    await type("Enter", "2", "Enter");
    expect(text()).toContain("✓ Right. 1 means both dogs, and 3 the other one.");
    await type("Enter", "Enter");
    expect(text()).toContain("✓ Right. Both mean the man who wears it.");
    await type("Enter", "2");
    expect(text()).toContain("✓ Right. B is only one of the two dogs.");
  });

  it("the help shows the rule, examples with their numbers, and the keys", async () => {
    const { press: type, root, text } = await open(fakeApi(given), PLACE, { ...TASKS, coreference_link: LINK_WITH_SWEEPS });
    await type("?");
    expect(text()).toContain("Answer: 1, 3. One person, described in three ways.");
    expect([...root.querySelectorAll(".example:first-child .letter")].map((one) => one.textContent)).toEqual(["A", "1", "2", "3"]);
    expect(root.querySelector("[data-keys='1 2 3 4 5 6 7 8 9']")?.textContent).toBe("1 … 9Choose the phrase with this number, or leave it out again");
  });
});
