/** What requesters' and public pages have in common: times of the reader, buttons that copy, the dialog that finds, highlights. */

import { findDialog } from "./projects/find";
import { localize } from "./local_time";

/** Call `act` with each element of the page that a selector names. */
export function forEach<Kind extends HTMLElement = HTMLElement>(selector: string, act: (element: Kind) => void): void {
  for (const element of document.querySelectorAll<Kind>(selector)) act(element);
}

export function startPage(): void {
  localize(document);
  addCopyButtons(document);
  forEach<HTMLDialogElement>("dialog.find", (dialog) => void findDialog(dialog));
  forEach("[data-highlight]", highlight);
}

const SHOWN_MS = 2000;

/** A button beside everything that is to be sent or kept: links, tokens and commands. */
export function addCopyButtons(root: ParentNode): void {
  for (const code of root.querySelectorAll<HTMLElement>("code.token")) {
    const button = document.createElement("button");
    Object.assign(button, { type: "button", className: "button copy", textContent: "Copy" });
    button.addEventListener("click", () => void copy(code).then((words) => {
      button.textContent = words;
      setTimeout(() => (button.textContent = "Copy"), SHOWN_MS);
    }));
    code.after(" ", button);
  }
}

/** Copy the text, or mark it where the browser does not let pages copy. Returns the words for the button. */
async function copy(code: HTMLElement): Promise<string> {
  try {
    await navigator.clipboard.writeText(code.textContent ?? "");
    return "Copied";
  } catch {
    getSelection()?.selectAllChildren(code);
    return "Press Ctrl+C";
  }
}

/** The chains of an element: `data-chains="3 7"`. */
function chainsOf(element: Element): string[] {
  return (element.getAttribute("data-chains") ?? "").split(" ").filter(Boolean);
}

/** Whether an element has any of the chains. */
function sharesChain(element: Element, chains: readonly string[]): boolean {
  return chainsOf(element).some((chain) => chains.includes(chain));
}

/**
 * Highlight everything that shares a chain with the element under the pointer or in focus. A click keeps the highlight
 * until the next click or Escape.
 * Every element of `figure` with `data-chains` takes part.
 */
export function highlight(figure: HTMLElement): void {
  let kept: readonly string[] = [];
  const parts = [...figure.querySelectorAll("[data-chains]")];

  const show = (chains: readonly string[]): void => {
    figure.classList.toggle("lit", chains.length > 0);
    for (const part of parts) part.classList.toggle("on", sharesChain(part, chains));
  };
  const under = (event: Event): string[] => {
    const part = event.target instanceof Element ? event.target.closest("[data-chains]") : null;
    return part ? chainsOf(part) : [];
  };
  const pointed = (event: Event): void => {
    const chains = under(event);
    show(chains.length > 0 ? chains : kept);
  };

  figure.addEventListener("pointerover", pointed);
  figure.addEventListener("focusin", pointed);
  figure.addEventListener("pointerleave", () => show(kept));
  figure.addEventListener("focusout", () => show(kept));
  figure.addEventListener("click", (event) => {
    const chains = under(event);
    const again = chains.length > 0 && chains.join() === kept.join();
    kept = again ? [] : chains;
    show(kept);
  });
  figure.addEventListener("keydown", (event) => {
    if (event.key === "Escape") {
      kept = [];
      show(kept);
    }
  });
}
