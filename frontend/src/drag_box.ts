/** Draw an expert's box: a drag on the picture fills the field of the form. */

import { boxBetween, type Point } from "./geometry/box";

const SVG = "http://www.w3.org/2000/svg";

/** The position of a pointer, in image pixels. */
function at(svg: SVGSVGElement, event: PointerEvent): Point {
  const matrix = svg.getScreenCTM();
  if (!matrix) return [0, 0];
  const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(matrix.inverse());
  return [point.x, point.y];
}

/** While the form that holds `field` is open, a drag on `svg` draws a box and writes it into the field. */
export function dragBox(svg: SVGSVGElement, field: HTMLInputElement): void {
  const { width, height } = svg.viewBox.baseVal;
  const shown = document.createElementNS(SVG, "rect");
  shown.classList.add("drawn");
  let start: Point | null = null;

  svg.addEventListener("pointerdown", (event) => {
    if (!field.closest("details")?.open) return;
    start = at(svg, event);
    svg.setPointerCapture(event.pointerId);
    event.preventDefault();
  });
  svg.addEventListener("pointermove", (event) => {
    const box = start && boxBetween(start, at(svg, event), width, height);
    if (!box) return;
    const [x0, y0, x1, y1] = box;
    for (const [name, value] of Object.entries({ x: x0, y: y0, width: x1 - x0, height: y1 - y0 }))
      shown.setAttribute(name, String(value));
    svg.append(shown);
    field.value = box.join(", ");
  });
  const end = (): void => {
    start = null;
  };
  svg.addEventListener("pointerup", end);
  svg.addEventListener("pointercancel", end);
}
