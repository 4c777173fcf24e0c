/** A picture that can be zoomed, with boxes on it and an optional tool. */

import "./canvas.css";
import type { ComponentChildren } from "preact";
import { useContext, useId, useLayoutEffect, useRef } from "preact/hooks";
import { Boxes, type ShownBox } from "./Boxes";
import { LoadingNote, type Picture, type PictureLoading, usePicture } from "./Picture";
import type { Box } from "./geometry/box";
import { letterOf } from "./geometry/labels";
import { isSmall, type Seen, zoomTo } from "./geometry/viewport";
import { type Commands, NEAR, rowsOf, ZOOM } from "../keyboard/commands";
import { CharacterKeys, CommandButton, labelOf } from "../keyboard/controls";
import { t } from "../t";
import { type PointerTool, useGestures } from "./useGestures";
import { keepView, lastView, useSpacePan, useViewport, useZoom } from "./useViewport";

interface StageProps {
  readonly image: Picture;
  readonly label: string;
  /** Accepted boxes, with letters in this order. */
  readonly boxes?: readonly Box[];
  /** The number of the highlighted box; 0: none. */
  readonly lit?: number;
  /** Boxes with a look or tag of their own, instead of "accepted" and a number. */
  readonly marked?: readonly ShownBox[];
  /** The box to which z zooms. */
  readonly near?: Box | null;
  /** Start zoomed to that box if it is small. */
  readonly startNear?: boolean;
  /** What a single pointer does; without a tool it moves the picture. */
  readonly tool?: ((seen: Seen) => PointerTool) | null;
  /** The box being drawn, for scripts that read the page. */
  readonly drawn?: Box | null;
  /** How the tool works, and its commands. */
  readonly help?: string;
  readonly commands?: readonly Commands[];
  readonly buttons?: ComponentChildren;
  readonly onLoading?: (loading: PictureLoading) => void;
  /** Called with what is visible. */
  readonly onView?: (seen: Seen) => void;
  /** Called when the space bar is pressed and does not move the picture. */
  readonly onSpace?: () => void;
  /** Controls over the picture. */
  readonly over?: (seen: Seen) => ComponentChildren;
  /** Drawings of the tool on the picture. */
  readonly children?: (seen: Seen) => ComponentChildren;
}

/** What keys do, for those who hear the page. */
const keysInWords = (tables: readonly Commands[], characters: boolean): string =>
  rowsOf(tables, characters).map(({ label, keys }) => `${label}: ${keys.map((key) => labelOf(key, null)).join(" ")}`).join("; ");
/** The picture is drawn in the same frame as its boxes. */
const SYNC = { decoding: "sync" };
const lettered = (boxes: readonly Box[], lit: number): ShownBox[] =>
  boxes.map((box, index) => ({ box, tag: letterOf(index + 1), look: "accepted", lit: lit === index + 1 }));

export function Stage(props: StageProps) {
  const { image, label, near = null, drawn = null } = props;
  const svg = useRef<SVGSVGElement>(null);
  const help = useId();
  const viewport = useViewport(svg, image, (frame) =>
    props.startNear && near && isSmall(near, frame) ? zoomTo(near, frame) : lastView(image, frame, near),
  );
  const hand = useSpacePan(props.onSpace);
  const looking = useZoom(viewport, near, svg);
  const { view, zoom, scale } = viewport;
  const { address, loading, retry } = usePicture(image, viewport.measured ? scale : 0);
  useLayoutEffect(() => props.onLoading?.(loading), [loading]);
  const tool = (loading !== "failed" && props.tool?.({ view, scale })) || null;
  const gestures = useGestures(svg, viewport, tool, hand);
  // Before a key can come: a step of ten pixels of the screen depends on it.
  useLayoutEffect(() => {
    if (viewport.moved) keepView(image, view, viewport.frame);
    props.onView?.({ view, scale });
  }, [view]);
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
          viewBox={[view.x, view.y, view.width, view.height].join(" ")}
          data-box={drawn?.join(",") ?? ""}
          data-zoom={Math.round(zoom * 1000) / 1000}
          style={{ cursor: pushes ? "grab" : tool?.cursor, touchAction: tool || pushes ? "none" : "pan-x pan-y" }}
          {...gestures}
        >
          {address && <image href={address} width={image.width} height={image.height} preserveAspectRatio="none" {...SYNC} />}
          <Boxes shown={[...lettered(props.boxes ?? [], props.lit ?? 0), ...(props.marked ?? [])]} scale={scale} />
          {props.children?.({ view, scale })}
        </svg>
        {props.over?.({ view, scale })}
        <LoadingNote {...{ loading, retry }} />
      </div>
      <p id={help} class="unseen">{`${props.help ?? ""} ${keysInWords([...(props.commands ?? []), ...(near ? [NEAR] : []), ZOOM], useContext(CharacterKeys))}`}</p>
      <div class="tools" role="group" aria-label={t("Picture")}>
        <CommandButton icon="minus" of={ZOOM.farther} run={zoom < 1.001 ? null : looking.farther} />
        <output class="zoom" aria-label={t("Zoom")}>{Math.round(zoom * 100)} %</output>
        <CommandButton icon="plus" of={ZOOM.nearer} run={looking.nearer} />
        <CommandButton icon="fit" of={ZOOM.whole} run={zoom < 1.001 ? null : looking.fitAll} />
        {near && <CommandButton icon="focus" of={NEAR.near} run={looking.toggleNear} />}
        {props.buttons}
      </div>
    </div>
  );
}
