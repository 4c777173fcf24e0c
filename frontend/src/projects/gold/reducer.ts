/** The state of the page of one image: the sheet with its history, what is chosen, and what was said last. A pure reducer. */

import { type Box, sameBox } from "../../canvas/geometry/box";
import { change, type History, newHistory, redo, undo } from "../../canvas/geometry/history";
import { type EventOf, reducerOf, type Steps } from "../../reducer";

export interface GoldState {
  readonly past: History<Sheet>;
  /** All mentions, in reading order. */
  readonly order: readonly number[];
  /** The chosen mention; its chain is the chosen one. */
  readonly at: number;
  /** The place of the chosen box among those of the chain. */
  readonly held: number | null;
  readonly linking: boolean;
  readonly drawing: boolean;
  /** Drawn and not confirmed. */
  readonly drawn: Box | null;
  readonly said: string;
}

const NO_BOX = "This chain has no box.";

export const beginGold = (sheet: Sheet, order: readonly number[]): GoldState => ({
  past: newHistory(sheet),
  order,
  at: order[0] ?? -1,
  held: null,
  linking: false,
  drawing: false,
  drawn: null,
  said: "",
});

export const sheetOf = ({ past }: GoldState): Sheet => past.now;
export const chosenChain = (state: GoldState): SheetChain | undefined => chainOf(sheetOf(state), state.at);

const changed = (state: GoldState, sheet: Sheet, said: string): GoldState =>
  ({ ...state, said, past: sheet === state.past.now ? state.past : change(state.past, sheet) });

const choose = (state: GoldState, at: number, held: number | null = null): GoldState => ({ ...state, at, held, drawing: false, drawn: null });

/** A box that was drawn and not confirmed counts, unless it is dropped. */
function stopDrawing(state: GoldState, keeps: boolean): GoldState {
  const kept = keeps && state.drawn ? changed(state, addBox(sheetOf(state), state.at, state.drawn), "The box is kept.") : state;
  return { ...kept, drawing: false, drawn: null };
}

/** Go to the next or the previous of some chains, round in a circle. */
function go(state: GoldState, by: 1 | -1, among: Sheet): GoldState {
  const sheet = sheetOf(state);
  const here = sheet.findIndex((one) => one === chosenChain(state));
  const places = among.map((one) => sheet.indexOf(one));
  const next = by > 0 ? (places.find((place) => place > here) ?? places[0]) : ([...places].reverse().find((place) => place < here) ?? places.at(-1));
  const mention = sheet[next ?? -1]?.mentions[0];
  return mention === undefined ? state : choose(state, mention);
}

/** With links on, put a phrase into the chosen chain or out of it; else choose its chain. */
function press(state: GoldState, mention: number): GoldState {
  if (!state.linking) return choose(state, mention);
  const own = chosenChain(state)?.mentions ?? [];
  const words = own.includes(mention) ? "The phrase is a chain of its own." : "The phrase belongs to the chosen chain.";
  const next = changed(state, link(sheetOf(state), mention, state.at, state.order), words);
  return mention === state.at ? { ...next, at: own.find((one) => one !== mention) ?? mention } : next;
}

/** Give a reason for no box, and go on to the next chain that waits. */
function mark(state: GoldState, reason: "scene" | "no box"): GoldState {
  const here = sheetOf(state).findIndex((one) => one === chosenChain(state));
  const sheet = decide(sheetOf(state), state.at, reason);
  const next = changed(state, sheet, reason === "scene" ? "The chain is the whole scene." : "The chain has nothing to draw a box around.");
  const waiting = sheet.find((one, place) => place > here && !isDecided(one));
  return waiting ? choose(next, waiting.mentions[0] ?? state.at) : next;
}

function goToBox(state: GoldState, by: 1 | -1): GoldState {
  const count = chosenChain(state)?.boxes.length ?? 0;
  if (!count) return { ...state, said: NO_BOX };
  return { ...state, held: state.held === null ? (by > 0 ? 0 : count - 1) : (state.held + by + count) % count };
}

function remove(state: GoldState): GoldState {
  const count = chosenChain(state)?.boxes.length ?? 0;
  if (!count) return { ...state, said: NO_BOX };
  return { ...changed(state, dropBox(sheetOf(state), state.at, state.held ?? count - 1), "The box is gone."), held: null };
}

function confirm(state: GoldState): GoldState {
  const sheet = state.drawn ? addBox(sheetOf(state), state.at, state.drawn) : sheetOf(state);
  return { ...changed(state, sheet, "The box is kept. Draw the next one, or press D to end."), drawn: null };
}

/** Says how many chains wait, and goes to the next of them. */
function goToUndecided(state: GoldState): GoldState {
  const left = undecided(sheetOf(state));
  return { ...go(state, 1, left), said: `${String(left.length)} of ${String(sheetOf(state).length)} chains have neither a box nor a reason for none.` };
}

