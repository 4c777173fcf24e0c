/** The acts of an expert: their keys, why one is impossible now, and what it asks of the server. */

import type { Commands } from "../../keyboard/commands";
import { CHAIN_STEPS } from "../gold/tools";
import type { Bench, Chain, Check, DrawnBox, Wanted } from "./data";
import { type EventOf, reducerOf, type Steps } from "../../reducer";

/** What an act is about: the bench, and the chosen chain and box. */
export interface Target {
  readonly bench: Bench;
  readonly chain: Chain | null;
  readonly box: DrawnBox | null;
}

/** What has been filled in so far. */
export interface ActDraft {
  readonly kind: Kind;
  readonly to: string;
  readonly nonVisual: string;
  readonly chains: readonly number[];
  readonly mentions: readonly number[];
  readonly types: readonly string[];
  readonly same: boolean;
  readonly box: DrawnBox["box"] | null;
  /** A new phrase: caption, first word, last word, counted from 0. */
  readonly span: readonly [caption: number, first: number, last: number] | null;
}

interface ActOf {
  readonly key: string;
  readonly name: string;
  readonly about: string;
  /** Why the act is impossible now; empty if it is possible. */
  readonly missing: (target: Target) => string;
  /** The act that a draft describes; null while something is missing. */
  readonly request: (draft: ActDraft, target: Target) => Wanted | null;
}

type Action = Readonly<Record<string, unknown>>;
const action = (name: string, more: Action): Wanted => ({ action: { action: name, ...more }, undo: null });
const undo = (entry: number | null): Wanted | null => (entry === null ? null : { action: null, undo: entry });

export const checkOf = ({ checks }: Bench, chain: Chain | null): Check | null => checks?.find((one) => chain && one.chains.includes(chain.name)) ?? null;

const started = ({ bench }: Target): string => (bench.started ? "" : "Linking has not begun: nothing of this image can be changed yet.");
const ofChain = (target: Target): string => started(target) || (target.chain ? "" : "Choose a chain first.");
const ofLinked = (target: Target): string => ofChain(target) || (target.chain?.state === "linking" ? "This chain is still being linked: decide its links." : "");
const ofBox = (other: DrawnBox["state"], words: string) => (target: Target): string => ofLinked(target) || (target.box && target.box.state !== other ? "" : words);

/** Of projects that check a data set. */
const CHECKING = {
  confirm: {
    key: "e", name: "Confirm", about: "the label is right as it is now; done at once",
    missing: (target) => ofChain(target) || (checkOf(target.bench, target.chain) ? "" : "This label is still in question: settle the chain first."),
    request: (_, { bench, chain }) => {
      const check = checkOf(bench, chain);
      return check && action("confirm", { labels: check.labels });
    },
  },
  back: {
    key: "b", name: "Take back", about: "the label is again as the data set has it",
    missing: (target) => ofChain(target) || (checkOf(target.bench, target.chain)?.before ? "" : "The check has changed nothing here that can be taken back at once."),
    request: (_, { bench, chain }) => {
      const check = checkOf(bench, chain);
      return check?.before ? action("take back", { labels: check.before, was: check.labels }) : null;
    },
  },
} satisfies Record<string, ActOf>;

