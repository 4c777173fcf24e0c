/** The tick beside a drawn box, which confirms it. It stands off the box and its handles, or not at all. */

import { type Box, HANDLES, type Size } from "../geometry/box";
import { type Grip, handlePoint } from "../geometry/handles";
import { placeTick } from "../geometry/tick";
import { Icon } from "./Icon";
import type { Seen } from "./useViewport";
import { t } from "../t";

/** The side of the tick, in screen pixels. */
const MOUSE = 32;
const TOUCH = 44;

/** The box and the hit areas of its handles, in image pixels. */
export function taken(box: Box, grip: Grip): Box {
  const far = grip.reach / 2;
  const points = HANDLES.map((handle) => handlePoint(box, handle, grip));
  const [xs, ys] = [points.map(([x]) => x), points.map(([, y]) => y)];
  return [
    Math.min(box[0], ...xs.map((x) => x - far)),
    Math.min(box[1], ...ys.map((y) => y - far)),
    Math.max(box[2], ...xs.map((x) => x + far)),
    Math.max(box[3], ...ys.map((y) => y + far)),
  ];
}

interface Props {
  readonly box: Box;
  readonly grip: Grip;
  readonly touch: boolean;
  readonly seen: Seen;
  readonly onPress: () => void;
}

export function Tick({ box, grip, touch, seen: { view, scale }, onPress }: Props) {
  const [x0, y0, x1, y1] = taken(box, grip);
  const onStage: Box = [(x0 - view.x) * scale, (y0 - view.y) * scale, (x1 - view.x) * scale, (y1 - view.y) * scale];
  const stage: Size = { width: view.width * scale, height: view.height * scale };
  const side = touch ? TOUCH : MOUSE;
  const place = placeTick(onStage, side, stage);
  if (!place) return null;
  const style = { left: `${String(place[0])}px`, top: `${String(place[1])}px`, width: `${String(side)}px`, height: `${String(side)}px` };
  return (
    <button type="button" class="tick" aria-label={t("Confirm the box")} title={t("Confirm the box (Space)")} style={style} onClick={onPress}>
      <Icon name="tick" />
    </button>
  );
}
