/** The lesson of a task at first contact and before its test: the rule, the gesture, examples to try. Later, the examples again. */

import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Answer, Example, Mistake, Task, TestResult } from "../../api/types";
import { isTest, isTouched } from "../assignment";
import { type PageContext, rememberRule } from "../calls";
import { PAGE } from "../../keyboard/commands";
import { useCommands } from "../../keyboard/controls";
import { many, t } from "../../t";
import { RuleText } from "../../tasks/Instructions";
import { builtIn } from "../../tasks/examples";
import { useTask } from "../../tasks/task";
import { Boundary } from "../../ui/Boundary";
import { Button, Primary } from "../../ui/Button";
import type { Work } from "../use_work";
import type { ComponentChildren } from "preact";
import { WayOut } from "./Ends";

interface Props {
  work: Work;
  context: PageContext;
}

/** `examples`: the project's own. */
export function Learning({ work, context: { task, needed, session }, examples }: Props & { examples: readonly Example[] }) {
  const { state, act } = work;
  const { entries, index } = state;
  const test = isTest(state);
  // A worker who has begun to answer only looks something up.
  const [first] = useState(state.fresh && !entries.some(isTouched));
  const [at, go] = useState(first ? -1 : 0);
  const [tried, setTried] = useState<Record<number, Answer>>({});
  const { rule } = useTask(task);
  const shown = useMemo(() => (examples.length === 0 ? builtIn(task, rule) : examples), [examples]);
  const leave = (): void => {
    rememberRule(task);
    act({ type: "go", index });
  };
  const asked = needed
    ? many(entries.length, "{n} question, {needed} must be right", "{n} questions, {needed} must be right", { needed })
    : many(entries.length, "{n} question", "{n} questions");
  const begin = test && first ? t("Begin the test") : first ? t("Start") : t("Back to the questions");
  if (at < 0) return <Before task={task} asked={test ? asked : ""} onNext={() => go(0)} onStart={test ? null : leave} />;
  const end = shown.length;
  const example = shown[at];
  if (example)
    return (
      <Lesson
        {...{ task, example, at }}
        of={end}
        tried={tried[at] ?? null}
        onTry={(answer) => setTried((all) => ({ ...all, [at]: answer }))}
        next={at < end - 1 ? t("Next example") : t("Done")}
        onNext={() => go(at + 1)}
        onBack={at > 0 || first ? () => go(at - 1) : null}
        onLeave={at === end - 1 ? null : first && test ? () => go(end) : leave}
      />
    );
  const again = (): void => (setTried({}), go(0));
  return (
    <main class="card">
      <h1>{!first ? t("Your examples") : test ? t("Begin the test") : t("Ready to start")}</h1>
      <Practice {...{ task, shown, tried }} />
      {test && first && (
        <>
          <p>{asked}.</p>
          <p class="quiet">
            {t("Take your time. You see the result at the end, not after each question. A question that you leave out counts as wrong.")}{" "}
            {payInWords(session)}
          </p>
        </>
      )}
      <Primary label={begin} onPress={leave} />
      <Button class="plain" onClick={again}>{t("Try the examples again")}</Button>
    </main>
  );
}

/** How many examples were right, and the kinds of mistakes. */
function Practice({ task, shown, tried }: { task: Task; shown: readonly Example[]; tried: Record<number, Answer> }) {
  const { mistakeIn } = useTask(task);
  const results = shown.flatMap((example, i) => (tried[i] === undefined ? [] : [mistakeIn(example, tried[i])]));
  const right = results.filter((mistake) => !mistake).length;
  return (
    <div role="status">
      <p>
        {results.length > 0 ? (
          <b>{many(results.length, "{right} of {n} example right.", "{right} of {n} examples right.", { right })}</b>
        ) : (
          t("You tried no example.")
        )}
      </p>
      <Mistakes task={task} kinds={results} />
    </div>
  );
}

/** The rule and the gesture, without answers: the examples come after it. `asked`: the size of the test, in words; "": no test comes. */
function Before({ task, asked, onNext, onStart }: { task: Task; asked: string; onNext: () => void; onStart: (() => void) | null }) {
  return (
    <main class="card first">
      <p class="quiet">{asked ? t("Qualification test: {asked}", { asked }) : t("New here? This is the rule.")}</p>
      <h1>{useTask(task).rule.title}</h1>
      <RuleText task={task} />
      <p class="quiet">
        {asked
          ? t("Now try some examples: nothing counts yet, and the test comes after them. The rule stays under “How it works”.")
          : t("Now try some examples: nothing counts yet. The rule stays under “How it works”.")}
      </p>
      <div class="row">
        <Primary label={t("Try the examples")} onPress={onNext} />
        {onStart && <Button class="plain" data-start onClick={onStart}>{t("Start without examples")}</Button>}
      </div>
    </main>
  );
}