const ALWAYS = {
  accept: {
    key: "a", name: "Accept", about: "the chain is complete with its boxes",
    missing: ofLinked,
    request: (_, { chain }) => action("send", { chain: chain?.name, to: "complete" }),
  },
  send: {
    key: "s", name: "Send on", about: "the chain goes to any step, with empty tallies",
    missing: ofLinked,
    request: ({ to, nonVisual }, { chain }) => action("send", { chain: chain?.name, to, ...(to === "non-visual" ? { kind: nonVisual } : {}) }),
  },
  ask: {
    key: "o", name: "Ask others", about: "like Send on, and nobody who has answered is asked",
    missing: ofLinked,
    request: ({ to }, { chain }) => action("ask others", { chain: chain?.name, to }),
  },
  review: {
    key: "r", name: "To review", about: "the chain waits for an expert",
    missing: (target) => ofChain(target) || (target.chain?.state === "review" ? "This chain waits in review already." : ""),
    request: (_, { chain }) => action("review", { chain: chain?.name }),
  },
  draw: {
    key: "d", name: "Draw a box", about: "a new accepted box of the chain",
    missing: ofLinked,
    request: ({ box }, { chain }) => box && action("draw", { chain: chain?.name, box }),
  },
  move: {
    key: "m", name: "Move the box", about: "the chosen box gets another place",
    missing: ofBox("discarded", "Choose a box of this chain first (, and .)."),
    request: ({ box: to }, { box }) => (to && box && to.join() !== box.box.join() ? action("move box", { box: box.number, to }) : null),
  },
  delete: {
    key: "x", name: "Delete the box", about: "the chosen box is discarded",
    missing: ofBox("discarded", "Choose a box of this chain first (, and .)."),
    request: (_, { box }) => box && action("delete box", { box: box.number }),
  },
  keep: {
    key: "v", name: "Accept the box", about: "a discarded box counts after all",
    missing: ofBox("accepted", "Choose a discarded box first (, and .)."),
    request: (_, { box }) => box && action("accept box", { box: box.number }),
  },
  join: {
    key: "g", name: "Join chains", about: "several chains become one",
    missing: (target) => ofLinked(target) || (target.bench.chains.length > 1 ? "" : "There is no other chain."),
    request: ({ chains }) => (chains.length > 1 ? action("join", { chains }) : null),
  },
  part: {
    key: "p", name: "Part the chain", about: "some of its phrases become a chain of their own",
    missing: (target) => ofLinked(target) || ((target.chain?.mentions.length ?? 0) > 1 ? "" : "A chain of one phrase has no parts."),
    request: ({ mentions }, { chain }) => {
      const rest = (chain?.mentions ?? []).filter((number) => !mentions.includes(number));
      return mentions.length && rest.length ? action("split", { chain: chain?.name, parts: [rest, mentions] }) : null;
    },
  },
  link: {
    key: "l", name: "Decide a link", about: "two phrases are the same or different, while linking",
    missing: (target) => ofChain(target) || (target.chain?.state === "linking" ? "" : "This chain is linked already: join or part chains."),
    request: ({ mentions: [first, second], same }) => (first !== undefined && second !== undefined ? action("link", { first, second, same }) : null),
  },
  type: {
    key: "t", name: "Change types", about: "the types of one phrase",
    missing: ofChain,
    request: ({ mentions: [mention], types }) => (mention !== undefined && types.length ? action("retype", { mention, types }) : null),
  },
  chunk: {
    key: "c", name: "Change phrases", about: "take phrases away, and make new ones",
    missing: started,
    request: ({ mentions, span, types }, { bench }) => {
      const words = span && bench.captions[span[0]]?.words.slice(span[1], span[2] + 1);
      const add = span && words?.length && types.length ? [[bench.numbered, span[0], span[1], span[2] + 1, types, words.join(" ")]] : [];
      return add.length || mentions.length ? action("rechunk", { remove: mentions, add }) : null;
    },
  },
  undo: {
    key: "u", name: "Undo", about: "the last act is taken back",
    missing: ({ bench }) => (bench.undo === null ? "No act is left to undo." : ""),
    request: (_, { bench }) => undo(bench.undo),
  },
  redo: {
    key: "y", name: "Redo", about: "what was undone last is done again",
    missing: ({ bench }) => (bench.redo === null ? "Nothing was undone." : ""),
    request: (_, { bench }) => undo(bench.redo),
  },
} satisfies Record<string, ActOf>;

export type Kind = keyof typeof CHECKING | keyof typeof ALWAYS;
export const ACTS: Readonly<Record<Kind, ActOf>> = { ...CHECKING, ...ALWAYS };

export const kindsOf = ({ checks }: Bench): readonly Kind[] => Object.keys(checks ? ACTS : ALWAYS) as Kind[];
export const wantedOf = (draft: ActDraft, target: Target): Wanted | null => ACTS[draft.kind].request(draft, target);
export const drawsBox = (kind: Kind | undefined): boolean => kind === "draw" || kind === "move";

export const actCommands = (kinds: readonly Kind[]): Commands =>
  Object.fromEntries(kinds.map((kind) => [kind, { keys: [ACTS[kind].key], label: `${ACTS[kind].name}: ${ACTS[kind].about}` }]));
export const REVIEW = {
  ...CHAIN_STEPS,
  next: { keys: ["n"], label: "The next chain of the queue" },
  cancel: { keys: ["Escape"], label: "Cancel the act" },
} as const satisfies Commands;
/** Handled by the form of an act. For the help. */
export const ACTING: Commands = { send: { keys: ["Enter"], label: "Confirm the act whose effects are shown" } };

export function draftFor(kind: Kind, { bench, chain, box }: Target): ActDraft {
  const first = chain?.mentions[0];
  const types = bench.mentions.find((one) => one.number === first)?.types ?? [];
  const boxes = bench.boxes.some((one) => one.chain === chain?.name && one.state === "accepted");
  return {
    kind,
    to: kind === "accept" ? "complete" : boxes ? "coverage" : "drawing",
    nonVisual: "scene",
    chains: chain && kind === "join" ? [chain.name] : [],
    mentions: first !== undefined && (kind === "type" || kind === "link") ? [first] : [],
    types: kind === "type" ? types : ["other"],
    same: true,
    box: kind === "move" ? (box?.box ?? null) : null,
    span: null,
  };
}

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
