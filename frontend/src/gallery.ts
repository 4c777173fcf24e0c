import "./gallery.css";
import { addCopyButtons } from "./copy";
import { findDialog } from "./projects/find";
import { highlight } from "./highlight";
import { localize } from "./local_time";

localize(document);
addCopyButtons(document);
for (const dialog of document.querySelectorAll<HTMLDialogElement>("dialog.find")) findDialog(dialog);
// Scripts of another project listen to these buttons once the page is read: a press before would do nothing.
document.addEventListener("DOMContentLoaded", () => {
  for (const button of document.querySelectorAll<HTMLButtonElement>("button[data-scripted]")) button.disabled = false;
});
for (const figure of document.querySelectorAll<HTMLElement>("[data-highlight]")) highlight(figure);
