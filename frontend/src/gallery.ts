import "./gallery.css";
import { forEach, startPage } from "./every_page";

startPage();
// Scripts of another project listen to these buttons once the page is read: a press before would do nothing.
document.addEventListener("DOMContentLoaded", () => forEach<HTMLButtonElement>("button[data-scripted]", (button) => (button.disabled = false)));
