/** What was answered but not yet sent, kept in this browser and on the server. */

import type { Entry, Progress } from "./assignment";

export interface Draft extends Progress {
  form: 1;
  /** When it was written, in milliseconds of the worker's clock. */
  saved: number;
}

const KEEP_DAYS = 14;
const PREFIX = "chainbox draft ";

export function draftOf({ index, entries }: Progress, now: number): Draft {
  return { form: 1, saved: now, index, entries };
}

function isEntry(value: unknown): value is Entry {
  const entry = value as Partial<Entry> | null;
  return typeof entry?.seconds === "number" && typeof entry.comment === "string" && typeof entry.decided === "boolean";
}

/** A draft of an assignment of so many questions; null if it is anything else. */
function understood(value: unknown, questions: number): Draft | null {
  const draft = value as Partial<Draft> | null;
  if (draft?.form !== 1 || typeof draft.saved !== "number" || typeof draft.index !== "number") return null;
  return draft.entries?.length === questions && draft.entries.every(isEntry) ? (draft as Draft) : null;
}

/** The draft that was written last, of those that fit the assignment. */
export function newest(drafts: readonly unknown[], questions: number): Draft | null {
  const fitting = drafts.map((draft) => understood(draft, questions)).filter((draft) => draft !== null);
  return fitting.reduce<Draft | null>((best, draft) => (best && best.saved >= draft.saved ? best : draft), null);
}

export function readDraft(token: string): unknown {
  try {
    return JSON.parse(localStorage.getItem(PREFIX + token) ?? "null");
  } catch {
    return null; // storage is forbidden, or not ours
  }
}

export function keepDraft(token: string, draft: Draft): void {
  try {
    localStorage.setItem(PREFIX + token, JSON.stringify(draft));
  } catch {
    // Storage is full or forbidden: the server's copy has to do.
  }
}

export function dropDraft(token: string): void {
  try {
    localStorage.removeItem(PREFIX + token);
  } catch {
    // Nothing was kept then.
  }
}

/** Forgets drafts of assignments that nobody came back to. */
export function dropOldDrafts(now: number): void {
  try {
    for (const key of Object.keys(localStorage).filter((name) => name.startsWith(PREFIX))) {
      const { saved } = (readDraft(key.slice(PREFIX.length)) ?? {}) as Partial<Draft>;
      if (now - (saved ?? 0) > KEEP_DAYS * 86_400_000) localStorage.removeItem(key);
    }
  } catch {
    // Storage is forbidden.
  }
}
