import "./gallery.css";
import { highlight } from "./highlight";
import { localize } from "./local_time";
import { showPage } from "./show_page";

localize(document);
showPage(document);
for (const figure of document.querySelectorAll<HTMLElement>("[data-highlight]")) highlight(figure);
