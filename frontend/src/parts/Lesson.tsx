import { useEffect, useRef } from "preact/hooks";
import type { Answer, Example, Task } from "../api/types";
import { TaskScreen } from "../screens";
import { PAGE } from "../keyboard/commands";
import { useCommands } from "../keyboard/useCommands";
import { Boundary } from "./Boundary";
import { MISTAKES, mistakeIn } from "./mistake";
import { Primary } from "./Primary";
import { t } from "../t";

interface Props {
  task: Task;
  example: Example;
  at: number;
  of: number;
  /** The worker's answer; null: not tried yet. */
  tried: Answer | null;
  onTry: (answer: Answer) => void;
  /** The label of the button that goes on. */
  next: string;
  onNext: () => void;
  onBack: (() => void) | null;
  /** Skip the other examples; null: this is the last one. */
  onLeave: (() => void) | null;
}

const ignore = (): void => undefined;

const isBox = (answer: Answer): boolean => typeof answer === "object" && "box" in answer;

/** One example on the screen of its task: the worker answers, then reads whether that is right, and why. */
export function Lesson({ task, example, at, of, tried, onTry, next, onNext, onBack, onLeave }: Props) {
  const back = onBack ?? ignore;
  const why = useRef<HTMLElement>(null);
  const right = example.answer;
  useCommands(PAGE, { onward: onNext, back });
  useEffect(() => {
    if (tried !== null) why.current?.scrollIntoView({ block: "nearest" });
    else document.documentElement.scrollTop = 0;
  }, [at, tried]);
  // The worker's box stays; the right one lies beside it, dashed. So does a part where "different" alone is known.
  const compared = tried === null ? [] : example.missing;
  const stays = tried !== null && ((isBox(tried) && isBox(right)) || (right === "different" && !mistakeIn(example, tried)));
  const answer = tried === null ? null : stays ? tried : right;
  return (
    <main class="question lesson" aria-label={t("Example {i} of {n}", { i: at + 1, n: of })}>
      <Boundary key={at}>
        <TaskScreen
          task={task}
          question={example}
          answer={answer}
          onAnswer={tried === null ? onTry : ignore}
          onChange={ignore}
          disabled={tried !== null}
          shown={tried !== null}
          compared={compared}
        />
      </Boundary>
      <aside ref={why} class="aids" aria-label={t("Why")}>
        <div role="status">
          <p class="quiet">{t(tried === null ? "Example {i} of {n}. Try it: nothing counts here." : "Example {i} of {n}", { i: at + 1, n: of })}</p>
          {tried !== null && <Verdict {...{ example, tried }} />}
        </div>
        <div class="row">
          {tried !== null ? (
            <Primary label={next} onPress={onNext} />
          ) : (
            <button type="button" class="plain" onClick={onNext}>
              {next} <kbd>→</kbd>
            </button>
          )}
          {onBack && (
            <button type="button" class="plain" onClick={onBack}>
              {t("Back")} <kbd>←</kbd>
            </button>
          )}
          {onLeave && (
            <button type="button" class="plain" onClick={onLeave}>
              {t("Skip the examples")}
            </button>
          )}
        </div>
      </aside>
    </main>
  );
}

function Verdict({ example, tried }: { example: Example; tried: Answer }) {
  const mistake = mistakeIn(example, tried);
  const drawn = isBox(tried) && example.missing.length > 0;
  return (
    <>
      <p class={mistake ? "verdict wrong" : "verdict right"}>
        <b>{mistake ? t("✗ Not right.") : t("✓ Right.")}</b>{" "}
        {mistake && `${MISTAKES[mistake]} ${isBox(example.answer) ? "" : t("The marked answer is right.")}`}
        {drawn && ` ${example.missing.length > 1 ? t("Compare your box with a dashed one.") : t("Compare your box with the dashed one.")}`}
      </p>
      <p>{example.explanation}</p>
    </>
  );
}
