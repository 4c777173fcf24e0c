/** The lesson of a task: the rules and examples before its test, and the examples again at any time. */

import { useState } from "preact/hooks";
import { Rule } from "../instructions/Instructions";
import { RULES } from "../instructions";
import { isTest, isTouched } from "../state/assignment";
import type { PageContext } from "../state/calls";
import type { Work } from "../state/use_work";
import { Loading } from "./Ends";
import { Lesson } from "./Lesson";
import { Primary } from "./Primary";
import { many } from "./words";

export function Learning({ work, context: { task, needed, session } }: { work: Work; context: PageContext }) {
  const { state, act, examples } = work;
  const { entries, index } = state;
  // A worker who has begun to answer only looks something up.
  const [first] = useState(isTest(state) && !entries.some(isTouched));
  const [at, go] = useState(first ? -1 : 0);
  const shown = examples.shown;
  const leave = (): void => act({ type: "go", index });
  const asked = `${many(entries.length, "question")}${needed ? `, ${needed} must be right` : ""}`;
  if (at < 0) return <Before task={task} asked={asked} examples={shown?.length ?? null} onNext={() => go(0)} />;
  const example = shown?.[at];
  if (example) {
    const isLast = at === (shown?.length ?? 0) - 1;
    return (
      <Lesson
        {...{ task, example, at }}
        of={shown?.length ?? 0}
        next={!isLast ? "Next example" : first ? "Go to the test" : "Back to the questions"}
        onNext={isLast && !first ? leave : () => go(at + 1)}
        onBack={at > 0 || first ? () => go(at - 1) : null}
        onLeave={isLast ? null : first ? () => go(shown?.length ?? 0) : leave}
      />
    );
  }
  if (!shown) return <Loading />;
  return <Begin asked={asked} pay={payInWords(session)} onBegin={leave} onBack={() => go(shown.length - 1)} />;
}

interface BeforeProps {
  task: PageContext["task"];
  asked: string;
  /** The number of examples; null while it is not known. */
  examples: number | null;
  onNext: () => void;
}

function Before({ task, asked, examples, onNext }: BeforeProps) {
  return (
    <main class="card wide">
      <p class="quiet">Qualification test: {asked}</p>
      <h1>{RULES[task].title}</h1>
      <Rule task={task} />
      <p class="quiet">
        {examples === 0
          ? "Read this first: the test is about these rules."
          : "Read this first, then look at some examples with answers. You can come back to both at any time."}
      </p>
      <Primary label={examples === 0 ? "Go to the test" : "See the examples"} onPress={onNext} />
    </main>
  );
}

function payInWords(session: PageContext["session"]): string {
  if (!session) return "The test is not paid.";
  const { word, paysTests } = session;
  return paysTests ? `The ${word} is paid whether or not you pass.` : `The test alone is not paid: the ${word} continues after it.`;
}

interface BeginProps {
  asked: string;
  /** How the test is paid, in words. */
  pay: string;
  onBegin: () => void;
  onBack: () => void;
}

function Begin({ asked, pay, onBegin, onBack }: BeginProps) {
  return (
    <main class="card">
      <h1>Begin the test</h1>
      <p>{asked}.</p>
      <p class="quiet">
        Take your time. You see the result at the end, not after each question. A question that you leave out counts as
        wrong. {pay}
      </p>
      <Primary label="Begin the test" onPress={onBegin} />
      <button type="button" class="plain" onClick={onBack}>
        Back
      </button>
    </main>
  );
}
