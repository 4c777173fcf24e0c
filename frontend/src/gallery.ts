import "./gallery.css";
import { dragBox } from "./drag_box";
import { highlight } from "./highlight";

for (const figure of document.querySelectorAll<HTMLElement>("[data-highlight]")) highlight(figure);

const picture = document.querySelector<SVGSVGElement>(".picture svg");
const field = document.querySelector<HTMLInputElement>("#id_draw-box");
if (picture && field) dragBox(picture, field);
