/** What a worker has answered of an assignment, and where on the page they are: a pure reducer. */

import type { Answer, Assignment, Receipt, Reply, SkipReason } from "../api/types";

export interface Entry {
  answer: Answer | null;
  /** False while a box is drawn but not confirmed: such an answer is kept, but not sent. */
  decided: boolean;
  skip: SkipReason | null;
  comment: string;
  seconds: number;
}

/** learning: reading what is right, before a test or again while an assignment waits. */
export type Phase = "loading" | "learning" | "asking" | "summary" | "sending" | "sent" | "empty" | "error";

export interface Problem {
  code: string;
  message: string;
}

export interface Sitting {
  phase: Phase;
  assignment: Assignment | null;
  entries: Entry[];
  /** The question in view; as many as there are questions: the summary. */
  index: number;
  /** The lease has run out. */
  ended: boolean;
  receipt: Receipt | null;
  problem: Problem | null;
  /** On a platform: its session is being handed in, or was. */
  handing: "" | "asking" | "done";
  /** Why the session was not taken. */
  refusal: Problem | null;
  /** What this page saw handed in, in this session. */
  earned: Earned;
}

export interface Earned {
  assignments: number;
  cents: number;
}

export interface Progress {
  index: number;
  entries: Entry[];
}

export type Happening = (
  | { type: "ask" }
  | { type: "assigned"; assignment: Assignment; kept: Progress | null }
  | { type: "nothing"; problem: Problem }
  | { type: "answer"; answer: Answer }
  | { type: "change"; answer: Answer | null }
  | { type: "skip"; reason: SkipReason; comment: string }
  | { type: "comment"; text: string }
  | { type: "go"; index: number }
  | { type: "learn" }
  | { type: "pause" }
  | { type: "time is up" }
  | { type: "send" }
  | { type: "stored"; receipt: Receipt }
  | { type: "unsent"; problem: Problem }
  | { type: "refused"; problem: Problem }
  | { type: "hand in" }
  | { type: "handed in" }
  | { type: "kept"; problem: Problem }
) & { seconds?: number };

const UNTOUCHED: Entry = { answer: null, decided: false, skip: null, comment: "", seconds: 0 };

export const START: Sitting = {
  phase: "loading",
  assignment: null,
  entries: [],
  index: 0,
  ended: false,
  receipt: null,
  problem: null,
  handing: "",
  refusal: null,
  earned: { assignments: 0, cents: 0 },
};

export const isDone = (entry: Entry): boolean => entry.decided || entry.skip !== null;

/** A box is there, but nobody has said yet that it is the one. */
export const isDrawn = (entry: Entry): boolean => entry.answer !== null && !isDone(entry);

/** Something of it would be lost. */
export const isTouched = (entry: Entry): boolean => isDone(entry) || entry.answer !== null || entry.comment !== "";

export const isTest = ({ assignment }: Sitting): boolean => assignment?.kind === "test";

/** An assignment is there and not yet sent. */
export const isHeld = ({ phase }: Sitting): boolean => phase === "asking" || phase === "summary" || phase === "learning";

export const leftOut = (entries: readonly Entry[]): number => entries.filter((entry) => !isDone(entry)).length;

/** How many answers would be sent, without what was skipped. */
export const answered = (entries: readonly Entry[]): number =>
  entries.filter(({ decided, skip }) => decided && !skip).length;

/** The places of comments that would not be sent, because nothing is. */
export const unsentComments = (entries: readonly Entry[]): number[] =>
  entries.flatMap((entry, i) => (!isDone(entry) && entry.comment.trim() ? [i] : []));

/** What is sent: an answer, a reason to skip, or null for each question. */
export function answersOf(entries: readonly Entry[]): Reply[] {
  return entries.map(({ answer, decided, skip, comment, seconds }) => {
    if (skip) return { skip, comment };
    return answer !== null && decided ? { answer, seconds: Math.round(seconds * 10) / 10, comment } : null;
  });
}

/** The sitting after something happened; `seconds` is the time spent on the question in view since the last happening. */
export function step(sitting: Sitting, happening: Happening): Sitting {
  // Whoever goes is not called back by an answer that was on its way.
  if (sitting.handing && !["hand in", "handed in", "kept"].includes(happening.type)) return sitting;
  return next(spent(sitting, happening.seconds ?? 0), happening);
}

function next(sitting: Sitting, happening: Happening): Sitting {
  switch (happening.type) {
    case "ask":
      return afresh(sitting);
    case "assigned":
      return begin(afresh(sitting), happening.assignment, happening.kept);
    case "nothing":
      return { ...afresh(sitting), phase: "empty", problem: happening.problem };
    case "answer":
      return onward(edit(sitting, { answer: happening.answer, decided: true, skip: null }));
    case "change":
      return edit(sitting, { answer: happening.answer, decided: false, skip: null });
    case "skip":
      return onward(edit(sitting, { skip: happening.reason, comment: happening.comment }));
    case "comment":
      return edit(sitting, { comment: happening.text });
    case "go":
      return goTo(sitting, happening.index);
    case "learn":
      return { ...sitting, phase: "learning" };
    case "pause":
      return sitting;
    case "time is up":
      return { ...sitting, ended: true };
    case "send":
      return { ...sitting, phase: "sending", problem: null };
    case "stored":
      return { ...sitting, phase: "sent", receipt: happening.receipt, earned: more(sitting.earned, happening.receipt) };
    case "unsent":
      return { ...goTo(sitting, sitting.entries.length), problem: happening.problem };
    case "refused":
      return { ...sitting, phase: "error", problem: happening.problem };
    case "hand in":
      return { ...sitting, handing: "asking", refusal: null };
    case "handed in":
      return { ...sitting, handing: "done" };
    case "kept":
      return { ...sitting, handing: "", refusal: happening.problem };
  }
}

const afresh = ({ earned }: Sitting): Sitting => ({ ...START, earned });

const more = ({ assignments, cents }: Earned, { test, earned_cents }: Receipt): Earned =>
  test ? { assignments, cents } : { assignments: assignments + 1, cents: cents + earned_cents };

function begin(empty: Sitting, assignment: Assignment, kept: Progress | null): Sitting {
  const entries = kept?.entries ?? assignment.questions.map(() => UNTOUCHED);
  const begun = goTo({ ...empty, assignment, entries, ended: assignment.seconds_left <= 0 }, kept?.index ?? 0);
  return isTest(begun) && !entries.some(isTouched) ? { ...begun, phase: "learning" } : begun;
}

function spent(sitting: Sitting, seconds: number): Sitting {
  const entry = sitting.phase === "learning" ? undefined : sitting.entries[sitting.index];
  return entry && seconds > 0 ? edit(sitting, { seconds: entry.seconds + seconds }) : sitting;
}

function edit(sitting: Sitting, change: Partial<Entry>): Sitting {
  const entries = sitting.entries.map((entry, i) => (i === sitting.index ? { ...entry, ...change } : entry));
  return { ...sitting, entries };
}

/** On to the next question that is open, or to the summary. */
function onward(sitting: Sitting): Sitting {
  const open = sitting.entries.findIndex((entry, i) => i > sitting.index && !isDone(entry));
  return goTo(sitting, open < 0 ? sitting.entries.length : open);
}

function goTo(sitting: Sitting, index: number): Sitting {
  const inside = Math.min(Math.max(index, 0), sitting.entries.length);
  return { ...sitting, index: inside, phase: inside < sitting.entries.length ? "asking" : "summary" };
}
