/** The part of the image that a stage shows. It survives changes of the stage's size. */

import type { RefObject } from "preact";
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Box, Size } from "./geometry/box";
import {
  clampView,
  fit,
  pan,
  resized,
  scaleOf,
  type StageSizes,
  type View,
  zoomBy,
  zoomOf,
  zoomTo,
} from "./geometry/viewport";
import type { Picture } from "./Picture";
import { ARROWS, NEAR, ZOOM } from "../keyboard/commands";
import { mayAct } from "../keyboard/listener";
import { useCommands } from "../keyboard/controls";
import { listen } from "../ui/listen";

interface Looking {
  /** Whether the stage's size is known yet. */
  readonly measured: boolean;
  /** Whether the worker has changed the view. */
  readonly moved: boolean;
  readonly frame: StageSizes;
  readonly view: View;
}

export type Viewport = ReturnType<typeof useViewport>;

/** The size of the stage; that of the image while the stage is not laid out. */
function sizeOf(stage: Element | null, image: Size): Size {
  const { width = 0, height = 0 } = stage?.getBoundingClientRect() ?? {};
  return width && height ? { width, height } : image;
}

/** `first`: the view once the size of the stage is known. */
export function useViewport(stage: RefObject<SVGSVGElement | null>, image: Size, first: (frame: StageSizes) => View) {
  const [{ measured, moved, frame, view }, set] = useState<Looking>(() => {
    const frame = { image, stage: image };
    return { measured: false, moved: false, frame, view: fit(frame) };
  });
  const firstRef = useRef(first);
  firstRef.current = first;

  /** Changes the view by a function, so that two changes before the next render both count. */
  const look = useCallback(
    (change: (view: View, frame: StageSizes) => View) =>
      set((now) => ({ ...now, moved: true, view: clampView(change(now.view, now.frame), now.frame) })),
    [],
  );

  useLayoutEffect(() => {
    const frame = { image, stage: sizeOf(stage.current, image) };
    set({ measured: true, moved: false, frame, view: firstRef.current(frame) });
  }, [image.width, image.height]);

  useEffect(() => {
    if (!stage.current || typeof ResizeObserver === "undefined") return;
    const observer = new ResizeObserver(() => {
      const frame = { image, stage: sizeOf(stage.current, image) };
      const isSame = (now: Size): boolean => now.width === frame.stage.width && now.height === frame.stage.height;
      set((now) => (isSame(now.frame.stage) ? now : { ...now, frame, view: resized(now.view, now.frame, frame) }));
    });
    observer.observe(stage.current);
    return () => observer.disconnect();
  }, [image.width, image.height]);

  return { measured, moved, frame, view, zoom: zoomOf(view, frame), scale: scaleOf(view, frame), look };
}

let last: { readonly url: string; readonly view: View; readonly frame: StageSizes } | null = null;

export const keepView = ({ url }: Picture, view: View, frame: StageSizes): void => void (last = { url, view, frame });

const shows = ({ x, y, width, height }: View, [x0, y0, x1, y1]: Box): boolean =>
  x0 >= x && y0 >= y && x1 <= x + width && y1 <= y + height;

/** Where the worker left the picture zoomed in, if all of the box that the question is about shows there; else all of it. */
export function lastView({ url }: Picture, frame: StageSizes, near: Box | null): View {
  if (last?.url !== url || zoomOf(last.view, last.frame) <= 1.001) return fit(frame);
  const view = resized(last.view, last.frame, frame);
  return near && !shows(view, near) ? fit(frame) : view;
}

/** For tests: as in a new page. */
export const forgetView = (): void => void (last = null);

const STEP = 1.5;
const PUSH = 60;

/** Keys and buttons to look around. `near`: the box to which z zooms. `stage`: arrow keys move the zoomed picture while this element has the focus. */
export function useZoom({ look, zoom }: Viewport, near: Box | null, stage: { current: Element | null }) {
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
    return listen(window, { keydown: down, keyup: up, blur: up, pointerdown: used });
  }, []);
  return hand;
}

const page = document.documentElement;
const isFull = (): boolean => page.classList.contains("full");

/** Whether the layout is full, and a function that turns it on and off. It stays for the next questions. */
export function useFull() {
  const [full, setFull] = useState(isFull);
  const set = (on: boolean): void => {
    page.classList.toggle("full", on);
    setFull(on);
  };
  useEffect(() => listen(document, { fullscreenchange: () => !document.fullscreenElement && set(false) }), []);
  const toggle = (): void => {
    set(!isFull());
    // A browser may refuse, for one in a platform's frame: the layout fills the frame all the same.
    if (isFull()) void page.requestFullscreen?.().catch(() => undefined);
    else if (document.fullscreenElement) void document.exitFullscreen();
  };
  return [full, toggle] as const;
}
