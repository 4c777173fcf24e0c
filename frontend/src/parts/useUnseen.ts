import type { RefObject } from "preact";
import { useLayoutEffect } from "preact/hooks";

/** The button that leads to unseen phrases covers so many pixels at the bottom. */
const COVERED = 56;
const STEPS = [0, 0.2, 0.4, 0.6, 0.8, 0.99];

/** Whether an element is on the screen, or as much of it as the screen can show. */
function isSeen({ intersectionRatio, intersectionRect, isIntersecting }: IntersectionObserverEntry): boolean {
  return isIntersecting && (intersectionRatio >= 0.99 || intersectionRect.height >= (innerHeight - COVERED) * 0.7);
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
    return () => observer.disconnect();
  }, []);
}
