/** The lesson of a task at first contact and before its test: the rule, the gesture, examples to try. Later, the examples again. */

import { useMemo, useState } from "preact/hooks";
import type { Answer, Example } from "../api/types";
import { ruleOf } from "../instructions";
import { builtIn } from "../instructions/built_in";
import { Rule } from "../instructions/Instructions";
import { isTest, isTouched } from "../state/assignment";
import type { PageContext } from "../state/calls";
import { rememberMet } from "../state/met";
import type { Work } from "../state/use_work";
import { Lesson } from "./Lesson";
import { Mistakes } from "./Mistakes";
import { mistakeIn } from "./mistake";
import { Primary } from "./Primary";
import { many, t } from "../t";

interface Props {
  work: Work;
  context: PageContext;
  /** The project's own. */
  examples: readonly Example[];
}

export function Learning({ work, context: { task, needed, session }, examples }: Props) {
  const { state, act } = work;
  const { entries, index } = state;
  const test = isTest(state);
  // A worker who has begun to answer only looks something up.
  const [first] = useState(state.fresh && !entries.some(isTouched));
  const [at, go] = useState(first ? -1 : 0);
  const [tried, setTried] = useState<Record<number, Answer>>({});
  const shown = useMemo(() => (examples.length === 0 ? builtIn(task) : examples), [examples]);
  const leave = (): void => {
    rememberMet(task);
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
  const again = (): void => {
    setTried({});
    go(0);
  };
  return (
    <main class="card">
      <h1>{!first ? t("Your examples") : test ? t("Begin the test") : t("Ready to start")}</h1>
      <Practice {...{ shown, tried }} />
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
      <button type="button" class="plain" onClick={again}>
        {t("Try the examples again")}
      </button>
    </main>
  );
}

interface PracticeProps {
  shown: readonly Example[];
  tried: Record<number, Answer>;
}

/** How many examples were right, and the kinds of mistakes. */
function Practice({ shown, tried }: PracticeProps) {
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
      <Mistakes kinds={results} />
    </div>
  );
}

interface BeforeProps {
  task: PageContext["task"];
  /** The size of the test, in words; "": no test comes. */
  asked: string;
  onNext: () => void;
  onStart: (() => void) | null;
}

/** The rule and the gesture, without answers: the examples come after it. */
function Before({ task, asked, onNext, onStart }: BeforeProps) {
  return (
    <main class="card first">
      <p class="quiet">{asked ? t("Qualification test: {asked}", { asked }) : t("New here? This is the rule.")}</p>
      <h1>{ruleOf(task).title}</h1>
      <Rule task={task} />
      <p class="quiet">
        {asked
          ? t("Now try some examples: nothing counts yet, and the test comes after them. The rule stays under “How it works”.")
          : t("Now try some examples: nothing counts yet. The rule stays under “How it works”.")}
      </p>
      <div class="row">
        <Primary label={t("Try the examples")} onPress={onNext} />
        {onStart && (
          <button type="button" class="plain" data-start onClick={onStart}>
            {t("Start without examples")}
          </button>
        )}
      </div>
    </main>
  );
}

function payInWords(session: PageContext["session"]): string {
  if (!session) return t("The test is not paid.");
  const { word, paysTests } = session;
  return paysTests ? t("The {word} is paid whether or not you pass.", { word }) : t("The test alone is not paid: the {word} continues after it.", { word });
}
