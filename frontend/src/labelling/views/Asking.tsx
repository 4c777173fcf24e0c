import { useEffect, useRef, useState } from "preact/hooks";
import type { Opened } from "./Dialogs";
import type { Question, Task } from "../../api/types";
import { isTest } from "../assignment";
import { PAGE } from "../../keyboard/commands";
import { Key, useCommands } from "../../keyboard/controls";
import { SightContext, useSight } from "../sight";
import { t } from "../../t";
import { type ScreenProps, useTask } from "../../tasks/task";
import { Boundary } from "../../ui/Boundary";
import type { Work } from "../use_work";
import { Button } from "../../ui/Button";

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
function Asked({ task, onAnswer, onPass, disabled, ...question }: { task: Task; onPass: () => void } & ScreenProps) {
  const { Screen } = useTask(task);
  const sight = useSight();
  const answer = (given: Parameters<typeof onAnswer>[0]): void => {
    if (sight.state === "open") onAnswer(given);
    else if (sight.state === "look") sight.look();
  };
  return (
    <SightContext.Provider value={sight}>
      <Boundary onward={<Button data-pass onClick={onPass}>{PAGE.onward.label}</Button>}>
        <Screen {...question} onAnswer={answer} disabled={disabled || sight.slow} />
      </Boundary>
    </SightContext.Provider>
  );
}

interface AidsProps {
  /** In a test no question can be skipped: nobody else could take it. */
  test: boolean;
  comment: string;
  onComment: (text: string) => void;
  onOpen: (dialog: Opened) => void;
}

/** Everything a worker can do with a question besides answering it. */
function Aids({ test, comment, onComment, onOpen }: AidsProps) {
  return (
    <aside class="aids" aria-label={t("More")}>
      <Comment text={comment} onInput={onComment} />
      {!test && (
        <Button class="plain" data-open="skip" onClick={() => onOpen("skip")}>
          {PAGE.skip.label} <Key name={PAGE.skip.keys[0]} />
        </Button>
      )}
      <Button class="plain" data-open="report" onClick={() => onOpen("report")}>{t("Report a problem")}</Button>
      <Button class="plain" data-open="return" onClick={() => onOpen("return")}>
        {test ? t("Leave the test") : t("Return this assignment")}
      </Button>
    </aside>
  );
}

export const COMMENT_LENGTH = 1000;

/** A comment on the current question, folded until the worker opens it. */
export function Comment({ text, onInput }: { text: string; onInput: (text: string) => void }) {
  const [open, setOpen] = useState(text !== "");
  const label = useRef<HTMLLabelElement>(null);
  const field = useRef<HTMLTextAreaElement>(null);
  const show = (): void => {
    // Immediately, so that the next letter typed lands here and does not answer the question.
    if (label.current) label.current.hidden = false;
    field.current?.focus();
    setOpen(true);
  };
  useCommands(PAGE, { comment: show });
  return (
    <>
      <Button class="plain" aria-expanded={open} hidden={open} onClick={show}>
        {PAGE.comment.label} <Key name={PAGE.comment.keys[0]} />
      </Button>
      <label ref={label} class="field comment" hidden={!open}>
        {t("Comment")}
        <textarea
          ref={field}
          rows={2}
          maxLength={COMMENT_LENGTH}
          value={text}
          onInput={(event) => onInput(event.currentTarget.value)}
          onKeyDown={(event) => event.key === "Escape" && event.currentTarget.blur()}
        />
      </label>
    </>
  );
}

/** As many pictures stay decoded. */
const MOST = 15;
const kept = new Map<string, HTMLImageElement>();

async function fetchOne(url: string): Promise<void> {
  if (kept.has(url)) return;
  const image = new Image();
  kept.set(url, image);
  for (const old of [...kept.keys()].slice(0, -MOST)) kept.delete(old);
  image.src = url;
  try {
    await image.decode();
  } catch {
    kept.delete(url); // the page says so when the picture is in view
  }
}

async function fetchAhead(urls: readonly string[], wanted: () => boolean): Promise<void> {
  for (const url of urls) {
    if (!wanted()) return;
    await fetchOne(url);
  }
}
