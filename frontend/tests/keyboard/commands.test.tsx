/** What keys do on every page: once each, and as its help says. */

import { cleanup, fireEvent, render, screen } from "@testing-library/preact";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { question as pictured, withSvg } from "../canvas/support";
import type { Task } from "../../src/api/types";
import { type Commands, DRAWING, NEAR, rowsOf, ZOOM } from "../../src/keyboard/commands";
import { commandsNow, type KeyHandler } from "../../src/keyboard/listener";
import { CharacterKeys, useCommands } from "../../src/keyboard/controls";
import { rememberRule } from "../../src/labelling/calls";
import { DEFAULTS } from "../../src/labelling/preferences";
import { GOLD, PICTURE } from "../../src/projects/gold/tools";
import { actCommands, ACTING, kindsOf, REVIEW } from "../../src/projects/review/acts";
import { fakeApi, open, PLACE, wait } from "../support/page";
import { assignment } from "../support/samples";

/** The keys that two commands of the tables have, with their labels. The tables of one layer that a page has at a time should have none. */
function clashes(tables: readonly Commands[]): string[] {
  const labels = new Map<string, string[]>();
  for (const { keys, label } of tables.flatMap((table) => Object.values(table)))
    for (const key of keys) labels.set(key, [...(labels.get(key) ?? []), label]);
  return [...labels].filter(([, found]) => found.length > 1).map(([key, found]) => `${key}: ${found.join(", ")}`);
}

withSvg();
beforeEach(() => {
  vi.useFakeTimers();
  // Every picture is there at once.
  vi.stubGlobal("Image", class { onload?: () => void; set src(_: string) { queueMicrotask(() => this.onload?.()); } });
});

const survey = { caption: "A man waits", words: [[0, 1], [2, 5], [6, 11]] as [number, number][] };
const atom = { atom: "red", category: "attribute" as const, examples: [] };
const TASKS = ["coreference_link", "chain_verification", "box_requirement", "box_drawing", "box_quality", "box_coverage", "caption_check", "atom_visual"] as const satisfies readonly Task[];

/** A question of the task that has all of its parts. */
const questionOf = (task: Task) =>
  pictured({
    boxes: [[10, 10, 50, 50]],
    new_box: task === "box_quality" ? [100, 100, 110, 110] : null,
    survey: task === "caption_check" ? survey : task === "atom_visual" ? atom : null,
  });

async function openTask(task: Task, preferences = DEFAULTS) {
  rememberRule(task);
  const given = assignment(2, { task });
  return open(fakeApi({ ...given, questions: given.questions.map(() => questionOf(task)) }), { ...PLACE, task, preferences });
}

const now = (): Commands[] => [...commandsNow("picture"), ...commandsNow("page")].map(({ name, command }) => ({ [name]: command }));
const keysIn = (tables: readonly Commands[]): string[] => [...new Set(tables.flatMap((table) => Object.values(table).flatMap(({ keys }) => keys)))].sort();
const keysOfHelp = (): string[] =>
  [...new Set([...document.querySelectorAll<HTMLElement>("dialog [data-keys]")].flatMap((row) => row.dataset.keys?.split(" ") ?? []))].sort();
/** The arrows move the picture only while it has the focus. */
const withoutPan = ({ nearer, farther, whole }: typeof ZOOM): Commands => ({ nearer, farther, whole });

describe.each(TASKS)("the page of %s", (task) => {
  it("has one command for a key in each layer, and its help lists the keys that work", async () => {
    const { press } = await openTask(task);
    const worked: Commands[] = [];
    const states = task === "caption_check" ? [[], ["2"], ["2"]] : task === "box_drawing" ? [[], ["b"]] : [[]];
    for (const keys of states) {
      await press(...keys);
      worked.push(...now());
      for (const layer of ["picture", "page"] as const) {
        const found = commandsNow(layer).filter(({ command }) => !(task === "box_drawing" && command === ZOOM.push));
        expect(clashes(found.map(({ name, command }) => ({ [name]: command })))).toEqual([]);
      }
    }
    await press("ArrowRight", "ArrowRight"); // the page before the answers are sent
    worked.push(...now());
    await press("?");
    const elsewhere = task === "atom_visual" ? [] : ["Space", ...(task === "caption_check" ? ["ArrowUp", "ArrowDown"] : [])];
    expect(keysOfHelp()).toEqual([...new Set([...keysIn(worked), ...elsewhere])].sort());
  });
});

