/** Drafts: answers that are not sent yet, kept in this browser and on the server. */

import type { Task } from "../api/types";
import { answered, type Entry, type Progress } from "./assignment";

/** The place of a draft: one task of one project. */
export interface Where {
  project: string;
  task: Task;
}

export interface Draft extends Progress, Where {
  form: 1;
  /** The time of the last change, in milliseconds of the worker's clock. */
  saved: number;
}

const KEEP_DAYS = 14;
const PREFIX = "chainbox draft ";

/** A draft in this browser, and its assignment. */
export interface Kept {
  token: string;
  draft: Draft;
}

export function draftOf({ index, entries }: Progress, { project, task }: Where, now: number): Draft {
  return { form: 1, project, task, saved: now, index, entries };
}

/** What the worker has entered, without the time spent, as text: a draft is worth saving when this changes. */
export function enteredIn(entries: readonly Entry[]): string {
  return JSON.stringify(entries.map((entry) => ({ ...entry, seconds: 0 })));
}

function isEntry(value: unknown): value is Entry {
  const entry = value as Partial<Entry> | null;
  return typeof entry?.seconds === "number" && typeof entry.comment === "string" && typeof entry.decided === "boolean";
}

/** The value as a draft; null if it is none, or if it does not have this number of questions. */
function understood(value: unknown, questions?: number): Draft | null {
  const draft = value as Partial<Draft> | null;
  if (draft?.form !== 1 || typeof draft.saved !== "number" || typeof draft.index !== "number") return null;
  if (!Array.isArray(draft.entries) || draft.entries.length !== (questions ?? draft.entries.length)) return null;
  return draft.entries.every(isEntry) ? (draft as Draft) : null;
}

/** The newest draft that fits the assignment. */
export function newest(drafts: readonly unknown[], questions: number): Draft | null {
  const fitting = drafts.map((draft) => understood(draft, questions)).filter((draft) => draft !== null);
  return fitting.reduce<Draft | null>((best, draft) => (best && best.saved >= draft.saved ? best : draft), null);
}

export function readDraft(token: string): unknown {
  try {
    return JSON.parse(localStorage.getItem(PREFIX + token) ?? "null");
  } catch {
    return null; // storage is forbidden, or the value is not ours
  }
}

export function keepDraft(token: string, draft: Draft): void {
  try {
    localStorage.setItem(PREFIX + token, JSON.stringify(draft));
  } catch {
    // Storage is full or forbidden: only the server keeps the draft.
  }
}

export function dropDraft(token: string): void {
  try {
    localStorage.removeItem(PREFIX + token);
  } catch {
    // Storage is forbidden: there is no draft.
  }
}

/** The tokens of all assignments with a draft in this browser. */
function keptTokens(): string[] {
  try {
    const ours = Object.keys(localStorage).filter((name) => name.startsWith(PREFIX));
    return ours.map((name) => name.slice(PREFIX.length));
  } catch {
    return []; // storage is forbidden
  }
}

/** The newest draft with answers to this task, other than those of the assignments `mine`. */
export function leftBehind({ project, task }: Where, mine: readonly string[]): Kept | null {
  let found: Kept | null = null;
  for (const token of keptTokens()) {
    const draft = understood(readDraft(token));
    if (!draft || mine.includes(token) || draft.project !== project || draft.task !== task) continue;
    if (answered(draft.entries) > 0 && draft.saved > (found?.draft.saved ?? -Infinity)) found = { token, draft };
  }
  return found;
}

/** Delete drafts older than KEEP_DAYS. */
export function dropOldDrafts(now: number): void {
  for (const token of keptTokens()) {
    const { saved } = (readDraft(token) ?? {}) as Partial<Draft>;
    if (now - (saved ?? 0) > KEEP_DAYS * 86_400_000) dropDraft(token);
  }
}