const STEPS = {
  choose: (state, { mention, box = null }: { mention: number; box?: number | null }) => choose(state, mention, box),
  press: (state, { mention }: { mention: number }) => press(state, mention),
  link: (state) => ({ ...state, linking: !state.linking }),
  draw: (state) => (state.drawing ? stopDrawing(state, true) : { ...state, held: null, drawing: true }),
  drawn: (state, { box }: { box: Box | null }) => ({ ...state, drawn: box }),
  confirm,
  leave: (state) => ({ ...stopDrawing(state, false), linking: false }),
  decide: (state, { reason }: { reason: "scene" | "no box" }) => mark(state, reason),
  remove,
  undo: (state) => ({ ...state, past: undo(state.past) }),
  redo: (state) => ({ ...state, past: redo(state.past) }),
  "next chain": (state, { by }: { by: 1 | -1 }) => go(state, by, sheetOf(state)),
  "next box": (state, { by }: { by: 1 | -1 }) => goToBox(state, by),
  "next undecided": goToUndecided,
  take: (state, { chains, words }: { chains: Sheet; words: string }) => changed(state, takeSide(sheetOf(state), chains, state.order), words),
  say: (state, { words }: { words: string }) => ({ ...state, said: words }),
} satisfies Steps<GoldState>;

export type GoldEvent = EventOf<typeof STEPS>;
export const stepGold: (state: GoldState, event: GoldEvent) => GoldState = reducerOf<GoldState>(STEPS);

type NonVisual = "" | "scene" | "no box";

export interface SheetChain {
  /** Numbers of mentions, in reading order. */
  readonly mentions: readonly number[];
  readonly non_visual: NonVisual;
  readonly boxes: readonly Box[];
}
export type Sheet = readonly SheetChain[];

export const chainOf = (sheet: Sheet, mention: number): SheetChain | undefined =>
  sheet.find((one) => one.mentions.includes(mention));
export const isDecided = (chain: SheetChain): boolean => chain.boxes.length > 0 || chain.non_visual !== "";
export const undecided = (sheet: Sheet): Sheet => sheet.filter((one) => !isDecided(one));

/** The chains in the order of their first mentions. `order`: all mentions, in reading order. */
function sorted(sheet: Sheet, order: readonly number[]): Sheet {
  const place = (number: number | undefined): number => order.indexOf(number ?? -1);
  const inside = sheet.map((one) => ({ ...one, mentions: [...one.mentions].sort((a, b) => place(a) - place(b)) }));
  return inside.sort((a, b) => place(a.mentions[0]) - place(b.mentions[0]));
}

/**
 * Put one mention into the chain of another, or, if it is there, into a chain of its own. A chain that loses its last
 * mention hands its boxes on.
 */
export function link(sheet: Sheet, mention: number, into: number, order: readonly number[]): Sheet {
  const from = chainOf(sheet, mention);
  const to = chainOf(sheet, into);
  if (!from || !to || (from === to && from.mentions.length === 1)) return sheet;
  const left = from.mentions.filter((one) => one !== mention);
  const others = sheet.filter((one) => one !== from && one !== to);
  if (from === to) {
    const alone: SheetChain = { mentions: [mention], non_visual: "", boxes: [] };
    return sorted([...others, { ...from, mentions: left }, alone], order);
  }
  const handed = left.length ? [] : from.boxes.filter((box) => !to.boxes.some((one) => sameBox(box, one)));
  const boxes = [...to.boxes, ...handed];
  const reason = to.non_visual || (left.length ? "" : from.non_visual);
  const joined: SheetChain = { mentions: [...to.mentions, mention], boxes, non_visual: boxes.length ? "" : reason };
  return sorted([...others, ...(left.length ? [{ ...from, mentions: left }] : []), joined], order);
}

const onChain = (sheet: Sheet, mention: number, change: (chain: SheetChain) => SheetChain): Sheet =>
  sheet.map((one) => (one.mentions.includes(mention) ? change(one) : one));

/** Mark the mention's chain as one without a box; the same mark again takes it away. Boxes go. */
export const decide = (sheet: Sheet, mention: number, reason: NonVisual): Sheet =>
  onChain(sheet, mention, (one) => ({ ...one, boxes: [], non_visual: one.non_visual === reason ? "" : reason }));

/** Add a box to the mention's chain. */
export const addBox = (sheet: Sheet, mention: number, box: Box): Sheet =>
  onChain(sheet, mention, (one) =>
    one.boxes.some((other) => sameBox(other, box)) ? one : { ...one, non_visual: "", boxes: [...one.boxes, box] },
  );

/** Take a box of the mention's chain away. */
export const dropBox = (sheet: Sheet, mention: number, at: number): Sheet =>
  onChain(sheet, mention, (one) => ({ ...one, boxes: one.boxes.filter((_, index) => index !== at) }));

/** Take one side's chains over, in place of whatever the sheet says about their mentions. */
export function takeSide(sheet: Sheet, chains: Sheet, order: readonly number[]): Sheet {
  const taken = new Set(chains.flatMap((one) => one.mentions));
  const rest = sheet
    .map((one) => ({ ...one, mentions: one.mentions.filter((number) => !taken.has(number)) }))
    .filter((one) => one.mentions.length > 0);
  return sorted([...rest, ...chains], order);
}
