import { useLayoutEffect, useRef } from "preact/hooks";
import { isDone, isDrawn, isTest, leftOut, unsentComments, type Entry, type PageState } from "../state/assignment";
import { useKeys } from "../state/keys";
import { money } from "./money";
import { commentsInWords } from "./words";

interface Props {
  state: PageState;
  onGo: (index: number) => void;
  onSubmit: () => void;
  onNext: () => void;
}

function headline(entries: readonly Entry[]): string {
  const open = leftOut(entries);
  const skipped = entries.filter(({ skip }) => skip).length;
  if (open === entries.length && !entries.some(isDrawn)) return "Nothing answered yet";
  if (open > 0) return `${open} left out`;
  return skipped > 0 ? `${entries.length - skipped} answered, ${skipped} skipped` : `All ${entries.length} answered`;
}

/** The last page before the answers are sent. */
export function Summary({ state, onGo, onSubmit, onNext }: Props) {
  const { assignment, entries, phase, problem } = state;
  const reward = assignment?.reward_cents ?? 0;
  const test = isTest(state);
  const sending = phase === "sending";
  const button = useRef<HTMLButtonElement>(null);
  const open = leftOut(entries);
  const silent = unsentComments(entries);
  const over = problem?.code === "assignment_ended";
  const act = over ? onNext : onSubmit;
  useKeys({ Enter: act });
  useLayoutEffect(() => button.current?.focus(), [over]);
  return (
    <main class="card">
      <h1>{headline(entries)}</h1>
      {open > 0 && (
        <p class="quiet">
          {test ? "Questions that you leave out count as wrong." : "Questions that you leave out go to other people."}
          {entries.some(isDrawn) && " A box is sent only after you confirm it."}
        </p>
      )}
      {silent.length > 0 && <p class="notsent">{commentsInWords(silent)}</p>}
      <ul class="leftover">
        {entries.map((entry, i) =>
          isDone(entry) ? null : (
            <li key={i}>
              <button type="button" onClick={() => onGo(i)}>
                {isDrawn(entry) ? `Question ${i + 1}: drawn, not confirmed` : `Answer question ${i + 1}`}
              </button>
            </li>
          ),
        )}
      </ul>
      {reward > 0 && <p class="quiet">This assignment pays {money(reward, assignment?.currency ?? "")}.</p>}
      {problem && (
        <p class="error" role="alert">
          {problem.message}
        </p>
      )}
      <button
        ref={button}
        type="button"
        class="primary"
        data-submit
        aria-disabled={sending}
        onClick={() => sending || act()}
      >
        {over ? "Get other questions" : sending ? "Sending …" : test ? "Hand in the test" : "Submit"} {!sending && <kbd>Enter</kbd>}
      </button>
      <button type="button" class="plain" disabled={sending} onClick={() => onGo(entries.length - 1)}>
        Back to the questions <kbd>←</kbd>
      </button>
    </main>
  );
}
