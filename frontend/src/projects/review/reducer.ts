/** The state of the workbench: what is chosen, the act that is filled in, and what was said last. A pure reducer. */

import { type ActDraft, ACTS, draftFor, type Kind, type Target } from "./acts";
import type { Bench, DrawnBox } from "./data";
import { type EventOf, reducerOf, type Steps } from "../../reducer";

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

function goToChain(state: ReviewState, { by }: { by: 1 | -1 }): ReviewState {
  const { bench: { chains }, chosen } = state;
  const next = nextOf(chains, chains.findIndex((one) => one.name === chosen), by);
  return next ? choose(state, next.name) : state;
}

function goToBox(state: ReviewState, { by }: { by: 1 | -1 }): ReviewState {
  const own: readonly DrawnBox[] = state.bench.boxes.filter((one) => one.chain === state.chosen);
  const next = nextOf(own, own.findIndex((one) => one.number === state.boxNumber), by);
  return next ? { ...state, boxNumber: next.number, said: `Box ${next.name}, ${next.state}.` } : { ...state, said: "This chain has no box." };
}

function start(state: ReviewState, { kind }: { kind: Kind }): ReviewState {
  const target = targetOf(state);
  const said = ACTS[kind].missing(target);
  return { ...state, said, confirmed: 0, draft: said || kind === "confirm" ? null : draftFor(kind, target) };
}

/** `words`: the name of the act. */
function done(state: ReviewState, { bench, words }: { bench: Bench; words: string }): ReviewState {
  const chosen = bench.chains.some((one) => one.name === state.chosen) ? state.chosen : bench.chosen;
  return { ...state, bench, chosen, boxNumber: null, draft: null, said: `Done: ${words.toLowerCase()}. ${bench.undo === null ? "" : "U undoes it."}` };
}

const STEPS = {
  choose: (state, { chain, box = null }: { chain: number; box?: number | null }) => choose(state, chain, box),
  "next chain": goToChain,
  "next box": goToBox,
  start,
  "fill in": (state, { change }: { change: Partial<ActDraft> }) => ({ ...state, draft: state.draft && { ...state.draft, ...change } }),
  "confirm the box": (state) => ({ ...state, confirmed: state.confirmed + 1 }),
  cancel: (state) => ({ ...state, draft: null, said: "Nothing was changed." }),
  done,
  /** Needs no form. */
  "label confirmed": (state, { bench }: { bench: Bench }) => ({ ...state, bench, said: "Confirmed. U undoes it, N goes on." }),
  say: (state, { words }: { words: string }) => ({ ...state, said: words }),
} satisfies Steps<ReviewState>;

export type ReviewEvent = EventOf<typeof STEPS>;
export const stepReview: (state: ReviewState, event: ReviewEvent) => ReviewState = reducerOf<ReviewState>(STEPS);
