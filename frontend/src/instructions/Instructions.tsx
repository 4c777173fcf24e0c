import { useEffect } from "preact/hooks";
import type { Task } from "../api/types";
import { LOOKS, Mark } from "../parts/Captions";
import { Dialog } from "../parts/Dialog";
import { RULES } from "./index";
import type { Example, Rule as RuleOf, Says } from "./example";

const KEYS: RuleOf["keys"] = [
  ["←", "back"],
  ["→", "next question, without an answer"],
  ["c", "comment"],
  ["s", "skip"],
];

const WORDS = { right: "✓ Right", wrong: "✗ Wrong" } as const;

const wordsOf = (says: Says): string => (typeof says === "string" ? WORDS[says] : `Answer: ${says.answer}`);

/** "A man in *a hat*", with the phrase marked. */
const Said = ({ text, look }: { text: string; look: (typeof LOOKS)[number] | undefined }) => (
  <span>{text.split("*").map((part, i) => (i % 2 ? <Mark text={part} look={look} /> : part))}</span>
);

function Shown({ example: { Scene, marks = [], captions, says, why }, pair }: { example: Example; pair: boolean }) {
  return (
    <figure class={`example ${typeof says === "string" ? says : ""}`}>
      <svg viewBox="0 0 120 80" aria-hidden="true">
        <Scene />
        {marks.map(({ box: [x, y, width, height], old }) => (
          <rect class={old ? "old box" : "new box"} x={x} y={y} width={width} height={height} />
        ))}
      </svg>
      <figcaption>
        {captions.map((text, i) => (
          <Said text={text} look={pair ? LOOKS[i] : undefined} />
        ))}
        <span class="why">
          <b>{wordsOf(says)}.</b> {why}
        </span>
      </figcaption>
    </figure>
  );
}

/** The rules of a task, with sketched examples. */
export function Rule({ task }: { task: Task }) {
  const { sentences, examples } = RULES[task];
  return (
    <>
      <ul class="rule">
        {sentences.map((sentence) => (
          <li>{sentence}</li>
        ))}
      </ul>
      <div class="examples">
        {examples.map((example) => (
          <Shown example={example} pair={task === "coreference_link"} />
        ))}
      </div>
    </>
  );
}

/** The rules of a task under its title, for visitors who only look. */
export function Guide({ task }: { task: Task }) {
  return (
    <div class="guide">
      <h2>{RULES[task].title}</h2>
      <Rule task={task} />
    </div>
  );
}

interface Props {
  task: Task;
  /** Called once, when the instructions open. */
  onShow: () => void;
  onExamples: (() => void) | null;
  onTour: (() => void) | null;
  onClose: () => void;
}

/** The dialog with the rules of a task, examples, and keys. */
export function Instructions({ task, onShow, onExamples, onTour, onClose }: Props) {
  const { title, keys } = RULES[task];
  useEffect(onShow, []);
  return (
    <Dialog title={title} wide onClose={onClose}>
      <Rule task={task} />
      <dl class="keys">
        {[...keys, ...KEYS].map(([key, does]) => (
          <div>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
      <div class="row">
        {onExamples && (
          <button type="button" onClick={onExamples}>
            Show the examples again
          </button>
        )}
        {onTour && (
          <button type="button" onClick={onTour}>
            Show me around the page
          </button>
        )}
      </div>
    </Dialog>
  );
}
