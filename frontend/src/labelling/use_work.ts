/** Everything the labelling page runs on: the reducer, the calls, the draft, the lease, the watch. */

import { useCallback, useEffect, useLayoutEffect, useMemo, useReducer, useRef, useState } from "preact/hooks";
import type { Api } from "../api/client";
import type { Example, Offer } from "../api/types";
import { goesByItself, isHeld, isTest, isTouched, leftOut, type PageEvent, type PageState, START, step } from "./assignment";
import { type Calls, hasSeenRule, makeCalls, type PageContext } from "./calls";
import { useDraft, useUnsentDraft } from "./draft";
import { useOtherTabs } from "./other_tabs";
import { usePreferences } from "./preferences";
import { type Line, makeKeepTrying, pauseUntilOnline } from "./retry";
import { useHeartbeat, useWatch } from "./time";
import { listen } from "../ui/listen";

const LOOK_AGAIN = 30_000;

export type Work = ReturnType<typeof useWork>;

export function useWork(context: PageContext, api: Api, pause: Line["pause"] = pauseUntilOnline) {
  const [state, dispatch] = useReducer(step, START);
  const [trouble, setTrouble] = useState({ waiting: 0, message: "" });
  const [ends, setEnds] = useState<Record<string, number>>({});
  const told = useRef(0);
  const lastLease = useCallback(() => told.current, []);
  const watch = useWatch();
  const [act, calls] = useMemo(() => {
    const act = (event: PageEvent): void => dispatch({ ...event, seconds: watch.take() });
    const keepTrying = makeKeepTrying({ pause, onTrouble: (waiting, message) => setTrouble({ waiting, message }) });
    const onLease = (token: string, seconds: number): void => {
      const now = (told.current = Date.now());
      setEnds((before) => ({ ...before, [token]: now + seconds * 1000 }));
    };
    return [act, makeCalls({ context, api, keepTrying, act, onLease })] as const;
  }, [context, api]);

  const { assignment, entries, ended, handing } = state;
  const readsSoon = isTest(state) || !(context.met || hasSeenRule(context.task));
  const examples = useExamples(calls, readsSoon || state.phase === "learning");
  // The lesson is shown with its examples: a key that is pressed right after the rule is for the first of them.
  const phase = state.phase === "learning" && !examples ? "loading" : state.phase;
  const held = isHeld(state) ? assignment : null;
  useEffect(() => void calls.look(), [calls]);
  useDraft(context, held, state, calls, act);
  useHeartbeat(ended ? null : held, calls, watch, lastLease);
  useOtherTabs(held, calls.endedElsewhere);
  useLookAgain(phase === "empty" && state.problem?.code === "nothing" && !handing, calls.look);
  const earlier = useUnsentDraft(context, held, state, calls);
  const preferences = usePreferences(context.preferences, calls.prefer);
  const { send_by_itself } = preferences.now;
  useLayoutEffect(() => act({ type: "prefer", byItself: send_by_itself }), [send_by_itself]);
  const submit = (): void => void (held && calls.submit(held, entries));
  const offers = useOffers(state, calls);
  // The next task, once this one has run dry, if the worker goes on by itself and has answered something here.
  const next = phase === "empty" && (context.mixed || state.byItself) && state.earned.assignments > 0 && offers[0];
  useWhen(next, () => next && calls.open(next));
  useAhead(state, calls, !context.mixed);
  useSending(state, calls, submit);
  const asking = (call: () => Promise<void>) => (): void => {
    act({ type: "ask" });
    void call();
  };
  useWhen(goesOn(state), asking(calls.goOn));
  const handIn = (): void => void (context.session && calls.handIn(context.session));
  const { session } = state.receipt ?? {};
  useWhen(phase === "sent" && session && session.done >= session.quota, handIn);
  useWarning(((held !== null || phase === "sending") && entries.some(isTouched)) || state.outgoing !== null);

  return {
    state: { ...state, phase },
    readsSoon,
    act,
    ends: ends[assignment?.token ?? ""] ?? 0,
    trouble,
    earlier,
    examples,
    preferences,
    open: leftOut(entries),
    look: asking(calls.look),
    goOn: asking(calls.goOn),
    offers,
    openTask: calls.open,
    submit,
    giveBack: () => void (held && calls.giveBack(held)),
    handIn,
    report: calls.report,
    mail: api,
  };
}

