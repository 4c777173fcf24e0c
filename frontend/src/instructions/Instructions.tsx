import type { Task } from "../api/types";
import { LOOKS, Mark } from "../parts/Captions";
import { Dialog } from "../parts/Dialog";
import { RULES } from "./index";
import type { Example, Rule, Says } from "./example";

const KEYS: Rule["keys"] = [
  ["←", "back"],
  ["→", "on, without an answer"],
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

interface Props {
  task: Task;
  onTour: (() => void) | null;
  onClose: () => void;
}

/** The rule of a task with examples, and the keys. */
export function Instructions({ task, onTour, onClose }: Props) {
  const { title, sentences, examples, keys } = RULES[task];
  return (
    <Dialog title={title} wide onClose={onClose}>
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
      {onTour && (
        <button type="button" onClick={onTour}>
          Walk me through the page
        </button>
      )}
    </Dialog>
  );
}