describe("the tables of requesters' pages", () => {
  const acts = actCommands(kindsOf({ checks: [] } as unknown as Parameters<typeof kindsOf>[0]));

  it.each([["known questions", [GOLD]], ["review", [acts, REVIEW]], ["a picture", [withoutPan(ZOOM), NEAR, DRAWING]]])("of %s give a key to one command", (_, tables) => {
    expect(clashes(tables)).toEqual([]);
  });

  it("list in help what the picture does, too", () => {
    const listed = keysIn([GOLD, acts, REVIEW, ACTING, ...PICTURE]);
    expect(listed).toEqual(expect.arrayContaining(["z", "0", "b", "Delete", "Ctrl+y", "Space", "f", "Escape"]));
  });
});

it("two commands of one key are found, with their labels", () => {
  const other = { keys: ["b", "x"], label: "Begin" };
  expect(clashes([{ other }, { add: DRAWING.add }])).toEqual([`b: Begin, ${DRAWING.add.label}`]);
  expect(rowsOf([{ other, again: { keys: ["Enter"], label: "Begin" } }], false)).toEqual([{ label: "Begin", keys: ["Enter"] }]);
});

describe("a key", () => {
  const TABLE = { once: { keys: ["n", "ArrowUp"], label: "Once" }, more: { keys: ["+"], label: "More", repeats: true }, end: { keys: ["Escape"], label: "End" } } as const satisfies Commands;
  const done: string[] = [];
  const run = (name: string): KeyHandler => () => void done.push(name);

  function Part({ runs, layer = "page" }: { runs?: Partial<Record<keyof typeof TABLE, KeyHandler | null>>; layer?: "picture" | "page" }) {
    useCommands(TABLE, runs ?? { once: run("once"), more: run("more"), end: run("end") }, layer);
    return null;
  }
  const show = (characters = true) =>
    render(
      <CharacterKeys.Provider value={characters}>
        <Part />
        <input aria-label="field" />
        <input type="radio" aria-label="word" />
        <button type="button">button</button>
      </CharacterKeys.Provider>,
    );
  beforeEach(() => void done.splice(0));

  it("that is held acts once, unless its command goes on", () => {
    show();
    for (const key of ["n", "+"]) for (const repeat of [false, true, true]) fireEvent.keyDown(document.body, { key, repeat });
    expect(done).toEqual(["once", "more", "more", "more"]);
  });

  it("that types a character does nothing once these are switched off; other keys go on", () => {
    show(false);
    for (const key of ["n", "+", "ArrowUp", "Escape"]) fireEvent.keyDown(document.body, { key });
    expect(done).toEqual(["once", "end"]);
  });

  it("in a field is typed, but for Escape; on a radio button arrows choose and letters act", () => {
    show();
    for (const name of ["field", "word"]) for (const key of ["n", "ArrowUp", "Escape"]) fireEvent.keyDown(screen.getByLabelText(name), { key });
    expect(done).toEqual(["end", "once", "end"]);
  });

  it("that completes a letter of another script, or comes while a dialog is open, does nothing", () => {
    show();
    fireEvent.keyDown(document.body, { key: "n", isComposing: true });
    document.body.append(Object.assign(document.createElement("dialog"), { open: true }));
    fireEvent.keyDown(document.body, { key: "n" });
    expect(done).toEqual([]);
  });

  it("of the picture is asked for first, and is the page's if the picture has no use for it now", () => {
    const page = render(<Part runs={{ once: run("page") }} />);
    const picture = render(<Part layer="picture" runs={{ once: run("picture") }} />);
    fireEvent.keyDown(document.body, { key: "n" });
    picture.rerender(<Part layer="picture" runs={{ once: () => false }} />);
    fireEvent.keyDown(document.body, { key: "n" });
    picture.rerender(<Part layer="picture" runs={{ once: null }} />);
    fireEvent.keyDown(document.body, { key: "n" });
    expect(done).toEqual(["picture", "page", "page"]);
    page.unmount();
    cleanup();
    fireEvent.keyDown(document.body, { key: "n" });
    expect(done).toHaveLength(3);
  });
});

describe("with one-letter keys switched off", () => {
  it("buttons show no key that does nothing, and the help has none", async () => {
    const { press, root, api } = await openTask("coreference_link", { ...DEFAULTS, one_letter_keys: false });
    await press("1", "s", "?");
    expect(root.querySelectorAll(".answers kbd, .aids kbd, .help kbd, [aria-keyshortcuts]")).toHaveLength(0);
    expect(root.querySelector(".tool-plus")?.getAttribute("title")).toBe("Zoom in");
    expect(root.querySelector("dialog")).toBeNull();
    fireEvent.click(screen.getByText(/How it works/));
    await wait(0);
    expect(keysOfHelp()).toEqual(["ArrowDown", "ArrowLeft", "ArrowRight", "ArrowUp", "Backspace", "Enter", "Space"]);
    expect(api.keep).not.toHaveBeenCalled();
  });
});
