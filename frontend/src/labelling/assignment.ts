/** The state of the labelling page: the assignment, the answers so far, and the current question. A pure reducer. */

import type { Answer, Assignment, Begun, Receipt, Reply, SkipReason } from "../api/types";
import { type EventOf, reducerOf, type Steps } from "../reducer";
import { t } from "../t";

export interface Entry {
  answer: Begun<Answer> | null;
  /** False while a box is drawn or phrases are touched but not confirmed, or no word of a wrong caption is picked. Such an answer is kept, but not sent. */
  decided: boolean;
  skip: SkipReason | null;
  comment: string;
  seconds: number;
}

/** learning: reading the rule and trying examples, at first contact, before a test or while an assignment waits. */
type Phase = "loading" | "learning" | "asking" | "summary" | "sending" | "sent" | "empty" | "error";

export interface Problem {
  code: string;
  message: string;
}

export interface PageState {
  phase: Phase;
  assignment: Assignment | null;
  entries: Entry[];
  /** The place of the current question, from 0; the number of questions: the summary. */
  index: number;
  /** The worker reads the rule before the first answer: before a test, or at first contact with the task. */
  fresh: boolean;
  /** The lease has run out. */
  ended: boolean;
  receipt: Receipt | null;
  problem: Problem | null;
  /** On a platform: whether the session is being handed in, or was. */
  handing: "" | "asking" | "done";
  /** Why the server refused to take the session. */
  refusal: Problem | null;
  /** The submissions that this page has seen in the session. */
  earned: Earned;
  /** The worker's setting: finished assignments go out without another key. */
  byItself: boolean;
  /** The assignment after this one, as far as the worker has got in it. */
  next: Started | null;
  /** A finished assignment that goes out soon, while the worker is at the next one. */
  outgoing: Outgoing | null;
  /** The receipt of the last assignment that went out by itself. */
  gone: Receipt | null;
}

export interface Started {
  assignment: Assignment;
  kept: Progress | null;
}

export interface Outgoing {
  assignment: Assignment;
  entries: Entry[];
  /** Too late to take it back. */
  sending: boolean;
}

/** How another tab ended an assignment. */
export interface Ended {
  token: string;
  how: "submitted" | "returned";
}

interface Earned {
  assignments: number;
  cents: number;
}

export interface Progress {
  index: number;
  entries: Entry[];
}

interface Failure {
  problem: Problem;
}

interface Stored {
  receipt: Receipt;
}

const UNTOUCHED: Entry = { answer: null, decided: false, skip: null, comment: "", seconds: 0 };

export const START: PageState = {
  phase: "loading",
  assignment: null,
  entries: [],
  index: 0,
  fresh: false,
  ended: false,
  receipt: null,
  problem: null,
  handing: "",
  refusal: null,
  earned: { assignments: 0, cents: 0 },
  byItself: false,
  next: null,
  outgoing: null,
  gone: null,
};

export const isDone = (entry: Entry): boolean => entry.decided || entry.skip !== null;

/** A box is drawn, or phrases are touched, but not confirmed; or a caption is called wrong, and what follows is not finished. */
export const isDrawn = (entry: Entry): boolean => entry.answer !== null && !isDone(entry);

/** What is drawn, as `isDrawn` says, is no box, but a check of a caption or a sweep. */
export const isBegun = ({ answer }: Entry): boolean => !("box" in Object(answer));

/** The worker would lose something without this entry. */
export const isTouched = (entry: Entry): boolean => isDone(entry) || entry.answer !== null || entry.comment !== "";

export const isTest = ({ assignment }: PageState): boolean => assignment?.kind === "test";

/** The page has an assignment that is not sent yet. */
export const isHeld = ({ phase }: PageState): boolean => phase === "asking" || phase === "summary" || phase === "learning";

export const leftOut = (entries: readonly Entry[]): number => entries.filter((entry) => !isDone(entry)).length;

