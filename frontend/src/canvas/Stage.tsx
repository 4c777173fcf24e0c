/** A picture that can be zoomed, with boxes on it and an optional tool. */

import "./canvas.css";
import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";
import type { Picture } from "../api/types";
import type { Box } from "../geometry/box";
import { fit, isSmall, type View, zoomTo } from "../geometry/viewport";
import { Boxes, type Shown } from "./Boxes";
import { ToolButton } from "./ToolButton";
import { type Tool, useGestures } from "./useGestures";
import { useHand, useLooking } from "./useLooking";
import { usePicture } from "./usePicture";
import { type Seen, useViewport } from "./useViewport";

export interface StageProps {
  readonly image: Picture;
  readonly label: string;
  /** Accepted boxes, numbered in this order. */
  readonly boxes?: readonly Box[];
  /** The number of the highlighted box; 0: none. */
  readonly lit?: number;
  /** Boxes with a look or tag of their own, instead of "accepted" and a number. */
  readonly marked?: readonly Shown[];
  /** The box to which z zooms. */
  readonly near?: Box | null;
  /** Start zoomed to that box if it is small. */
  readonly startNear?: boolean;
  /** What a single pointer does; without a tool it moves the picture. */
  readonly tool?: ((seen: Seen) => Tool) | null;
  /** The box being drawn, for scripts that read the page. */
  readonly drawn?: Box | null;
  readonly help?: string;
  readonly buttons?: ComponentChildren;
  /** Called with the visible part of the image. */
  readonly onView?: (view: View) => void;
  /** Drawings of the tool on the picture. */
  readonly children?: (seen: Seen) => ComponentChildren;
}

const HELP = "Plus and minus zoom, zero shows the whole picture. When zoomed in, arrow keys move it.";
const numbered = (boxes: readonly Box[], lit: number): Shown[] =>
  boxes.map((box, index) => ({ box, tag: String(index + 1), look: "accepted", lit: lit === index + 1 }));

export function Stage(props: StageProps) {
  const { image, label, near = null, drawn = null } = props;
  const svg = useRef<SVGSVGElement>(null);
  const help = useId();
  const viewport = useViewport(svg, image, (frame) =>
    props.startNear && near && isSmall(near, frame) ? zoomTo(near, frame) : fit(frame),
  );
  const hand = useHand();
  const looking = useLooking(viewport, near, svg);
  const { view, zoom, scale } = viewport;
  const { address, loading, retry } = usePicture(image, viewport.measured ? scale : 0);
  const tool = (loading !== "failed" && props.tool?.({ view, scale })) || null;
  const gestures = useGestures(svg, viewport, tool, hand);
  useEffect(() => props.onView?.(view), [view]);
  const pushes = hand || (!tool && zoom > 1.001);

  return (
    <div class="stage" data-loading={loading}>
      <div class="ground">
        <svg
          ref={svg}
          class="plane"
          role="application"
          tabindex={0}
          aria-label={label}
          aria-describedby={help}
          viewBox={`${String(view.x)} ${String(view.y)} ${String(view.width)} ${String(view.height)}`}
          data-box={drawn?.join(",") ?? ""}
          data-zoom={String(Math.round(zoom * 1000) / 1000)}
          style={{ cursor: pushes ? "grab" : tool?.cursor, touchAction: tool || pushes ? "none" : "pan-x pan-y" }}
          {...gestures}
        >
          {address && <image href={address} width={image.width} height={image.height} preserveAspectRatio="none" />}
          <Boxes shown={[...numbered(props.boxes ?? [], props.lit ?? 0), ...(props.marked ?? [])]} scale={scale} />
          {props.children?.({ view, scale })}
        </svg>
        {loading === "loading" && <p class="note">Loading the picture …</p>}
        {loading === "failed" && (
          <div class="note" role="alert">
            <p>The picture did not load.</p>
            <button type="button" onClick={retry}>
              Try again
            </button>
          </div>
        )}
      </div>
      <p id={help} class="unseen">{`${HELP} ${props.help ?? ""}`}</p>
      <div class="tools" role="group" aria-label="Picture">
        <ToolButton icon="minus" name="Zoom out" keys="-" disabled={zoom < 1.001} onPress={looking.farther} />
        <output class="zoom" aria-label="Zoom">{`${String(Math.round(zoom * 100))} %`}</output>
        <ToolButton icon="plus" name="Zoom in" keys="+" onPress={looking.nearer} />
        <ToolButton icon="fit" name="Whole picture" keys="0" disabled={zoom < 1.001} onPress={looking.fitAll} />
        {near && <ToolButton icon="focus" name="Zoom to the box, or whole picture" keys="z" onPress={looking.toggleNear} />}
        {props.buttons}
      </div>
    </div>
  );
}
