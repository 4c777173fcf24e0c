import { describe, expect, it } from "vitest";
import {
  type ActDraft,
  ACTS,
  beginReview,
  draftFor,
  type Kind,
  kindsOf,
  type ReviewEvent,
  type ReviewState,
  stepReview,
  type Target,
  targetOf,
  wantedOf,
} from "../../src/projects/review/acts";
import type { Bench, Chain, Check, DrawnBox } from "../../src/projects/review/data";

const chain = (name: number, more: Partial<Chain> = {}): Chain =>
  ({ name, number: name + 1, colour: "c0", mentions: [10 * name, 10 * name + 1], state: "complete", review: "", doubted: "", non_visual: "", merged_into: null, ...more });
const box = (number: number, more: Partial<DrawnBox> = {}): DrawnBox => ({ number, name: String(number), chain: 0, box: [0, 0, 10, 10], state: "accepted", ...more });
const mention = (number: number) => ({ number, caption: 0, start: 0, end: 1, types: ["people"], text: "A man" });
const bench = (more: Partial<Bench> = {}): Bench => ({
  sequence: 7, state: "reviewing", started: true, numbered: 20,
  image: { url: "/a.jpg", full_url: "/a.jpg", width: 40, height: 30, has_picture: true },
  captions: [{ number: 0, text: "A man waits", words: ["A", "man", "waits"], offsets: [0, 2, 6] }],
  mentions: [0, 1, 10, 11].map(mention), chains: [chain(0), chain(1)], boxes: [box(3), box(4, { state: "discarded" })],
  chosen: 0, judgments: [], skips: [], reports: [], acts: [], undo: null, redo: null, checks: null, next: null, types: [], destinations: [], ...more,
});
const CHECK: Check = { chains: [0], kinds: [], labels: ["now"], before: ["then"], texts: [], boxes: [], sources: [], decision: "" };
const after = (given: Bench, ...events: ReviewEvent[]): ReviewState => events.reduce(stepReview, beginReview(given));
const at = (given: Bench, ...events: ReviewEvent[]): Target => targetOf(after(given, ...events));
const FIRST_BOX: ReviewEvent = { type: "next box", by: 1 };
const SECOND_BOX: ReviewEvent[] = [FIRST_BOX, FIRST_BOX];

