/** The part of the image that a stage shows. It survives changes of the stage's size. */

import type { RefObject } from "preact";
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Size } from "../geometry/box";
import { clampView, fit, type Frame, resized, scaleOf, type View, zoomOf } from "../geometry/viewport";

export interface Seen {
  readonly view: View;
  /** Screen pixels per image pixel. */
  readonly scale: number;
}

export interface Viewport extends Seen {
  /** Whether the stage's size is known yet. */
  readonly measured: boolean;
  /** Whether the worker has changed the view. */
  readonly moved: boolean;
  readonly frame: Frame;
  readonly zoom: number;
  /** Changes the view by a function, so that two changes before the next render both count. */
  readonly look: (change: (view: View, frame: Frame) => View) => void;
}

interface Looking {
  readonly measured: boolean;
  readonly moved: boolean;
  readonly frame: Frame;
  readonly view: View;
}

/** The size of the stage; that of the image while the stage is not laid out. */
function sizeOf(stage: Element | null, image: Size): Size {
  const { width = 0, height = 0 } = stage?.getBoundingClientRect() ?? {};
  return width && height ? { width, height } : image;
}

const unmeasured = (frame: Frame): Looking => ({ measured: false, moved: false, frame, view: fit(frame) });
const isSame = (a: Size, b: Size): boolean => a.width === b.width && a.height === b.height;

/** `first`: the view once the size of the stage is known. */
export function useViewport(
  stage: RefObject<SVGSVGElement | null>,
  image: Size,
  first: (frame: Frame) => View,
): Viewport {
  const [{ measured, moved, frame, view }, set] = useState<Looking>(() => unmeasured({ image, stage: image }));
  const firstRef = useRef(first);
  firstRef.current = first;

  const look = useCallback(
    (change: (view: View, frame: Frame) => View) =>
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
