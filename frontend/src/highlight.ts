/** Highlight the phrases, boxes and chains that belong together. */

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