/** Whether the assignment goes out without another key: it is finished, and the worker wants that. Never a test. */
export const goesByItself = (state: PageState): boolean =>
  state.byItself && state.assignment?.kind === "work" && !state.ended && state.entries.every(isDone);

/** The tokens of all assignments that the page works on. */
export const tokensOf = ({ assignment, next, outgoing }: PageState): string[] =>
  [assignment, next?.assignment, outgoing?.assignment].flatMap((one) => one?.token ?? []);

/** The number of answers that would be sent, without skipped questions. */
export const answered = (entries: readonly Entry[]): number =>
  entries.filter(({ decided, skip }) => decided && !skip).length;

/** The places of comments that would not be sent, because their question has no answer. */
export const unsentComments = (entries: readonly Entry[]): number[] =>
  entries.flatMap((entry, i) => (!isDone(entry) && entry.comment.trim() ? [i] : []));

/** The reply to each question: an answer, a reason to skip, or null. */
export function repliesOf(entries: readonly Entry[]): Reply[] {
  return entries.map(({ answer, decided, skip, comment, seconds }) => {
    if (skip) return { skip, comment };
    return answer !== null && decided ? { answer: answer as Answer, seconds: Math.round(seconds * 10) / 10, comment } : null;
  });
}

const STEPS = {
  ask: (state) => afresh(state),
  assigned: (state, { assignment, kept, isNew = false }: Started & { isNew?: boolean }) => begin(afresh(state), assignment, kept, isNew),
  nothing: (state, { problem }: Failure) => ({ ...afresh(state), phase: "empty", problem }),
  answer: (state, { answer }: { answer: Answer }) => onward(edit(state, { answer, decided: true, skip: null })),
  change: (state, { answer }: { answer: Begun<Answer> | null }) => edit(state, { answer, decided: false, skip: null }),
  skip: (state, { reason, comment }: { reason: SkipReason; comment: string }) => onward(edit(state, { skip: reason, comment })),
  comment: (state, { text }: { text: string }) => edit(state, { comment: text }),
  go: (state, { index }: { index: number }) => (index < 0 && state.outgoing ? takeBack(state) : goTo(state, index)),
  learn: (state) => ({ ...state, phase: "learning", fresh: false }),
  pause: (state) => state,
  "time is up": (state) => ({ ...state, ended: true }),
  "ended elsewhere": (state, { token, how }: Ended) => (isHeld(state) && state.assignment?.token === token ? leave(state, how) : state),
  send: (state) => ({ ...state, phase: "sending", problem: null }),
  stored: (state, { receipt }: Stored) => ({ ...state, phase: "sent", receipt, earned: more(state.earned, receipt), gone: goneOf(state, receipt) }),
  unsent: (state, { problem }: Failure) => ({ ...goTo(state, state.entries.length), problem }),
  refused: (state, { problem }: Failure) => ({ ...state, phase: "error", problem }),
  "hand in": (state) => ({ ...state, handing: "asking", refusal: null }),
  "handed in": (state) => ({ ...state, handing: "done" }),
  kept: (state, { problem }: Failure) => ({ ...state, handing: "", refusal: problem }),
  prefer: (state, { byItself }: { byItself: boolean }) => ({ ...state, byItself }),
  /** `of`: the token of the assignment that was in view. */
  ahead: (state, { of, next }: { of: string; next: Started | null }) => (state.assignment?.token === of ? { ...state, next } : state),
  "take back": (state) => takeBack(state),
  "go out": (state) => ({ ...state, outgoing: state.outgoing && { ...state.outgoing, sending: true } }),
  gone: (state, { receipt }: Stored) => ({ ...state, outgoing: null, gone: receipt, earned: more(state.earned, receipt) }),
  "came back": (state, { problem }: Failure) => ({ ...goTo(swapped(state), state.outgoing?.entries.length ?? 0), problem }),
} satisfies Steps<PageState>;

