/** What a question has shown so far. It takes no answer before the worker can have seen everything that is judged. */

import { createContext } from "preact";
import { useContext, useEffect, useLayoutEffect, useState } from "preact/hooks";
import type { PictureLoading } from "../canvas/Picture";

/** In the first milliseconds nothing answers: the second press of a double-click was meant for the question before. */
const HASTE = 250;

/** painted: loaded, decoded and drawn; none: there is no picture to wait for. */
export type PictureState = "none" | "painted" | Exclude<PictureLoading, "shown">;

export interface Sight {
  /** wait: nothing answers yet; look: a marked phrase has not been on the screen; open: answers count. */
  readonly state: "wait" | "look" | "open";
  readonly picture: PictureState;
  /** The picture is late, and the page says that answers wait for it. */
  readonly slow: boolean;
  /** The worker tried to answer although a marked phrase has not been on the screen. */
  readonly urged: boolean;
  readonly onPicture: (picture: PictureState) => void;
  /** Called with the marked phrases that have not been on the screen. */
  readonly onUnseen: (phrases: readonly Element[]) => void;
  readonly unseen: readonly Element[];
  /** Scroll to the first marked phrase that has not been on the screen; a moment later it counts as seen. */
  readonly look: () => void;
}

export const SightContext = createContext<Sight | null>(null);

/** Whether what is shown has been on the screen for so long that a press can be meant for it. */
export function useCalm(appeared = true): boolean {
  const [calm, setCalm] = useState(false);
  useLayoutEffect(() => {
    if (!appeared) return;
    let timer = 0;
    const frame = requestAnimationFrame(() => (timer = window.setTimeout(() => setCalm(true), HASTE)));
    return () => {
      cancelAnimationFrame(frame);
      clearTimeout(timer);
    };
  }, [appeared]);
  return calm;
}

/** The sight of one question. */
export function useSight(): Sight {
  const [picture, onPicture] = useState<PictureState>("none");
  const [notSeen, onUnseen] = useState<readonly Element[]>([]);
  const [shown, setShown] = useState<readonly Element[]>([]);
  const [urged, setUrged] = useState(false);
  const [late, setLate] = useState(false);
  const there = picture === "none" || picture === "painted";
  const calm = useCalm();
  // A question whose picture comes late appears with it.
  const calmAgain = useCalm(late && there);
  useEffect(() => {
    if (calm && !there) setLate(true);
  }, [calm, there]);
  const slow = !there && calm;
  const waits = !there || !calm || (late && !calmAgain);
  const unseen = notSeen.filter((phrase) => !shown.includes(phrase));
  const look = (): void => {
    const [first] = unseen;
    const lead = (): void => first?.scrollIntoView({ block: "center" });
    lead();
    setUrged(true);
    requestAnimationFrame(lead); // what is said now takes room from a caption that scrolls by itself
    // What was led to counts as seen, so that no layout can lock anybody out.
    if (first) setTimeout(() => setShown((before) => [...before, first]), HASTE);
  };
  const state = waits ? "wait" : unseen.length > 0 ? "look" : "open";
  return { state, picture, slow, urged, onPicture, onUnseen, unseen, look };
}

/** Tell the question about its picture. */
export function useSightOfPicture(loading: PictureLoading | null): void {
  const onPicture = useContext(SightContext)?.onPicture;
  useLayoutEffect(() => {
    if (!onPicture || !loading) return;
    if (loading !== "shown") return onPicture(loading);
    // The next frame draws it; when the one after begins, it has been drawn.
    let frame = requestAnimationFrame(() => (frame = requestAnimationFrame(() => onPicture("painted"))));
    return () => cancelAnimationFrame(frame);
  }, [loading]);
}

/** For a stage: tell the question about its picture. */
export function usePictureInSight(): (loading: PictureLoading) => void {
  const [loading, setLoading] = useState<PictureLoading | null>(null);
  useSightOfPicture(loading);
  return setLoading;
}