function payInWords(session: PageContext["session"]): string {
  if (!session) return t("The test is not paid.");
  const { word, paysTests } = session;
  return paysTests ? t("The {word} is paid whether or not you pass.", { word }) : t("The test alone is not paid: the {word} continues after it.", { word });
}

interface LessonProps {
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
function Lesson({ task, example, at, of, tried, onTry, next, onNext, onBack, onLeave }: LessonProps) {
  const { Screen, mistakeIn } = useTask(task);
  const mistake = tried === null ? null : mistakeIn(example, tried);
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
  const stays = tried !== null && ((isBox(tried) && isBox(right)) || (right === "different" && !mistake));
  const answer = tried === null ? null : stays ? tried : right;
  return (
    <main class="question lesson" aria-label={t("Example {i} of {n}", { i: at + 1, n: of })}>
      <Boundary key={at}>
        <Screen
          question={example}
          answer={answer}
          onAnswer={tried === null ? onTry : ignore}
          onChange={ignore}
          disabled={tried !== null}
          tried={tried}
          compared={compared}
        />
      </Boundary>
      <aside ref={why} class="aids" aria-label={t("Why")}>
        <div role="status">
          <p class="quiet">{t(tried === null ? "Example {i} of {n}. Try it: nothing counts here." : "Example {i} of {n}", { i: at + 1, n: of })}</p>
          {tried !== null && <Verdict {...{ task, example, tried, mistake }} />}
        </div>
        {/* Not in the last row: a second press there would meet "Return this assignment". */}
        {onLeave && <Button class="plain leave" onClick={onLeave}>{t("Skip the examples")}</Button>}
        <div class="row">
          {tried !== null ? (
            <Primary label={next} onPress={onNext} />
          ) : <Button class="plain" onClick={onNext}>{next} <kbd>→</kbd></Button>}
          {onBack && <Button class="plain" onClick={onBack}>{t("Back")} <kbd>←</kbd></Button>}
        </div>
      </aside>
    </main>
  );
}

function Verdict({ task, example, tried, mistake }: { task: Task; example: Example; tried: Answer; mistake: Mistake | null }) {
  const drawn = isBox(tried) && example.missing.length > 0;
  return (
    <>
      <p class={mistake ? "verdict wrong" : "verdict right"}>
        <b>{mistake ? t("✗ Not right.") : t("✓ Right.")}</b>{" "}
        {mistake && `${useTask(task).mistakes[mistake] ?? ""} ${isBox(example.answer) ? "" : t("The marked answer is right.")}`}
        {drawn && ` ${example.missing.length > 1 ? t("Compare your box with a dashed one.") : t("Compare your box with the dashed one.")}`}
      </p>
      <p>{example.explanation}</p>
    </>
  );
}

/** Each kind of mistake once, in words. */
function Mistakes({ task, kinds }: { task: Task; kinds: readonly (Mistake | null)[] }) {
  const words: Record<string, string> = { "left out": t("You left questions out."), ...useTask(task).mistakes };
  const said = [...new Set(kinds.map((kind) => kind && words[kind]))];
  return (
    <ul class="rule mistakes">{said.map((words) => words && <li>{words}</li>)}</ul>
  );
}

interface TestedProps extends Props {
  test: TestResult;
  message: string;
  /** The foot of the page. */
  children: ComponentChildren;
}

/** The result of a test, with kinds of mistakes but without its questions: other workers take the same test. */
export function Tested({ test: { right, questions, needed, passed, mistakes }, message, work, context, children }: TestedProps) {
  const { session } = context;
  return (
    <main class="card">
      <h1>{passed ? t("Test passed") : t("Not passed this time")}</h1>
      <p role="status">
        <b>{t("{right} of {asked} right", { right, asked: questions })}</b>{many(needed, "; {n} was needed.", "; {n} were needed.")}
      </p>
      {!passed && (
        <div>
          <p>{mistakes.length > 0 ? t("More than once:") : t("Your mistakes were of different kinds. Read the rule once more.")}</p>
          <Mistakes task={context.task} kinds={mistakes} />
        </div>
      )}
      {message && <p>{message}</p>}
      {passed && session && <p>{many(session.least, "The {word} is not finished yet: it needs {n} assignment.", "The {word} is not finished yet: it needs {n} assignments.", { word: session.word })}</p>}
      {passed && <Primary label={t("Continue")} onPress={work.goOn} />}
      {!(passed && session) && <WayOut {...{ work, context }} home={passed ? t("Stop for now") : t("Home")} main={!passed} />}
      {children}
    </main>
  );
}
