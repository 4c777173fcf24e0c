/** The dialog that Ctrl-K and ? open on requesters' pages: it finds pages, settings and help, and shows the keys of the page. */

import "./find.css";
import { readPage } from "../api/client";
import type { Commands } from "../keyboard/commands";
import { register } from "../keyboard/listener";
import { readCharacterKeys } from "./keys";
import { find } from "./page";

const FIND = {
  find: { keys: ["Ctrl+k"], label: "Find" },
  keys: { keys: ["?"], label: "Keys and help" },
} as const satisfies Commands;

/** Pages whose `?` opens a list of their own. */
const OWN_HELP = "#bench, #annotate";

/** Let the keys and the button open the dialog, until the function that this returns is called. */
export function findDialog(dialog: HTMLDialogElement): () => void {
  const field = find<HTMLInputElement>(dialog, "input");
  const found = find(dialog, "[data-found]");
  let latest = "";
  const help = document.querySelector<HTMLAnchorElement>("[data-help]");
  if (help) dialog.querySelector("[data-help-here]")?.setAttribute("href", help.href);

  const look = async (): Promise<void> => {
    const address = (latest = `${dialog.dataset["find"] ?? ""}&q=${encodeURIComponent(field.value)}`);
    const page = await readPage(address);
    if (address === latest) found.replaceChildren(...(page?.body.childNodes ?? ["The service cannot be reached."]));
  };
  const open = (): void => {
    showKeys(dialog);
    dialog.showModal();
    field.select();
    void look();
  };
  field.addEventListener("input", () => void look());
  dialog.addEventListener("keydown", (event) => move(dialog, field, event));
  for (const button of document.querySelectorAll("[data-open-find]")) button.addEventListener("click", open);
  const keys = document.querySelector(OWN_HELP) ? undefined : open;
  return register(() => ({ commands: FIND, runs: { find: open, keys }, characters: readCharacterKeys() }), "page");
}

/** Arrows go from the field through the links and back; Enter in the field opens the first link. */
function move(dialog: HTMLElement, field: HTMLElement, event: KeyboardEvent): void {
  const links = [...dialog.querySelectorAll<HTMLElement>("[data-found] a")];
  const place = links.findIndex((link) => link === document.activeElement);
  if (event.key === "Enter" && event.target === field) links[0]?.click();
  else if (event.key === "ArrowDown") (links[place + 1] ?? field).focus();
  else if (event.key === "ArrowUp") (place < 0 ? links.at(-1) : (links[place - 1] ?? field))?.focus();
  else return;
  event.preventDefault();
}

/** Add the keys of the buttons that are on the page now. */
function showKeys(dialog: HTMLElement): void {
  const list = dialog.querySelector("[data-keys]");
  for (const old of list?.querySelectorAll("[data-own]") ?? []) old.remove();
  for (const button of document.querySelectorAll<HTMLElement>("main [data-key]")) {
    const [row, key] = [document.createElement("li"), document.createElement("kbd")];
    row.dataset["own"] = "yes";
    key.textContent = (button.dataset["key"] ?? "").toUpperCase();
    const words = [...button.childNodes].filter((node) => node.nodeName !== "KBD").map((node) => node.textContent).join("");
    row.append(key, ` ${words.trim()}`);
    list?.append(row);
  }
}
