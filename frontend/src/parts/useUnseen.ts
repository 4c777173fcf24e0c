import type { RefObject } from "preact";
import { useLayoutEffect } from "preact/hooks";

/** The pixels at the bottom that the button to unseen phrases covers. */
const COVERED = 56;
const STEPS = [0, 0.5, 1];

/** Whether the height of an element is on the screen, or as much of it as the screen can show.
 *
 * Its width says nothing: the padding of a phrase that wraps is cut off at the edge of its column.
 */
function isSeen({ boundingClientRect: whole, intersectionRect: shown, isIntersecting }: IntersectionObserverEntry): boolean {
  return isIntersecting && shown.height >= Math.min(whole.height - 1, (innerHeight - COVERED) * 0.7);
}

/** Report the marked phrases, and the judged caption, that have not been on the screen yet, as often as they change. */
export function useUnseen(frame: RefObject<HTMLElement | null>, onUnseen: ((phrases: Element[]) => void) | undefined): void {
  useLayoutEffect(() => {
    if (!onUnseen || typeof IntersectionObserver === "undefined") return;
    const unseen = new Set(frame.current?.querySelectorAll(".phrase, [data-judged]"));
    const look = (entries: IntersectionObserverEntry[]): void => {
      for (const entry of entries) {
        if (!isSeen(entry)) continue;
        observer.unobserve(entry.target);
        unseen.delete(entry.target);
      }
      onUnseen([...unseen]);
    };
    const observer = new IntersectionObserver(look, { threshold: STEPS, rootMargin: `0px 0px -${COVERED}px` });
    for (const phrase of unseen) observer.observe(phrase);
    // The observer reports steps of the area alone. One that begins anew reports where everything is now.
    let due = 0;
    const lookAgain = (): void => {
      cancelAnimationFrame(due);
      due = requestAnimationFrame(() => {
        for (const phrase of unseen) {
          observer.unobserve(phrase);
          observer.observe(phrase);
        }
      });
    };
    addEventListener("scroll", lookAgain, true);
    return () => {
      observer.disconnect();
      cancelAnimationFrame(due);
      removeEventListener("scroll", lookAgain, true);
    };
  }, []);
}
