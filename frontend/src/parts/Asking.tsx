import { useEffect, useRef } from "preact/hooks";
import { TaskScreen } from "../screens";
import { useKeys } from "../state/keys";
import { isTest } from "../state/assignment";
import type { Work } from "../state/use_work";
import { Aids } from "./Aids";
import type { Opened } from "./Dialogs";

/** The current question, with everything a worker can do with it. */
export function Asking({ work, onOpen }: { work: Work; onOpen: (dialog: Opened) => void }) {
  const { act, state } = work;
  const { assignment, entries, index, ended } = state;
  const main = useRef<HTMLElement>(null);
  const question = assignment?.questions[index];
  const next = assignment?.questions[index + 1]?.image.url;
  const test = isTest(state);
  useKeys(test ? {} : { s: () => onOpen("skip") });
  useEffect(() => {
    document.documentElement.scrollTop = 0; // on a phone the picture may be out of view
    // The pressed button is gone with its question: keyboard users continue at the top of the next question.
    if (document.activeElement === document.body) main.current?.focus({ preventScroll: true });
    if (next) new Image().src = next;
  }, [index]);
  if (!assignment || !question) return null;
  const entry = entries[index];
  return (
    <main ref={main} class="question" tabIndex={-1} aria-label={`Question ${index + 1} of ${entries.length}`}>
      <TaskScreen
        key={`${assignment.token} ${index}`}
        task={assignment.task}
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
