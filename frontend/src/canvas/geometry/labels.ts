/** Where tags of boxes and the tick beside a box go, so that none hides another or its own box. */

import { between, type Box, type Point, type Size } from "./box";

/** The name of a box by its number, from 1: A to Z, then AA. Digits are the keys of answers. */
export function letterOf(number: number): string {
  const last = String.fromCharCode(65 + ((number - 1) % 26));
  return number > 26 ? letterOf(Math.floor((number - 1) / 26)) + last : last;
}

interface Tag {
  readonly box: Box;
  readonly width: number;
}

const overlap = (a: Box, b: Box): boolean => a[0] < b[2] && b[0] < a[2] && a[1] < b[3] && b[1] < a[3];

/** Inside the box where there is room for it, else above the box, or below it at the top of the image. */
function topOf([x0, y0, x1, y1]: Box, width: number, height: number): number {
  if (x1 - x0 >= 2 * width && y1 - y0 >= 2 * height) return y0;
  return y0 >= height ? y0 - height : y1;
}

/** The upper left corner of every tag; where another tag is already, further right. */
export function placeTags(tags: readonly Tag[], height: number): Point[] {
  const taken: Box[] = [];
  return tags.map(({ box, width }) => {
    const top = topOf(box, width, height);
    const at = (left: number): Box => [left, top, left + width, top + height];
    let place = at(box[0]);
    for (let other = taken.find((one) => overlap(one, place)); other; other = taken.find((one) => overlap(one, place)))
      place = at(other[2]);
    taken.push(place);
    return [place[0], place[1]];
  });
}

/** Free pixels around the tick. */
const GAP = 4;

/**
 * The upper left corner of a square control beside `taken`, which holds the box and its handles; null if the stage has no
 * room. The lower right comes first: a drag mostly ends there.
 */
export function placeTick([x0, y0, x1, y1]: Box, side: number, { width, height }: Size): Point | null {
  const [right, bottom] = [width - side - GAP, height - side - GAP];
  if (x1 <= 0 || y1 <= 0 || x0 >= width || y0 >= height) return null;
  const x = between(x1 - side, GAP, right);
  const y = between(y1 - side, GAP, bottom);
  const places: Point[] = [
    [x1 + GAP, y],
    [x, y1 + GAP],
    [x0 - side - GAP, y],
    [x, y0 - side - GAP],
  ];
  return places.find(([left, top]) => left >= GAP && top >= GAP && left <= right && top <= bottom) ?? null;
}
