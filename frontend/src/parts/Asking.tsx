import { useEffect, useRef } from "preact/hooks";
import { SCREENS } from "../screens";
import { useKeys } from "../state/keys";
import { isTest } from "../state/assignment";
import type { Work } from "../state/use_work";
import { Aids } from "./Aids";
import type { Opened } from "./Dialogs";

/** The question in view, with everything that can be done with it. */
export function Asking({ work, onOpen }: { work: Work; onOpen: (dialog: Opened) => void }) {
  const { act, sitting } = work;
  const { assignment, entries, index, ended } = sitting;
  const main = useRef<HTMLElement>(null);
  const question = assignment?.questions[index];
  const next = assignment?.questions[index + 1]?.image.url;
  const test = isTest(sitting);
  useKeys(test ? {} : { s: () => onOpen("skip") });
  useEffect(() => {
    document.documentElement.scrollTop = 0; // on a phone the picture may have gone out of view
    // The pressed button went away with its question; who works with keys goes on at the top of the next one.
    if (document.activeElement === document.body) main.current?.focus({ preventScroll: true });
    if (next) new Image().src = next;
  }, [index]);
  if (!assignment || !question) return null;
  const Screen = SCREENS[assignment.task];
  const entry = entries[index];
  return (
    <main ref={main} class="question" tabIndex={-1} aria-label={`Question ${index + 1} of ${entries.length}`}>
      <Screen
        key={`${assignment.token} ${index}`}
        question={question}
        answer={entry?.answer ?? null}
        onAnswer={(answer) => act({ type: "answer", answer })}
        onChange={(answer) => act({ type: "change", answer })}
        disabled={ended}
      />
      <Aids
        key={index}
        test={test}
        comment={entry?.comment ?? ""}
        onComment={(text) => act({ type: "comment", text })}
        onOpen={onOpen}
      />
    </main>
  );
}
