/** Pointers on the stage: one uses the tool or moves the picture, two zoom and move it. */

import type { RefObject } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { Point } from "./geometry/box";
import { pan, type View, zoomBy } from "./geometry/viewport";
import { listen } from "../ui/listen";
import type { Viewport } from "./useViewport";

/** What a single pointer does. Points are in image pixels. */
export interface PointerTool {
  readonly cursor: string;
  begin(at: Point, event: PointerEvent): void;
  drag(at: Point): void;
  end(): void;
  /** The drag has become another gesture: undo it. */
  cancel(): void;
  /** A pointer that is not pressed; null: it has left. */
  hover(at: Point | null, event: PointerEvent): void;
}

type Doing = "nothing" | "tool" | "pan" | "pinch";
const MIDDLE = 1;

/** The position of a pointer in image pixels, in any layout of the page. */
function imagePoint(svg: SVGSVGElement, event: MouseEvent): Point {
  const inverse = svg.getScreenCTM()?.inverse();
  if (!inverse) return [0, 0];
  const { a, b, c, d, e, f } = inverse;
  return [a * event.clientX + c * event.clientY + e, b * event.clientX + d * event.clientY + f];
}

/** The position of a screen point on the stage, as a fraction of its width and height. */
function fraction(svg: SVGSVGElement, [x, y]: Point): Point {
  const { left, top, width, height } = svg.getBoundingClientRect();
  return [(x - left) / (width || 1), (y - top) / (height || 1)];
}

/** The zoom factor of a turn of the wheel. A pinch on a trackpad arrives as a wheel event with the control key. */
function wheelFactor({ deltaY, deltaMode, ctrlKey }: WheelEvent): number {
  const pixels = deltaMode === WheelEvent.DOM_DELTA_LINE ? deltaY * 33 : deltaY;
  return Math.exp(-Math.max(-200, Math.min(200, pixels)) * (ctrlKey ? 0.01 : 0.002));
}

interface Pointers {
  readonly at: Map<number, Point>;
  doing: Doing;
}

/** The middle of the pointers and the distance of the first two, in screen pixels. */
function spread({ at }: Pointers): { middle: Point; apart: number } {
  const [a = [0, 0], b = a] = [...at.values()];
  return { middle: [(a[0] + b[0]) / 2, (a[1] + b[1]) / 2], apart: Math.hypot(a[0] - b[0], a[1] - b[1]) };
}

/** The change of view between two positions of the pointers. */
function follow(svg: SVGSVGElement, before: ReturnType<typeof spread>, after: ReturnType<typeof spread>) {
  const at = fraction(svg, before.middle);
  const factor = before.apart && after.apart ? after.apart / before.apart : 1;
  const [dx, dy] = [after.middle[0] - before.middle[0], after.middle[1] - before.middle[1]];
  return (view: View, frame: Viewport["frame"]): View => pan(zoomBy(view, frame, factor, at), frame, dx, dy);
}

/** The handlers of a stage's pointer events. */
export function useGestures(stage: RefObject<SVGSVGElement | null>, viewport: Viewport, tool: PointerTool | null, hand: boolean) {
  const pointers = useRef<Pointers>({ at: new Map(), doing: "nothing" }).current;
  useWheel(stage, viewport);

  const finish = (event: PointerEvent, leave: (tool: PointerTool) => void): void => {
    if (!pointers.at.delete(event.pointerId)) return;
    if (pointers.doing === "tool" && tool) leave(tool);
    // The finger that remains after a pinch does nothing.
    pointers.doing = "nothing";
  };

  return {
    onPointerDown(event: PointerEvent & { currentTarget: SVGSVGElement }): void {
      if (event.button > MIDDLE || pointers.at.size > 1) return;
      event.currentTarget.setPointerCapture(event.pointerId);
      pointers.at.set(event.pointerId, [event.clientX, event.clientY]);
      if (pointers.at.size === 2) {
        if (pointers.doing === "tool") tool?.cancel();
        pointers.doing = "pinch";
      } else if (tool && !hand && event.button !== MIDDLE) {
        pointers.doing = "tool";
        tool.begin(imagePoint(event.currentTarget, event), event);
      } else pointers.doing = "pan";
    },
    onPointerMove(event: PointerEvent & { currentTarget: SVGSVGElement }): void {
      const svg = event.currentTarget;
      if (!pointers.at.has(event.pointerId)) return tool?.hover(hand ? null : imagePoint(svg, event), event);
      const before = spread(pointers);
      pointers.at.set(event.pointerId, [event.clientX, event.clientY]);
      if (pointers.doing === "tool") tool?.drag(imagePoint(svg, event));
      else if (pointers.doing === "pan" || pointers.at.size === 2)
        viewport.look(follow(svg, before, spread(pointers)));
    },
    onPointerUp(event: PointerEvent & { currentTarget: SVGSVGElement }): void {
      if (pointers.doing === "tool" && pointers.at.has(event.pointerId))
        tool?.drag(imagePoint(event.currentTarget, event));
      finish(event, (tool) => tool.end());
    },
    onPointerCancel: (event: PointerEvent): void => finish(event, (tool) => tool.cancel()),
    onPointerLeave: (event: PointerEvent): void => tool?.hover(null, event),
    // Otherwise the middle button starts the browser's own scrolling.
    onMouseDown: (event: MouseEvent): void => {
      if (event.button === MIDDLE) event.preventDefault();
    },
  };
}

/** Zoom about the pointer by the wheel. Not a JSX handler: a listener that stops scrolling must not be passive. */
function useWheel(stage: RefObject<SVGSVGElement | null>, viewport: Viewport): void {
  const now = useRef(viewport);
  now.current = viewport;
  useEffect(() => {
    const svg = stage.current;
    if (!svg) return;
    const wheel = (event: WheelEvent): void => {
      // While the whole picture is visible, the wheel scrolls the page.
      if (event.deltaY > 0 && !event.ctrlKey && now.current.zoom < 1.001) return;
      event.preventDefault();
      const at = fraction(svg, [event.clientX, event.clientY]);
      now.current.look((view, frame) => zoomBy(view, frame, wheelFactor(event), at));
    };
    const twoFingers = (event: TouchEvent): void => {
      if (event.touches.length > 1 && event.cancelable) event.preventDefault();
    };
    return listen(svg, { wheel, touchmove: twoFingers }, { passive: false });
  }, []);
}
