/** Keys and buttons to look around: zoom, the whole picture, zoom to a box, full screen. */

import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Box } from "./geometry/box";
import { fit, pan, zoomBy, zoomTo } from "./geometry/viewport";
import { ARROWS, NEAR, ZOOM } from "../keyboard/commands";
import { mayAct } from "../keyboard/listener";
import { useCommands } from "../keyboard/useCommands";
import { listen } from "../ui/listen";
import type { Viewport } from "./useViewport";

const STEP = 1.5;
const PUSH = 60;

export interface Looking {
  readonly nearer: () => void;
  readonly farther: () => void;
  readonly fitAll: () => void;
  readonly toggleNear: () => void;
}

/** `near`: the box to which z zooms. `stage`: arrow keys move the zoomed picture while this element has the focus. */
export function useZoom({ look, zoom }: Viewport, near: Box | null, stage: { current: Element | null }): Looking {
  const nearer = (): void => look((view, frame) => zoomBy(view, frame, STEP));
  const farther = (): void => look((view, frame) => zoomBy(view, frame, 1 / STEP));
  const fitAll = (): void => look((_, frame) => fit(frame));
  const isWhole = zoom < 1.001;
  const toggleNear = (): void => (near && isWhole ? look((_, frame) => zoomTo(near, frame)) : fitAll());
  // Arrow keys belong to the page, unless the worker looks around inside the picture.
  const push = (event: KeyboardEvent): unknown => {
    const [right = 0, down = 0] = ARROWS[event.key] ?? [];
    return !isWhole && event.target === stage.current && look((view, frame) => pan(view, frame, -right * PUSH, -down * PUSH));
  };
  useCommands(ZOOM, { nearer, farther, whole: fitAll, push }, "picture");
  useCommands(NEAR, near ? { near: toggleNear } : {}, "picture");
  return { nearer, farther, fitAll, toggleNear };
}

/** The space bar held for longer than this, in milliseconds, was not just pressed. */
const TAP = 500;

/** Whether the space bar is held: then every drag moves the picture. `onTap`: it was pressed and did not move it. */
export function useSpacePan(onTap?: () => void): boolean {
  const [hand, setHand] = useState(false);
  const tap = useRef(onTap);
  tap.current = onTap;
  // Not `useEffect`: of a question that is answered before it was painted, that can leave a listener behind.
  useLayoutEffect(() => {
    let since = -Infinity;
    const down = (event: KeyboardEvent): void => {
      if (event.key !== " " || !mayAct(event, " ", ZOOM.hold, "picture", true)) return;
      event.preventDefault();
      if (!event.repeat) since = performance.now();
      setHand(true);
    };
    const used = (): void => void (since = -Infinity);
    const up = (event: Event): void => {
      const isKey = event instanceof KeyboardEvent;
      if (isKey && event.key !== " ") return;
      setHand(false);
      if (isKey && performance.now() - since < TAP) tap.current?.();
      used();
    };
    const events = [["keydown", down], ["keyup", up], ["blur", up], ["pointerdown", used]] as const;
    const stops = events.map(([name, listener]) => listen(window, name, listener as EventListener));
    return () => stops.forEach((stop) => stop());
  }, []);
  return hand;
}

const page = document.documentElement;
const isFull = (): boolean => page.classList.contains("full");

/** Whether the layout is full, and a function that turns it on and off. It stays for the next questions. */
export function useFull(): [boolean, () => void] {
  const [full, setFull] = useState(isFull);
  const set = (on: boolean): void => {
    page.classList.toggle("full", on);
    setFull(on);
  };
  useEffect(() => {
    const leave = (): void => {
      if (!document.fullscreenElement) set(false);
    };
    return listen(document, "fullscreenchange", leave);
  }, []);
  const toggle = (): void => {
    set(!isFull());
    // A browser may refuse, for one in a platform's frame: the layout fills the frame all the same.
    if (isFull()) void page.requestFullscreen?.().catch(() => undefined);
    else if (document.fullscreenElement) void document.exitFullscreen();
  };
  return [full, toggle];
}
