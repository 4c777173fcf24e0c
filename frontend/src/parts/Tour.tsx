import { useLayoutEffect, useRef, useState } from "preact/hooks";

interface Stop {
  at: string;
  title: string;
  text: string;
}

const STOPS: readonly Stop[] = [
  { at: ".view", title: "The picture", text: "Look here first. Zoom with the wheel, two fingers, or + and −." },
  { at: ".captions", title: "The marked phrase", text: "The question is about the marked words only. The rest of the sentence helps you find what they mean." },
  { at: ".answers", title: "Your answer", text: "Press a button or its key. The next question follows at once; ← takes you back." },
  { at: "[data-help]", title: "What is right?", text: "The rules of this task, with examples, are always here." },
];

/** Whether this browser has shown the tour of a task. */
export function tourSeen(task: string): boolean {
  try {
    return localStorage.getItem(`chainbox tour ${task}`) !== null;
  } catch {
    return true;
  }
}

export function rememberTour(task: string): void {
  try {
    localStorage.setItem(`chainbox tour ${task}`, "seen");
  } catch {
    // Storage is forbidden: then the tour is never shown.
  }
}

const MARGIN = 12;

/** Place the ring around the target, and the card where it does not cover the target. */
function place(ring: HTMLElement, card: HTMLElement, at: string): void {
  const target = document.querySelector(at)?.getBoundingClientRect() ?? new DOMRect(MARGIN, MARGIN, 0, 0);
  const { left, top, right, bottom, width, height } = target;
  Object.assign(ring.style, { left: `${left - 4}px`, top: `${top - 4}px`, width: `${width + 8}px`, height: `${height + 8}px` });
  const { width: w, height: h } = card.getBoundingClientRect();
  const inside = (value: number, most: number): number => Math.max(MARGIN, Math.min(value, most - MARGIN));
  const beside = left > w + 2 * MARGIN ? left - w - MARGIN : right + w + 2 * MARGIN < innerWidth ? right + MARGIN : null;
  const below = bottom + h + 2 * MARGIN < innerHeight ? bottom + MARGIN : top - h - MARGIN;
  card.style.left = `${inside(beside ?? left, innerWidth - w)}px`;
  card.style.top = `${inside(beside === null ? below : top, innerHeight - h)}px`;
}

/** A tour of the page in a few steps; Escape skips it. */
export function Tour({ onClose }: { onClose: () => void }) {
  const [number, setNumber] = useState(0);
  const dialog = useRef<HTMLDialogElement>(null);
  const ring = useRef<HTMLDivElement>(null);
  const card = useRef<HTMLDivElement>(null);
  const next = useRef<HTMLButtonElement>(null);
  const stop = STOPS[number];
  const last = number === STOPS.length - 1;
  useLayoutEffect(() => {
    dialog.current?.showModal();
    next.current?.focus();
  }, []);
  useLayoutEffect(() => {
    const put = (): void => {
      if (ring.current && card.current && stop) place(ring.current, card.current, stop.at);
    };
    document.querySelector(stop?.at ?? "body")?.scrollIntoView({ block: "nearest" });
    requestAnimationFrame(put);
    window.addEventListener("resize", put);
    return () => window.removeEventListener("resize", put);
  }, [stop]);
  if (!stop) return null;
  return (
    <dialog ref={dialog} class="tour" aria-labelledby="tour-title" onClose={onClose}>
      <div ref={ring} class="ring" />
      <div ref={card} class="tip">
        <p class="quiet">{`${number + 1} of ${STOPS.length}`}</p>
        <h2 id="tour-title">{stop.title}</h2>
        <p aria-live="polite">{stop.text}</p>
        <div class="row">
          <button ref={next} type="button" class="primary" onClick={() => (last ? dialog.current?.close() : setNumber(number + 1))}>
            {last ? "Start" : "Next"}
          </button>
          {!last && (
            <button type="button" class="plain" onClick={() => dialog.current?.close()}>
              Skip <kbd>Esc</kbd>
            </button>
          )}
        </div>
      </div>
    </dialog>
  );
}
