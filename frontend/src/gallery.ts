import "./gallery.css";
import { findDialog } from "./projects/find";
import { highlight } from "./highlight";
import { localize } from "./local_time";

localize(document);
for (const dialog of document.querySelectorAll<HTMLDialogElement>("dialog.find")) findDialog(dialog);
for (const figure of document.querySelectorAll<HTMLElement>("[data-highlight]")) highlight(figure);
