/** What requesters' pages need: elements, counts in words, folds, fields that come and go, and tables that are cards on a phone. */

import { readPage, Refusal, Unreachable } from "../api/client";
import { localize } from "../local_time";

export function find<Kind extends HTMLElement = HTMLElement>(within: ParentNode, selector: string): Kind {
  const found = within.querySelector<Kind>(selector);
  if (!found) throw new Error(`The page has no ${selector}.`);
  return found;
}

/** An element with its properties and what is in it. */
export function make<Tag extends keyof HTMLElementTagNameMap>(tag: Tag, properties: Partial<HTMLElementTagNameMap[Tag]> = {}, ...inside: (Node | string)[]): HTMLElementTagNameMap[Tag] {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...inside);
  return made;
}

/** What went wrong, for the page to say. `kept`: what of the reader's is kept while the service cannot be reached. */
export function problemInWords(error: unknown, kept = " and try again."): string {
  if (error instanceof Unreachable) return `The service cannot be reached. Check the connection${kept}`;
  if (!(error instanceof Refusal)) return String(error);
  return error.message || `The service refused this (${String(error.status)}). Reload the page and sign in again.`;
}

/** Put parts of a page, as they are now, in the place of those of this one. Returns whether the page could be had. */
export async function swap(parts: readonly string[], address = location.href): Promise<boolean> {
  const page = await readPage(address);
  if (!page?.querySelector(parts[0] ?? "")) return false;
  for (const part of parts) {
    const fresh = page.querySelector(part);
    if (fresh) document.querySelector(part)?.replaceWith(document.adoptNode(fresh));
  }
  localize(document);
  return true;
}

export function plural(count: number, word: string): string {
  return `${count.toLocaleString("en")} ${word}${count === 1 ? "" : "s"}`;
}

export function bytesInWords(bytes: number): string {
  if (bytes < 1000) return `${bytes} bytes`;
  const [size, unit] = bytes < 1e6 ? [bytes / 1e3, "kB"] : bytes < 1e9 ? [bytes / 1e6, "MB"] : [bytes / 1e9, "GB"];
  return `${size.toFixed(size < 10 ? 1 : 0)} ${unit}`;
}

/** Opens the folds around what an address names, so that a link leads to something that is seen. */
export function openFolds(page: Document, hash: string): void {
  const named = hash.length > 1 ? page.getElementById(decodeURIComponent(hash.slice(1))) : null;
  if (!named) return;
  let fold = named.closest("details");
  while (fold) {
    fold.open = true;
    fold = fold.parentElement?.closest("details") ?? null;
  }
  named.scrollIntoView();
}

/** Name the cells of tables of class `cards` by their columns. On a phone each row is a card. */
export function nameCells(root: ParentNode): void {
  for (const table of root.querySelectorAll<HTMLTableElement>("table.cards")) {
    const heads = [...(table.tHead?.rows[0]?.cells ?? [])];
    // A table that is laid out as blocks is read as a table only by these roles.
    table.role = "table";
    for (const part of [...(table.tHead ? [table.tHead] : []), ...table.tBodies]) part.role = "rowgroup";
    for (const row of table.rows) {
      row.role = "row";
      [...row.cells].forEach((cell, place) => {
        cell.role = cell.tagName === "TD" ? "cell" : cell.scope === "row" ? "rowheader" : "columnheader";
        cell.dataset.column = heads[place]?.firstChild?.textContent?.trim() ?? "";
      });
    }
  }
}

/** Show each field of an evaluation only for reports that read it. */
export function showWhereGiven(root: HTMLElement): void {
  const show = (): void => {
    const reads = root.querySelector<HTMLElement>("input[name=step]:checked")?.dataset.given?.split(" ") ?? [];
    for (const field of root.querySelectorAll<HTMLElement>("[data-of-given]")) field.hidden = !reads.includes(field.dataset.ofGiven ?? "");
  };
  root.addEventListener("change", show);
  show();
}
