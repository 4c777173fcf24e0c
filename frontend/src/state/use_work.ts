/** Everything the labelling page runs on: the reducer, the calls, the draft, the lease, the watch. */

import { useEffect, useLayoutEffect, useMemo, useReducer, useState } from "preact/hooks";
import type { Api } from "../api/client";
import type { Receipt } from "../api/types";
import { isHeld, isTouched, leftOut, START, step, type PageEvent } from "./assignment";
import { makeCalls, type PageContext } from "./calls";
import { makeKeepTrying, pauseUntilOnline, type Line } from "./send";
import { useDraft } from "./use_draft";
import { useEarlier } from "./use_earlier";
import { useExamples } from "./use_examples";
import { useHeartbeat } from "./use_heartbeat";
import { useWatch } from "./use_watch";

const LOOK_AGAIN = 30_000;

interface Trouble {
  waiting: number;
  message: string;
}

export type Work = ReturnType<typeof useWork>;

export function useWork(context: PageContext, api: Api, pause: Line["pause"] = pauseUntilOnline) {
  const [state, dispatch] = useReducer(step, START);
  const [trouble, setTrouble] = useState<Trouble>({ waiting: 0, message: "" });
  const [ends, setEnds] = useState(0);
  const watch = useWatch();
  const [act, calls] = useMemo(() => {
    const act = (event: PageEvent): void => dispatch({ ...event, seconds: watch.take() });
    const keepTrying = makeKeepTrying({ pause, onTrouble: (waiting, message) => setTrouble({ waiting, message }) });
    const onLease = (seconds: number): void => setEnds(Date.now() + seconds * 1000);
    return [act, makeCalls({ context, api, keepTrying, act, onLease })] as const;
  }, [context, api]);

  const { assignment, entries, phase, ended, handing } = state;
  const held = isHeld(state) ? assignment : null;
  useEffect(() => void calls.look(), [calls]);
  useDraft(context, held, state, calls, act);
  useHeartbeat(ended ? null : held, calls, watch);
  useLookAgain(phase === "empty" && state.problem?.code === "nothing" && !handing, calls.look);
  const earlier = useEarlier(context, held, state, calls);
  const examples = useExamples(calls, phase === "learning");
  const handIn = (): void => void (context.session && calls.handIn(context.session));
  const isFull = phase === "sent" && isAtItsEnd(state.receipt?.session);
  useEffect(() => {
    if (isFull) handIn();
  }, [isFull]);
  useWarning((held !== null || phase === "sending") && entries.some(isTouched));

  return {
    state,
    act,
    ends,
    trouble,
    earlier,
    examples,
    open: leftOut(entries),
    look: () => {
      act({ type: "ask" });
      void calls.look();
    },
    submit: () => void (held && calls.submit(held, entries)),
    giveBack: () => void (held && calls.giveBack(held)),
    handIn,
    report: calls.report,
  };
}

/** Whether the session has had all its assignments: then the page hands it in. */
const isAtItsEnd = (session: Receipt["session"] | undefined): boolean => !!session && session.done >= session.quota;

/** While there is nothing to do, ask for work again every LOOK_AGAIN milliseconds if the page is visible. */
function useLookAgain(idle: boolean, look: () => Promise<void>): void {
  useEffect(() => {
    if (!idle) return;
    let busy = false;
    const again = async (): Promise<void> => {
      if (busy || document.hidden) return;
      busy = true;
      await look();
      busy = false;
    };
    const timer = setInterval(() => void again(), LOOK_AGAIN);
    return () => clearInterval(timer);
  }, [idle, look]);
}

/** Let the browser ask before the worker leaves the page with unsent answers. */
function useWarning(unsent: boolean): void {
  useLayoutEffect(() => {
    if (!unsent) return;
    const warn = (event: Event): void => event.preventDefault();
    window.addEventListener("beforeunload", warn);
    return () => window.removeEventListener("beforeunload", warn);
  }, [unsent]);
}
