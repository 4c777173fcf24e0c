/** The part of the image that a stage shows. It survives changes of the stage's size. */

import type { RefObject } from "preact";
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Box, Size } from "./geometry/box";
import { clampView, fit, resized, scaleOf, type Seen, type StageSizes, type View, zoomOf } from "./geometry/viewport";
import type { Picture } from "./Picture";

export interface Viewport extends Seen {
  /** Whether the stage's size is known yet. */
  readonly measured: boolean;
  /** Whether the worker has changed the view. */
  readonly moved: boolean;
  readonly frame: StageSizes;
  readonly zoom: number;
  /** Changes the view by a function, so that two changes before the next render both count. */
  readonly look: (change: (view: View, frame: StageSizes) => View) => void;
}

interface Looking {
  readonly measured: boolean;
  readonly moved: boolean;
  readonly frame: StageSizes;
  readonly view: View;
}

/** The size of the stage; that of the image while the stage is not laid out. */
function sizeOf(stage: Element | null, image: Size): Size {
  const { width = 0, height = 0 } = stage?.getBoundingClientRect() ?? {};
  return width && height ? { width, height } : image;
}

const unmeasured = (frame: StageSizes): Looking => ({ measured: false, moved: false, frame, view: fit(frame) });
const isSame = (a: Size, b: Size): boolean => a.width === b.width && a.height === b.height;

/** `first`: the view once the size of the stage is known. */
export function useViewport(
  stage: RefObject<SVGSVGElement | null>,
  image: Size,
  first: (frame: StageSizes) => View,
): Viewport {
  const [{ measured, moved, frame, view }, set] = useState<Looking>(() => unmeasured({ image, stage: image }));
  const firstRef = useRef(first);
  firstRef.current = first;

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
      const size = sizeOf(stage.current, image);
      const keep = (now: Looking): Looking => {
        if (isSame(now.frame.stage, size)) return now;
        const frame = { image, stage: size };
        return { ...now, frame, view: resized(now.view, now.frame, frame) };
      };
      set(keep);
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
