/** The page's calls to the server, and the event that follows each response. */

import { type Api, Refusal, Unreachable } from "../api/client";
import type { Assignment, Example, Lease, Offer, Preferences, Receipt, Report, Task } from "../api/types";
import type { DrawBy } from "../canvas/useBoxEditor";
import { type Ended, type Entry, type Outgoing, type PageEvent, type Problem, repliesOf, type Started } from "./assignment";
import { type Draft, dropDraft, type KeptDraft, newest, readDraft } from "./draft";
import { tellOtherTabs } from "./other_tabs";
import type { Change } from "./preferences";
import type { KeepTrying } from "./retry";
import { goBack, goTo, type Session } from "./session";
import { stored } from "../storage";
import { t } from "../t";
import { faultInWords } from "../ui/Boundary";

export interface PageContext {
  project: string;
  title: string;
  task: Task;
  /** The worker's own page; "" on a platform, where there is none. */
  home: string;
  /** The right answers needed to pass the qualification test; 0: there is no test. */
  needed: number;
  /** Whether the worker has submitted answers to this task before. */
  met: boolean;
  /** Whether the worker does all tasks in turn, one assignment of each. */
  mixed?: boolean;
  /** null: the worker did not come from a platform. */
  session: Session | null;
  /** The worker's preferences; without any, the defaults. */
  preferences?: Preferences;
  /** The project's way of drawing. */
  drawBy?: DrawBy;
}

interface Desk {
  context: PageContext;
  api: Api;
  keepTrying: KeepTrying;
  act: (event: PageEvent) => void;
  /** Called with the seconds that the lease of this assignment runs from now on. */
  onLease: (token: string, seconds: number) => void;
}

const RETURNED = {
  work: { code: "returned", message: t("Other people can answer these questions now.") },
  test: { code: "left", message: t("You can take the test another time.") },
};

/** What went wrong, for the page to say: the server's refusal, or a mistake of the page. */
function problemOf(error: unknown): Problem {
  if (error instanceof Refusal) return { code: error.code, message: error.message };
  console.error(error);
  return { code: "mistake", message: faultInWords(error) };
}

const isSignedOut = (error: unknown): boolean => error instanceof Refusal && error.status === 401;

export type Calls = ReturnType<typeof makeCalls>;

