import type { RefObject } from "preact";
import { useLayoutEffect } from "preact/hooks";

/** The pixels of the caption that stay in view above the first mark. */
const ABOVE = 36;

/** Scroll captions that scroll by themselves to their first mark, and to the others as far as they fit. */
export function useMarksInView(frame: RefObject<HTMLElement | null>): void {
  useLayoutEffect(() => {
    const list = frame.current?.querySelector(".captions");
    const mark = list?.querySelector(".phrase");
    if (list && mark) list.scrollTop += topOf(mark) - topOf(list) - ABOVE;
  }, []);
}

/** Whether a phrase is above what is shown of the captions that hold it. */
export function isAbove(phrase: Element): boolean {
  const list = phrase.closest(".captions");
  return topOf(phrase) < Math.max(0, list ? topOf(list) : 0);
}

const topOf = (element: Element): number => element.getBoundingClientRect().top;
