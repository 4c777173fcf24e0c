import { useEffect, useRef } from "preact/hooks";
import type { Question, Task } from "../api/types";
import { TaskScreen } from "../screens";
import type { ScreenProps } from "../screens/screen";
import { PAGE } from "../keyboard/commands";
import { useCommands } from "../keyboard/useCommands";
import { isTest } from "../state/assignment";
import { fetchAhead } from "../state/pictures_ahead";
import type { Work } from "../state/use_work";
import { Aids } from "./Aids";
import { Boundary } from "./Boundary";
import type { Opened } from "./Dialogs";
import { SightContext, useSight } from "../state/sight";
import { t } from "../t";

const PICTURES_AHEAD = 4;

/** The current question, with everything a worker can do with it. */
export function Asking({ work, onOpen }: { work: Work; onOpen: (dialog: Opened) => void }) {
  const { act, state } = work;
  const { assignment, entries, index, ended } = state;
  const main = useRef<HTMLElement>(null);
  const question = assignment?.questions[index];
  const test = isTest(state);
  useCommands(PAGE, test ? {} : { skip: () => onOpen("skip") });
  useEffect(() => {
    document.documentElement.scrollTop = 0; // on a phone the picture may be out of view
    // The pressed button is gone with its question: keyboard users continue at the top of the next question.
    if (document.activeElement === document.body) main.current?.focus({ preventScroll: true });
  }, [index, assignment]);
  const ahead = [...(assignment?.questions.slice(index) ?? []), ...(state.next?.assignment.questions ?? [])];
  const urls = ahead.slice(0, 1 + PICTURES_AHEAD).flatMap(picturesOf);
  useEffect(() => {
    let wanted = true;
    void fetchAhead(urls, () => wanted);
    return () => {
      wanted = false;
    };
  }, [urls.join(" ")]);
  if (!assignment || !question) return null;
  const entry = entries[index];
  return (
    <main ref={main} class="question" tabIndex={-1} aria-label={t("Question {i} of {n}", { i: index + 1, n: entries.length })}>
      <Asked
        key={`${assignment.token} ${index}`}
        task={assignment.task}
        question={question}
        answer={entry?.answer ?? null}
        onAnswer={(answer) => act({ type: "answer", answer })}
        onChange={(answer) => act({ type: "change", answer })}
        onPass={() => act({ type: "go", index: index + 1 })}
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

/** The addresses of the pictures that a question shows. */
const picturesOf = ({ image, survey }: Question): string[] =>
  survey && "examples" in survey ? survey.examples.map((example) => example.image.url) : [image.url];

/** One question. What comes before the worker can have looked at it is not an answer. */
function Asked({ onAnswer, onPass, disabled, ...question }: { task: Task; onPass: () => void } & ScreenProps) {
  const sight = useSight();
  const answer = (given: Parameters<typeof onAnswer>[0]): void => {
    if (sight.state === "open") onAnswer(given);
    else if (sight.state === "look") sight.look();
  };
  return (
    <SightContext.Provider value={sight}>
      <Boundary onward={<button type="button" data-pass onClick={onPass}>{PAGE.onward.label}</button>}>
        <TaskScreen {...question} onAnswer={answer} disabled={disabled || sight.slow} />
      </Boundary>
    </SightContext.Provider>
  );
}
