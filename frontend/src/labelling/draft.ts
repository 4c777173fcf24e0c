/** Drafts: answers that are not sent yet, kept in this browser and on the server; and those of an earlier assignment. */

import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Assignment, Receipt, Task } from "../api/types";
import {
  answered,
  type Entry,
  isHeld,
  isTouched,
  type PageEvent,
  type PageState,
  type Progress,
  tokensOf,
} from "./assignment";
import type { Calls } from "./calls";
import { makeSaver, type Saver } from "./retry";
import { stored } from "../storage";
import { listen } from "../ui/listen";

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
export interface KeptDraft {
  token: string;
  draft: Draft;
}

export function draftOf({ index, entries }: Progress, { project, task }: Where, now: number): Draft {
  return { form: 1, project, task, saved: now, index, entries };
}

/** What the worker has entered, without the time spent, as text: a draft is worth saving when this changes. */
function enteredIn(entries: readonly Entry[]): string {
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

export const readDraft = (token: string): unknown => stored<unknown>((storage) => JSON.parse(storage.getItem(PREFIX + token) ?? "null"), null);

/** Where this fails, only the server keeps the draft. */
export const keepDraft = (token: string, draft: Draft): void => stored((storage) => storage.setItem(PREFIX + token, JSON.stringify(draft)), undefined);

export const dropDraft = (token: string): void => stored((storage) => storage.removeItem(PREFIX + token), undefined);

/** The tokens of all assignments with a draft in this browser. */
const keptTokens = (): string[] =>
  stored((storage) => Object.keys(storage).flatMap((name) => (name.startsWith(PREFIX) ? name.slice(PREFIX.length) : [])), []);

/** The newest draft with answers to this task, other than those of the assignments `mine`. */
export function leftBehind({ project, task }: Where, mine: readonly string[]): KeptDraft | null {
  let found: KeptDraft | null = null;
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

const GAP = 10_000;

/**
 * Keep every change in this browser at once, and on the server soon after or when the page is hidden. The server is not
 * sent a draft in which only the time spent or the current question differs.
 */
export function useDraft(
  place: Where,
  held: Assignment | null,
  state: PageState,
  calls: Calls,
  act: (event: PageEvent) => void,
): void {
  const draft = useRef<Draft>(draftOf(state, place, 0));
  const saver = useRef<Saver | null>(null);
  const sent = useRef("");
  useEffect(() => dropOldDrafts(Date.now()), []);

  // Before the browser paints: the worker may close the tab right after the last keystroke.
  useLayoutEffect(() => {
    if (!held) return;
    let wanted = true;
    const save = (): Promise<void> => {
      const current = (): Draft => {
        sent.current = enteredIn(draft.current.entries);
        return draft.current;
      };
      return calls.keep(held, current, () => wanted);
    };
    const mine = makeSaver(save, GAP);
    saver.current = mine;
    const hide = (): void => {
      act({ type: "pause" });
      if (document.hidden) mine.flush();
    };
    const stop = listen(document, { visibilitychange: hide });
    return () => {
      wanted = false;
      mine.stop();
      saver.current = null;
      stop();
    };
  }, [held, calls, act]);

  const { outgoing } = state;
  useLayoutEffect(() => {
    if (outgoing) keepDraft(outgoing.assignment.token, draftOf({ index: outgoing.entries.length, entries: outgoing.entries }, place, Date.now()));
  }, [outgoing?.assignment]);

  const seen = useRef<unknown>(null);
  useLayoutEffect(() => {
    if (!held) return;
    draft.current = draftOf(state, place, Date.now());
    keepDraft(held.token, draft.current);
    const entered = enteredIn(state.entries);
    // A draft that was just loaded is already saved.
    if (seen.current !== held.token) sent.current = entered;
    else if (sent.current !== entered) saver.current?.touch();
    seen.current = held.token;
  }, [held, state.entries, state.index]);
}

type UnsentState =
  /** `refusal`: why the server refused the answers; "" while that is not known. */
  | { stage: "found" | "sure" | "sending"; kept: KeptDraft; refusal: string }
  | { stage: "sent"; receipt: Receipt };

const found = (kept: KeptDraft | null): UnsentState | null => kept && { stage: "found", kept, refusal: "" };

/** The token of the page's assignment; "" for none, null while that is not known. */
function givenTo(state: PageState): string | null {
  if (state.phase === "empty") return "";
  return isHeld(state) ? (state.assignment?.token ?? null) : null;
}

/** Whether the notice shows more than a find. Then it stays until the worker has read it, even with a new assignment. */
const mustStay = (left: UnsentState | null): boolean => left !== null && (left.stage !== "found" || left.refusal !== "");

export function useUnsentDraft(place: Where, held: Assignment | null, state: PageState, calls: Calls) {
  const [left, setLeft] = useState<UnsentState | null>(null);
  const given = givenTo(state);
  const search = (): UnsentState | null => found(leftBehind(place, tokensOf(state)));
  useEffect(() => {
    if (given !== null) setLeft((now) => (mustStay(now) ? now : search()));
  }, [given]);

  const send = async (kept: KeptDraft): Promise<void> => {
    setLeft({ stage: "sending", kept, refusal: "" });
    const answer = await calls.sendEarlier(kept, state.entries.some(isTouched) ? null : held);
    if (!answer) setLeft(null);
    else if ("stored" in answer) setLeft({ stage: "sent", receipt: answer });
    else setLeft({ stage: "found", kept, refusal: answer.message });
  };
  const discard = ({ token }: KeptDraft): void => {
    dropDraft(token);
    setLeft(search());
  };
  return { left, onChange: setLeft, onSend: (kept: KeptDraft) => void send(kept), onDiscard: discard, onRead: () => setLeft(search()) };
}