export function makeCalls({ context, api, keepTrying, act, onLease }: Desk) {
  const { project, task, home, mixed, met } = context;
  /** Someone who is signed out can do nothing else first. */
  const failed = (error: unknown, otherwise: "refused" | "unsent" | "came back" = "refused"): void =>
    act({ type: isSignedOut(error) ? "refused" : otherwise, problem: problemOf(error) });
  /** Returns whether all went well; what goes wrong becomes an event. */
  const tryTo = async (steps: () => Promise<void>, otherwise?: "unsent" | "came back"): Promise<boolean> => {
    try {
      await steps();
      return true;
    } catch (error) {
      failed(error, otherwise);
      return false;
    }
  };
  /** What a call returns; `otherwise` if the server refused it. */
  const tried = <T, Otherwise>(call: () => Promise<T>, otherwise: Otherwise): Promise<T | Otherwise> =>
    keepTrying(call).catch((error: unknown) => {
      if (isSignedOut(error)) failed(error);
      return otherwise;
    });
  const ask = () => keepTrying(() => api.ask(project, task));
  const send = async (token: string, entries: readonly Entry[]): Promise<Receipt> => {
    const receipt = await keepTrying(() => api.submit(token, repliesOf(entries)));
    dropDraft(token);
    return receipt;
  };
  const started = (assignment: Assignment): Started => {
    const drafts = [readDraft(assignment.token), assignment.draft];
    onLease(assignment.token, assignment.seconds_left);
    return { assignment, kept: newest(drafts, assignment.questions.length) };
  };
  const begin = (assignment: Assignment): void => act({ type: "assigned", ...started(assignment), isNew: !met && !hasSeenRule(task) });

  /** Asks for work. */
  const look = async (): Promise<void> =>
    void (await tryTo(async () => {
      const { assignment, message } = await ask();
      if (assignment) begin(assignment);
      else act({ type: "nothing", problem: { code: "nothing", message } });
    }));

  /** The tasks that come after this one; none if the call fails, or on a platform, whose session has one task. */
  const offers = async (): Promise<Offer[]> => (home ? await api.offers(project, task).catch(() => []) : []);

  const open = ({ task: next }: Offer): void => goTo(`${home}${next}/${mixed ? "?mixed=on" : ""}`);

  /** Go on after an assignment: with the next of all tasks, or with this one. */
  const goOn = async (): Promise<void> => {
    const [next] = mixed ? await offers() : [];
    if (next && next.task !== task) open(next);
    else await look();
  };

  /** Ask for the assignment after this one. If that fails, nothing is lost: the page asks again after this one. */
  const lookAhead = async ({ token }: Assignment): Promise<void> => {
    try {
      const { assignment } = await api.ask(project, task, token);
      act({ type: "ahead", of: token, next: assignment && started(assignment) });
    } catch (error) {
      if (!(error instanceof Unreachable)) problemOf(error);
    }
  };

  /** Give back what the worker has not begun; the page goes away. */
  const dropNext = (of: string, { assignment: { token } }: Started): void => {
    act({ type: "ahead", of, next: null });
    api.giveBack(token, true).catch(() => undefined); // it ends by itself soon
  };

  /** Send what goes out by itself. Then the server says whether the assignment in view is the worker's. */
  const sendAway = async ({ assignment: { token }, entries }: Outgoing, inView: string): Promise<void> => {
    act({ type: "go out" });
    if (!(await tryTo(async () => act({ type: "gone", receipt: await send(token, entries) }), "came back"))) return;
    await tryTo(async () => {
      const { assignment } = await ask();
      if (assignment?.token === inView) onLease(inView, assignment.seconds_left);
      else if (assignment) begin(assignment);
    });
  };

  /** The examples; none if the call fails: workers can answer without them. */
  const examples = (): Promise<Example[]> => tried(() => api.examples(project, task), []);

  const submit = async ({ token }: Assignment, entries: readonly Entry[]): Promise<void> => {
    act({ type: "send" });
    const steps = async (): Promise<void> => {
      act({ type: "stored", receipt: await send(token, entries) });
      tellOtherTabs({ token, how: "submitted" });
    };
    await tryTo(steps, "unsent");
  };

  const giveBack = ({ token, kind }: Assignment): Promise<boolean> => {
    const steps = async (): Promise<void> => {
      await keepTrying(() => api.giveBack(token));
      dropDraft(token);
      act({ type: "nothing", problem: RETURNED[kind] });
      tellOtherTabs({ token, how: "returned" });
    };
    return tryTo(steps, "unsent");
  };

  /**
   * Send the unsent answers of an earlier assignment. Returns the receipt, or why the server refused them.
   * `free`: the current assignment, if the worker has not begun it. It may contain the same questions, and then the
   * earlier answers would come too late. So it is returned first, and the page asks for work again afterwards.
   */
  const sendEarlier = async ({ token, draft }: KeptDraft, free: Assignment | null): Promise<Receipt | Problem | null> => {
    if (free) act({ type: "ask" });
    try {
      if (free) await keepTrying(() => api.giveBack(free.token)).catch(() => undefined); // it may already have ended
      if (free) dropDraft(free.token);
      return await send(token, draft.entries);
    } catch (error) {
      if (!isSignedOut(error)) return problemOf(error);
      failed(error);
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
      if (isSignedOut(error)) failed(error);
      return;
    }
    goBack(session);
  };

  /** Another tab or device has ended the assignment. Its draft cannot be sent any more. */
  const endedElsewhere = (ended: Ended): void => {
    dropDraft(ended.token);
    act({ type: "ended elsewhere", ...ended });
  };

  /** Store preferences. Returns null if the server refused them. */
  const prefer = (change: Change): Promise<Preferences | null> => tried(() => api.prefer(change), null);

  /** Save the draft or extend the lease in the background. Only the end of the assignment becomes an event. */
  const quietly = async (token: string, call: () => Promise<Lease>, wanted: () => boolean): Promise<void> => {
    try {
      const { seconds_left, state } = await keepTrying(call, wanted);
      if (!wanted()) return;
      if (state === "submitted" || state === "returned") endedElsewhere({ token, how: state });
      else onLease(token, seconds_left);
    } catch (error) {
      if (isSignedOut(error)) failed(error);
      else if (error instanceof Refusal && error.status === 409) act({ type: "time is up" });
    }
  };

  const beat = ({ token }: Assignment, wanted: () => boolean) => quietly(token, () => api.beat(token), wanted);
  const keep = ({ token }: Assignment, draft: () => Draft, wanted: () => boolean) => quietly(token, () => api.keep(token, draft()), wanted);
  const report = ({ token }: Assignment, body: Report) => keepTrying(() => api.report(token, body));
  return { look, offers, open, goOn, lookAhead, dropNext, sendAway, examples, submit, giveBack, sendEarlier, handIn, endedElsewhere, prefer, beat, keep, report };
}

/** Where storage is forbidden: the tasks met since the page was loaded. */
const seenRules = new Set<string>();

/** Browsers have kept this name since a tour of the page came first. */
const name = (task: Task): string => `chainbox tour ${task}`;

export const hasSeenRule = (task: Task): boolean => stored((storage) => storage.getItem(name(task)) !== null, seenRules.has(task));

export function rememberRule(task: Task): void {
  const keep = (storage: Storage): true => (storage.setItem(name(task), "seen"), true);
  if (!stored(keep, false)) seenRules.add(task);
}
