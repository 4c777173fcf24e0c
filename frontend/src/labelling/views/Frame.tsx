import type { ComponentChildren, RefObject } from "preact";
import { useContext, useLayoutEffect, useRef } from "preact/hooks";
import { type Sight, SightContext } from "../sight";
import { many, t } from "../../t";
import { listen } from "../../ui/listen";
import { Button } from "../../ui/Button";

interface Props {
  picture: ComponentChildren;
  ask: ComponentChildren;
  children: ComponentChildren;
  /** What is called what is judged where it is not a phrase: the part that is out of sight, and the request to look at it. */
  whole?: Whole;
}

interface Whole {
  rest: string;
  first: string;
}

/** The layout of every screen: the picture, and the question beside it (on a phone: below it). */
export function Frame({ picture, ask, children, whole }: Props) {
  const frame = useRef<HTMLDivElement>(null);
  const sight = useContext(SightContext);
  useMarksInView(frame);
  useUnseen(frame, sight?.onUnseen);
  return (
    <div ref={frame} class="frame" data-answers={sight?.state}>
      <div class="view">{picture}</div>
      <div class="column">
        <h1 class="ask">{ask}</h1>
        {children}
        <p class="waits quiet" role="status">{sight && waitsInWords(sight, whole)}</p>
      </div>
      {sight && sight.unseen.length > 0 && (
        <Button class="below" onClick={sight.look}>{moreInWords(sight.unseen, whole)}</Button>
      )}
    </div>
  );
}

function waitsInWords({ slow, picture, urged }: Sight, whole?: Whole): string {
  if (slow) return picture === "failed" ? t("Answers wait for the picture. Try it again above.") : t("Answers wait for the picture.");
  return urged ? (whole?.first ?? t("First look at everything that is marked.")) : "";
}

function moreInWords(unseen: readonly Element[], whole?: Whole): string {
  const above = unseen[0] !== undefined && isAbove(unseen[0]);
  if (whole) return `${whole.rest} ${above ? "↑" : "↓"}`;
  return above
    ? many(unseen.length, "{n} more phrase above ↑", "{n} more phrases above ↑")
    : many(unseen.length, "{n} more phrase below ↓", "{n} more phrases below ↓");
}

/** The pixels of the caption that stay in view above the first mark. */
const ABOVE = 36;

/** Scroll captions that scroll by themselves to their first mark, and to the others as far as they fit. */
function useMarksInView(frame: RefObject<HTMLElement | null>): void {
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
function useUnseen(frame: RefObject<HTMLElement | null>, onUnseen: ((phrases: Element[]) => void) | undefined): void {
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
    const stop = listen(window, { scroll: lookAgain }, { capture: true });
    return () => {
      observer.disconnect();
      cancelAnimationFrame(due);
      stop();
    };
  }, []);
}