describe("an act", () => {
  it.each<[Kind, Target, string]>([
    ["accept", at(bench({ started: false })), "Linking has not begun: nothing of this image can be changed yet."],
    ["accept", at(bench({ chosen: null })), "Choose a chain first."],
    ["accept", at(bench({ chains: [chain(0, { state: "linking" })] })), "This chain is still being linked: decide its links."],
    ["link", at(bench()), "This chain is linked already: join or part chains."],
    ["review", at(bench({ chains: [chain(0, { state: "review" })] })), "This chain waits in review already."],
    ["part", at(bench({ chains: [chain(0, { mentions: [0] })] })), "A chain of one phrase has no parts."],
    ["join", at(bench({ chains: [chain(0)] })), "There is no other chain."],
    ["move", at(bench()), "Choose a box of this chain first (, and .)."],
    ["delete", at(bench(), ...SECOND_BOX), "Choose a box of this chain first (, and .)."],
    ["keep", at(bench(), FIRST_BOX), "Choose a discarded box first (, and .)."],
    ["undo", at(bench({ started: false })), "No act is left to undo."],
    ["redo", at(bench()), "Nothing was undone."],
    ["confirm", at(bench({ checks: [] })), "This label is still in question: settle the chain first."],
    ["back", at(bench({ checks: [{ ...CHECK, before: null }] })), "The check has changed nothing here that can be taken back at once."],
  ])("%s says why it is impossible now", (kind, target, words) => {
    expect(ACTS[kind].missing(target)).toBe(words);
  });

  it.each<[Kind, Target, Partial<ActDraft>, unknown]>([
    ["accept", at(bench()), {}, { action: { action: "send", chain: 0, to: "complete" } }],
    ["send", at(bench()), { to: "non-visual" }, { action: { action: "send", chain: 0, to: "non-visual", kind: "scene" } }],
    ["ask", at(bench()), {}, { action: { action: "ask others", chain: 0, to: "coverage" } }],
    ["review", at(bench()), {}, { action: { action: "review", chain: 0 } }],
    ["draw", at(bench()), {}, null],
    ["draw", at(bench()), { box: [1, 2, 3, 4] }, { action: { action: "draw", chain: 0, box: [1, 2, 3, 4] } }],
    ["move", at(bench(), FIRST_BOX), {}, null],
    ["move", at(bench(), FIRST_BOX), { box: [1, 2, 3, 4] }, { action: { action: "move box", box: 3, to: [1, 2, 3, 4] } }],
    ["delete", at(bench(), FIRST_BOX), {}, { action: { action: "delete box", box: 3 } }],
    ["keep", at(bench(), ...SECOND_BOX), {}, { action: { action: "accept box", box: 4 } }],
    ["join", at(bench()), {}, null],
    ["join", at(bench()), { chains: [0, 1] }, { action: { action: "join", chains: [0, 1] } }],
    ["part", at(bench()), { mentions: [1] }, { action: { action: "split", chain: 0, parts: [[0], [1]] } }],
    ["part", at(bench()), { mentions: [0, 1] }, null],
    ["link", at(bench()), {}, null],
    ["link", at(bench()), { mentions: [0, 10], same: false }, { action: { action: "link", first: 0, second: 10, same: false } }],
    ["type", at(bench()), {}, { action: { action: "retype", mention: 0, types: ["people"] } }],
    ["chunk", at(bench()), {}, null],
    ["chunk", at(bench()), { span: [0, 0, 1], mentions: [11] }, { action: { action: "rechunk", remove: [11], add: [[20, 0, 0, 2, ["other"], "A man"]] } }],
    ["undo", at(bench({ undo: 5 })), {}, { undo: 5 }],
    ["redo", at(bench({ redo: 6 })), {}, { undo: 6 }],
    ["confirm", at(bench({ checks: [CHECK] })), {}, { action: { action: "confirm", labels: ["now"] } }],
    ["back", at(bench({ checks: [CHECK] })), {}, { action: { action: "take back", labels: ["then"], was: ["now"] } }],
  ])("%s asks of the server what was filled in", (kind, target, filled, wanted) => {
    expect(wantedOf({ ...draftFor(kind, target), ...filled }, target)).toEqual(wanted && { action: null, undo: null, ...wanted });
  });

  it("of a check is there only where a data set is checked", () => {
    expect(kindsOf(bench())).not.toContain("confirm");
    expect(kindsOf(bench({ checks: [] })).slice(0, 3)).toEqual(["confirm", "back", "accept"]);
  });
});

describe("the workbench", () => {
  it("goes from chain to chain round in a circle, and gives up the act that was begun", () => {
    const begun = after(bench(), { type: "start", kind: "send" });
    expect(begun.draft?.to).toBe("coverage");
    const next = stepReview(begun, { type: "next chain", by: -1 });
    expect([next.chosen, next.draft]).toEqual([1, null]);
  });

  it("goes from box to box of the chain, and says which", () => {
    expect(after(bench(), { type: "next box", by: -1 })).toMatchObject({ boxNumber: 4, said: "Box 4, discarded." });
    expect(after(bench({ chosen: 1 }), FIRST_BOX)).toMatchObject({ boxNumber: null, said: "This chain has no box." });
  });

  it("says why an act cannot begin, and keeps what is filled in while one has", () => {
    expect(after(bench(), { type: "start", kind: "move" })).toMatchObject({ draft: null, said: "Choose a box of this chain first (, and .)." });
    const filled = after(bench(), { type: "start", kind: "draw" }, { type: "fill in", change: { box: [1, 2, 3, 4] } }, { type: "confirm the box" });
    expect(filled).toMatchObject({ draft: { kind: "draw", box: [1, 2, 3, 4] }, confirmed: 1, said: "" });
    expect(stepReview(filled, { type: "cancel" })).toMatchObject({ draft: null, said: "Nothing was changed." });
  });

  it("confirms a label without a form", () => {
    const checked = bench({ checks: [CHECK] });
    expect(after(checked, { type: "start", kind: "confirm" }).draft).toBeNull();
    expect(after(checked, { type: "label confirmed", bench: bench({ sequence: 8 }) })).toMatchObject({ bench: { sequence: 8 }, said: "Confirmed. U undoes it, N goes on." });
  });

  it("chooses what the server proposes once the chosen chain is gone, and says how to undo", () => {
    const joined = bench({ chains: [chain(1)], chosen: 1, undo: 9 });
    const done = after(bench(), FIRST_BOX, { type: "start", kind: "join" }, { type: "done", bench: joined, words: "Join chains" });
    expect(done).toMatchObject({ chosen: 1, boxNumber: null, draft: null, said: "Done: join chains. U undoes it." });
  });
});
