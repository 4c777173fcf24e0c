import { useLayoutEffect, useRef } from "preact/hooks";
import {
  type Entry,
  goesByItself,
  isBegun,
  isDone,
  isDrawn,
  isTest,
  leftOut,
  type PageState,
  unsentComments,
} from "../assignment";
import { MAIN } from "../../keyboard/commands";
import { useCommands } from "../../keyboard/useCommands";
import { useCalm } from "../sight";
import { t } from "../../t";
import { commentsInWords, earnsInWords } from "./words";

interface Props {
  state: PageState;
  onGo: (index: number) => void;
  onSubmit: () => void;
  onNext: () => void;
}

function headline(entries: readonly Entry[]): string {
  const open = leftOut(entries);
  const skipped = entries.filter(({ skip }) => skip).length;
  if (open === entries.length && !entries.some(isDrawn)) return t("Nothing answered yet");
  if (open > 0) return t("{n} left out", { n: open });
  return skipped > 0
    ? t("{n} answered, {skipped} skipped", { n: entries.length - skipped, skipped })
    : t("All {n} answered", { n: entries.length });
}

const begunInWords = (entry: Entry, i: number): string =>
  isBegun(entry) ? t("Question {i}, {state}", { i, state: t("begun, not finished") }) : t("Question {i}: drawn, not confirmed", { i });

/** The last page before the answers are sent. */
export function Summary({ state, onGo, onSubmit, onNext }: Props) {
  const { entries, phase, problem } = state;
  const earns = earnsInWords(state);
  const test = isTest(state);
  const sending = phase === "sending";
  const button = useRef<HTMLButtonElement>(null);
  const open = leftOut(entries);
  const begun = entries.find(isDrawn);
  const silent = unsentComments(entries);
  const over = problem?.code === "assignment_ended";
  const act = over ? onNext : onSubmit;
  const calm = useCalm(); // the second press at the last question is not meant for the button
  const press = (): void => {
    if (calm && !sending) act();
  };
  useCommands(MAIN, { press });
  useLayoutEffect(() => button.current?.focus(), [over]);
  return (
    <main class="card" data-answers={calm ? "open" : "wait"}>
      <h1>{headline(entries)}</h1>
      {open > 0 && (
        <p class="quiet">
          {test ? t("Questions that you leave out count as wrong.") : t("Questions that you leave out go to other people.")}
          {begun && ` ${isBegun(begun) ? t("A begun answer is sent only after you finish it.") : t("A box is sent only after you confirm it.")}`}
        </p>
      )}
      {silent.length > 0 && <p class="notsent">{commentsInWords(silent)}</p>}
      <ul class="leftover">
        {entries.map((entry, i) =>
          isDone(entry) ? null : (
            <li key={i}>
              <button type="button" onClick={() => onGo(i)}>
                {isDrawn(entry) ? begunInWords(entry, i + 1) : t("Answer question {i}", { i: i + 1 })}
              </button>
            </li>
          ),
        )}
      </ul>
      {earns && <p class="quiet">{earns}</p>}
      {goesByItself(state) && !problem && !sending && <p role="status">{t("Sent by itself in a few seconds.")}</p>}
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
        onClick={press}
      >
        {over ? t("Get other questions") : sending ? t("Sending …") : test ? t("Hand in the test") : t("Submit")} {!sending && <kbd>Enter</kbd>}
      </button>
      <button type="button" class="plain" disabled={sending} onClick={() => onGo(entries.length - 1)}>
        {t("Back to the questions")} <kbd>←</kbd>
      </button>
    </main>
  );
}