export type PageEvent = EventOf<typeof STEPS> & { seconds?: number };
const next: (state: PageState, event: PageEvent) => PageState = reducerOf<PageState>(STEPS);

/** The state after an event. `seconds`: the time spent on the current question since the last event. */
export function step(state: PageState, event: PageEvent): PageState {
  // While the worker leaves, a late response of the server must not bring the page back.
  if (state.handing && !["hand in", "handed in", "kept"].includes(event.type)) return state;
  return next(spent(state, event.seconds ?? 0), event);
}

const afresh = ({ earned, byItself, outgoing, gone }: PageState): PageState => ({ ...START, earned, byItself, outgoing, gone });

const goneOf = ({ byItself }: PageState, receipt: Receipt): Receipt | null => (byItself && !receipt.test ? receipt : null);

/** The state once another tab has ended the assignment: nothing that is entered here can be sent any more. */
function leave(state: PageState, how: Ended["how"]): PageState {
  const counts = how === "submitted" ? t("The answers sent there count.") : t("Other people can answer its questions now.");
  const lost = state.entries.some(isTouched) ? ` ${t("Those in this tab were not sent.")}` : "";
  return { ...afresh(state), phase: "empty", problem: { code: `${how} elsewhere`, message: counts + lost } };
}

const more = ({ assignments, cents }: Earned, { test, earned_cents }: Receipt): Earned =>
  test ? { assignments, cents } : { assignments: assignments + 1, cents: cents + earned_cents };

function begin(empty: PageState, assignment: Assignment, kept: Progress | null, isNew: boolean): PageState {
  const entries = kept?.entries ?? assignment.questions.map(() => UNTOUCHED);
  const begun = goTo({ ...empty, assignment, entries, ended: assignment.seconds_left <= 0 }, kept?.index ?? 0);
  const fresh = (isNew || isTest(begun)) && !entries.some(isTouched);
  return fresh ? { ...begun, fresh, phase: "learning" } : begun;
}

function spent(state: PageState, seconds: number): PageState {
  const entry = state.phase === "learning" ? undefined : state.entries[state.index];
  return entry && seconds > 0 ? edit(state, { seconds: entry.seconds + seconds }) : state;
}

function edit(state: PageState, change: Partial<Entry>): PageState {
  const entries = state.entries.map((entry, i) => (i === state.index ? { ...entry, ...change } : entry));
  return { ...state, entries };
}

/** Go to the next unanswered question, or to the summary, or to the next assignment. */
function onward(state: PageState): PageState {
  const open = state.entries.findIndex((entry, i) => i > state.index && !isDone(entry));
  if (open >= 0) return goTo(state, open);
  const { assignment, entries, next, outgoing } = state;
  if (!assignment || !next || outgoing || !goesByItself(state)) return goTo(state, entries.length);
  const left = { ...afresh(state), gone: null, outgoing: { assignment, entries, sending: false } };
  return begin(left, next.assignment, next.kept, false);
}

/** Go back to the last question of the assignment that was to go out. */
function takeBack(state: PageState): PageState {
  const { outgoing } = state;
  return outgoing && !outgoing.sending ? goTo(swapped(state), outgoing.entries.length - 1) : state;
}

/** The state with the outgoing assignment in view again, and the one in view after it. */
function swapped(state: PageState): PageState {
  const { assignment, entries, index, outgoing } = state;
  if (!assignment || !outgoing) return state;
  const open = entries.findIndex((entry) => !isDone(entry));
  const kept = entries.some(isTouched) ? { index: open < 0 ? index : open, entries } : null;
  const next = { assignment, kept };
  return { ...state, assignment: outgoing.assignment, entries: outgoing.entries, ended: false, outgoing: null, next };
}

function goTo(state: PageState, index: number): PageState {
  const inside = Math.min(Math.max(index, 0), state.entries.length);
  return { ...state, index: inside, phase: inside < state.entries.length ? "asking" : "summary" };
}
