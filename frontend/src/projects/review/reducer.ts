/** The state of the workbench: what is chosen, the act that is filled in, and what was said last. A pure reducer. */

import { type ActDraft, ACTS, draftFor, type Kind, type Target } from "./acts";
import type { Bench, DrawnBox } from "./data";

export interface ReviewState {
  readonly bench: Bench;
  /** The name of a chain. */
  readonly chosen: number | null;
  /** The number of a box. */
  readonly boxNumber: number | null;
  readonly draft: ActDraft | null;
  /** Grows when the box that was drawn is confirmed on the picture. */
  readonly confirmed: number;
  readonly said: string;
}

export type ReviewEvent =
  | { type: "choose"; chain: number; box?: number }
  | { type: "next chain" | "next box"; by: 1 | -1 }
  | { type: "start"; kind: Kind }
  | { type: "fill in"; change: Partial<ActDraft> }
  | { type: "confirm the box" | "cancel" }
  /** `words`: the name of the act. */
  | { type: "done"; bench: Bench; words: string }
  /** A label was confirmed, which needs no form. */
  | { type: "label confirmed"; bench: Bench }
  | { type: "say"; words: string };

export const beginReview = (bench: Bench): ReviewState => ({ bench, chosen: bench.chosen, boxNumber: null, draft: null, confirmed: 0, said: "" });

export const targetOf = ({ bench, chosen, boxNumber }: ReviewState): Target => ({
  bench,
  chain: bench.chains.find((one) => one.name === chosen) ?? null,
  box: bench.boxes.find((one) => one.number === boxNumber && one.chain === chosen) ?? null,
});

const choose = (state: ReviewState, chosen: number, boxNumber: number | null = null): ReviewState => ({ ...state, chosen, boxNumber, draft: null });

/** The next or the previous one, round in a circle; without a chosen one the first or the last. */
function nextOf<T>(among: readonly T[], at: number, by: 1 | -1): T | undefined {
  return among[at < 0 ? (by > 0 ? 0 : among.length - 1) : (at + by + among.length) % among.length];
}

function goToBox(state: ReviewState, by: 1 | -1): ReviewState {
  const own: readonly DrawnBox[] = state.bench.boxes.filter((one) => one.chain === state.chosen);
  const next = nextOf(own, own.findIndex((one) => one.number === state.boxNumber), by);
  return next ? { ...state, boxNumber: next.number, said: `Box ${next.name}, ${next.state}.` } : { ...state, said: "This chain has no box." };
}

function start(state: ReviewState, kind: Kind): ReviewState {
  const target = targetOf(state);
  const said = ACTS[kind].missing(target);
  return { ...state, said, confirmed: 0, draft: said || kind === "confirm" ? null : draftFor(kind, target) };
}

function done(state: ReviewState, bench: Bench, words: string): ReviewState {
  const chosen = bench.chains.some((one) => one.name === state.chosen) ? state.chosen : bench.chosen;
  return { ...state, bench, chosen, boxNumber: null, draft: null, said: `Done: ${words.toLowerCase()}. ${bench.undo === null ? "" : "U undoes it."}` };
}

export function stepReview(state: ReviewState, event: ReviewEvent): ReviewState {
  const { bench, chosen, draft } = state;
  switch (event.type) {
    case "choose":
      return choose(state, event.chain, event.box ?? null);
    case "next chain": {
      const next = nextOf(bench.chains, bench.chains.findIndex((one) => one.name === chosen), event.by);
      return next ? choose(state, next.name) : state;
    }
    case "next box":
      return goToBox(state, event.by);
    case "start":
      return start(state, event.kind);
    case "fill in":
      return { ...state, draft: draft && { ...draft, ...event.change } };
    case "confirm the box":
      return { ...state, confirmed: state.confirmed + 1 };
    case "cancel":
      return { ...state, draft: null, said: "Nothing was changed." };
    case "done":
      return done(state, event.bench, event.words);
    case "label confirmed":
      return { ...state, bench: event.bench, said: "Confirmed. U undoes it, N goes on." };
    case "say":
      return { ...state, said: event.words };
  }
}
