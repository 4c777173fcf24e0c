import type { RefObject } from "preact";
import { useLayoutEffect } from "preact/hooks";

/** The pixels of the caption that stay in view above the first mark. */
const ABOVE = 36;

/** Scroll captions that scroll by themselves to their marks: to all of them if they fit, else to the first. */
export function useMarksInView(frame: RefObject<HTMLElement | null>): void {
  useLayoutEffect(() => {
    const list = frame.current?.querySelector<HTMLElement>(".captions");
    const marks = [...(list?.querySelectorAll(".phrase") ?? [])].map((mark) => mark.getBoundingClientRect());
    const [first, last] = [marks[0], marks.at(-1)];
    if (!list || !first || !last) return;
    const top = first.top - list.getBoundingClientRect().top + list.scrollTop;
    const height = last.bottom - first.top;
    list.scrollTop = height < list.clientHeight - ABOVE ? top - (list.clientHeight - height) / 2 : top - ABOVE;
  }, []);
}

/** Whether a phrase is above what is shown of the captions that hold it. */
export function isAbove(phrase: Element): boolean {
  const list = phrase.closest(".captions")?.getBoundingClientRect();
  return phrase.getBoundingClientRect().top < Math.max(0, list?.top ?? 0);
}
