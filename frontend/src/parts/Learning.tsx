/** What is right in a task: before its test the rule and the examples, and at any time the examples again. */

import { useState } from "preact/hooks";
import { Rule } from "../instructions/Instructions";
import { RULES } from "../instructions";
import { isTest, isTouched } from "../state/assignment";
import type { Place } from "../state/calls";
import type { Work } from "../state/use_work";
import { Loading } from "./Ends";
import { Lesson } from "./Lesson";
import { Primary } from "./Primary";
import { many } from "./words";

export function Learning({ work, place: { task, needed, session } }: { work: Work; place: Place }) {
  const { sitting, act, examples } = work;
  const { entries, index } = sitting;
  // Who has begun only looks something up.
  const [first] = useState(isTest(sitting) && !entries.some(isTouched));
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
        next={!isLast ? "Next example" : first ? "To the test" : "Back to the questions"}
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
  task: Place["task"];
  asked: string;
  /** How many there are; null while that is not known. */
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
          ? "Read this first: it is what the test asks for."
          : "Read this first, then look at some examples with their answers. You can come back to both at any time."}
      </p>
      <Primary label={examples === 0 ? "On to the test" : "On to the examples"} onPress={onNext} />
    </main>
  );
}

function payInWords(session: Place["session"]): string {
  if (!session) return "The test is not paid.";
  const { word, paysTests } = session;
  return paysTests ? `Passed or not, the ${word} is paid.` : `The test alone is not paid: the ${word} goes on after it.`;
}

interface BeginProps {
  asked: string;
  /** What the test pays, in words. */
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
        Take your time. You are told the result at the end, not after each question. A question that is left out is not
        right. {pay}
      </p>
      <Primary label="Begin the test" onPress={onBegin} />
      <button type="button" class="plain" onClick={onBack}>
        Back
      </button>
    </main>
  );
}
