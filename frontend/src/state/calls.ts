/** What the page asks of the server, and what each answer makes happen. */

import { Refusal, type Api } from "../api/client";
import type { Assignment, Example, Lease, Receipt, Report, Task } from "../api/types";
import { answersOf, type Entry, type Happening, type Problem } from "./assignment";
import { dropDraft, newest, readDraft, type Draft, type Kept } from "./draft";
import type { KeepTrying } from "./send";
import { goBack, type Session } from "./session";

export interface Place {
  project: string;
  title: string;
  task: Task;
  /** The worker's own page; "": there is none, on a platform. */
  home: string;
  /** Right answers that pass the qualification test; 0: there is none. */
  needed: number;
  /** null: the worker is here by themselves, not by a platform. */
  session: Session | null;
}

export interface Desk {
  place: Place;
  api: Api;
  keepTrying: KeepTrying;
  act: (happening: Happening) => void;
  /** The lease runs for so many seconds from now. */
  onLease: (seconds: number) => void;
}

const RETURNED = {
  work: { code: "returned", message: "Other people can answer these questions now." },
  test: { code: "left", message: "You can take the test another time." },
};

export function problemOf(error: unknown): Problem {
  if (error instanceof Refusal) return { code: error.code, message: error.message };
  throw error;
}

export const isSignedOut = (error: unknown): boolean => error instanceof Refusal && error.status === 401;

export type Calls = ReturnType<typeof makeCalls>;

export function makeCalls({ place, api, keepTrying, act, onLease }: Desk) {
  const begin = (assignment: Assignment): void => {
    const drafts = [readDraft(assignment.token), assignment.draft];
    onLease(assignment.seconds_left);
    act({ type: "assigned", assignment, kept: newest(drafts, assignment.questions.length) });
  };

  /** Asks for work. */
  const look = async (): Promise<void> => {
    try {
      const { assignment, message } = await keepTrying(() => api.ask(place.project, place.task));
      if (assignment) begin(assignment);
      else act({ type: "nothing", problem: { code: "nothing", message } });
    } catch (error) {
      act({ type: "refused", problem: problemOf(error) });
    }
  };

  /** None, where the server gives none: nobody needs them to answer. */
  const examples = async (): Promise<Example[]> => {
    try {
      return await keepTrying(() => api.examples(place.project, place.task));
    } catch (error) {
      if (isSignedOut(error)) act({ type: "refused", problem: problemOf(error) });
      return [];
    }
  };

  const submit = async ({ token }: Assignment, entries: readonly Entry[]): Promise<void> => {
    act({ type: "send" });
    try {
      const receipt = await keepTrying(() => api.submit(token, answersOf(entries)));
      dropDraft(token);
      act({ type: "stored", receipt });
    } catch (error) {
      act({ type: isSignedOut(error) ? "refused" : "unsent", problem: problemOf(error) });
    }
  };

  const giveBack = async ({ token, kind }: Assignment): Promise<void> => {
    try {
      await keepTrying(() => api.giveBack(token));
      dropDraft(token);
      act({ type: "nothing", problem: RETURNED[kind] });
    } catch (error) {
      act({ type: isSignedOut(error) ? "refused" : "unsent", problem: problemOf(error) });
    }
  };

  /**
   * Sends what an earlier assignment left behind: what was stored, or why the server takes none of it.
   * `free`: what the worker holds now and has not begun. It may hold the very questions that were answered before, for
   * which the answers would come too late; so it is given back first, and work is asked for again afterwards.
   */
  const sendEarlier = async ({ token, draft }: Kept, free: Assignment | null): Promise<Receipt | Problem | null> => {
    if (free) act({ type: "ask" });
    try {
      if (free) await keepTrying(() => api.giveBack(free.token)).catch(() => undefined); // it may have ended already
      if (free) dropDraft(free.token);
      const receipt = await keepTrying(() => api.submit(token, answersOf(draft.entries)));
      dropDraft(token);
      return receipt;
    } catch (error) {
      if (!isSignedOut(error)) return problemOf(error);
      act({ type: "refused", problem: problemOf(error) });
      return null;
    } finally {
      if (free) await look();
    }
  };

  /** Hands the session in and goes back to the platform. Again it does the same. */
  const handIn = async (session: Session): Promise<void> => {
    act({ type: "hand in" });
    try {
      await keepTrying(() => api.finish());
      act({ type: "handed in" });
    } catch (error) {
      act({ type: "kept", problem: problemOf(error) });
      if (isSignedOut(error)) act({ type: "refused", problem: problemOf(error) });
      return;
    }
    goBack(session);
  };

  /** Saves or extends behind the worker's back; only what ends the assignment is told. */
  const quietly = async (call: () => Promise<Lease>, wanted: () => boolean): Promise<void> => {
    try {
      const { seconds_left } = await keepTrying(call, wanted);
      if (wanted()) onLease(seconds_left);
    } catch (error) {
      if (isSignedOut(error)) act({ type: "refused", problem: problemOf(error) });
      else if (error instanceof Refusal && error.status === 409) act({ type: "time is up" });
    }
  };

  return {
    look,
    examples,
    submit,
    giveBack,
    sendEarlier,
    handIn,
    beat: ({ token }: Assignment, wanted: () => boolean) => quietly(() => api.beat(token), wanted),
    keep: ({ token }: Assignment, draft: () => Draft, wanted: () => boolean) =>
      quietly(() => api.keep(token, draft()), wanted),
    report: ({ token }: Assignment, report: Report) => keepTrying(() => api.report(token, report)),
  };
}
