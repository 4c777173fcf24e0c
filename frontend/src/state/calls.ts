/** The page's calls to the server, and the event that follows each response. */

import { Refusal, type Api } from "../api/client";
import type { Assignment, Example, Lease, Receipt, Report, Task } from "../api/types";
import { answersOf, type Entry, type PageEvent, type Problem } from "./assignment";
import { dropDraft, newest, readDraft, type Draft, type Kept } from "./draft";
import type { KeepTrying } from "./send";
import { goBack, type Session } from "./session";

export interface PageContext {
  project: string;
  title: string;
  task: Task;
  /** The worker's own page; "" on a platform, where there is none. */
  home: string;
  /** The right answers needed to pass the qualification test; 0: there is no test. */
  needed: number;
  /** null: the worker did not come from a platform. */
  session: Session | null;
}

export interface Desk {
  context: PageContext;
  api: Api;
  keepTrying: KeepTrying;
  act: (event: PageEvent) => void;
  /** Called with the seconds that the lease runs from now on. */
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

export function makeCalls({ context, api, keepTrying, act, onLease }: Desk) {
  const begin = (assignment: Assignment): void => {
    const drafts = [readDraft(assignment.token), assignment.draft];
    onLease(assignment.seconds_left);
    act({ type: "assigned", assignment, kept: newest(drafts, assignment.questions.length) });
  };

  /** Asks for work. */
  const look = async (): Promise<void> => {
    try {
      const { assignment, message } = await keepTrying(() => api.ask(context.project, context.task));
      if (assignment) begin(assignment);
      else act({ type: "nothing", problem: { code: "nothing", message } });
    } catch (error) {
      act({ type: "refused", problem: problemOf(error) });
    }
  };

  /** The examples; none if the call fails: workers can answer without them. */
  const examples = async (): Promise<Example[]> => {
    try {
      return await keepTrying(() => api.examples(context.project, context.task));
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
   * Send the unsent answers of an earlier assignment. Returns the receipt, or why the server refused them.
   * `free`: the current assignment, if the worker has not begun it. It may contain the same questions, and then the
   * earlier answers would come too late. So it is returned first, and the page asks for work again afterwards.
   */
  const sendEarlier = async ({ token, draft }: Kept, free: Assignment | null): Promise<Receipt | Problem | null> => {
    if (free) act({ type: "ask" });
    try {
      if (free) await keepTrying(() => api.giveBack(free.token)).catch(() => undefined); // it may already have ended
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

  /** Hand the session in and go back to the platform. Repeating this is safe. */
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

  /** Save the draft or extend the lease in the background. Only the end of the assignment becomes an event. */
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
