import "./gallery.css";
import { highlight } from "./highlight";
import { localize } from "./local_time";

localize(document);
for (const figure of document.querySelectorAll<HTMLElement>("[data-highlight]")) highlight(figure);