/** Act as soon as something holds, and again when another thing does. */
function useWhen(what: unknown, act: () => void): void {
  useEffect(() => {
    if (what) act();
  }, [what]);
}

/** Whether the page asks for the next assignment after one that went out by itself: not where the worker has to read or choose something. */
function goesOn({ phase, receipt, byItself }: PageState): boolean {
  if (phase !== "sent" || !byItself || !receipt || receipt.test || receipt.message || receipt.too_late > 0) return false;
  return !receipt.session || receipt.session.done < receipt.session.least;
}

/** What is open to the worker between assignments, the next task first. Empty until it is known. */
function useOffers({ phase, problem, receipt }: PageState, calls: Calls): Offer[] {
  const [offers, setOffers] = useState<Offer[]>([]);
  const between = phase === "sent" || phase === "empty" || phase === "error";
  useEffect(() => {
    setOffers([]);
    if (between) void calls.offers().then(setOffers);
  }, [between, problem, receipt]);
  return offers;
}

/** While there is nothing to do, ask for work again every LOOK_AGAIN milliseconds, and when the page is looked at again. */
function useLookAgain(idle: boolean, look: () => Promise<void>): void {
  useEffect(() => {
    if (!idle) return;
    let asking = false;
    const again = (): void => {
      if (asking || document.hidden) return;
      asking = true;
      void look().then(() => (asking = false));
    };
    const timer = setInterval(again, LOOK_AGAIN);
    const stop = listen(document, { visibilitychange: again });
    return () => {
      clearInterval(timer);
      stop();
    };
  }, [idle, look]);
}

/** Let the browser ask before the worker leaves the page with unsent answers. */
function useWarning(unsent: boolean): void {
  useLayoutEffect(() => {
    if (unsent) return listen(window, { beforeunload: (event: Event) => event.preventDefault() });
  }, [unsent]);
}

/** How long a finished assignment can be taken back, in milliseconds. */
export const WAY_BACK = 5000;

/** Ask for the next assignment once only one question is open, if the worker is known to go on: see `isGoingOn`. */
function useAhead(state: PageState, calls: Calls, sameTask: boolean): void {
  const { assignment, next, phase, ended, entries, outgoing } = state;
  const token = assignment?.token ?? "";
  const wanted = sameTask && phase === "asking" && !ended && !outgoing && !isTest(state) && leftOut(entries) <= 1 && isGoingOn(state);
  useWhen(wanted && token, () => void (assignment && !next && calls.lookAhead(assignment)));
  const unbegun = next && !next.kept ? next : null;
  useEffect(() => {
    if (unbegun) return listen(window, { pagehide: () => calls.dropNext(token, unbegun) });
  }, [unbegun, token]);
}

/** Whether the worker asked for the next assignment before, by the setting or by going on after an earlier one. */
const isGoingOn = ({ byItself, earned }: PageState): boolean => byItself || earned.assignments > 0;

/** Send the finished assignment after WAY_BACK, or at once when the page is hidden. */
function useSending(state: PageState, calls: Calls, submit: () => void): void {
  const { outgoing, assignment, phase, problem } = state;
  const waiting = outgoing && !outgoing.sending ? outgoing : null;
  const inView = assignment?.token ?? "";
  useLater(waiting?.assignment.token, () => waiting && void calls.sendAway(waiting, inView));
  const finished = phase === "summary" && !problem && goesByItself(state);
  useLater(finished ? inView : undefined, submit);
}

function useLater(what: string | undefined, act: () => void): void {
  useEffect(() => {
    if (what === undefined) return;
    const timer = setTimeout(act, WAY_BACK);
    const stop = listen(document, { visibilitychange: () => document.hidden && act() });
    return () => {
      clearTimeout(timer);
      stop();
    };
  }, [what]);
}

/** The project's examples: null while they are not loaded, empty where it has none. They are loaded once they are wanted. */
function useExamples(calls: Calls, wanted: boolean): Example[] | null {
  const [own, setOwn] = useState<Example[] | null>(null);
  useWhen(wanted, () => void (own ?? calls.examples().then(setOwn)));
  return own;
}
