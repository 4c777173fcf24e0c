import { useEffect } from "preact/hooks";
import type { Example, Task } from "../api/types";
import { TaskScreen } from "../screens";
import { useKeys } from "../state/keys";
import { Primary } from "./Primary";

interface Props {
  task: Task;
  example: Example;
  at: number;
  of: number;
  /** The label of the button that goes on. */
  next: string;
  onNext: () => void;
  onBack: (() => void) | null;
  /** Skip the other examples; null: this is the last one. */
  onLeave: (() => void) | null;
}

const ignore = (): void => undefined;

/** One example on the screen of its task, with the right answer and the reason. */
export function Lesson({ task, example, at, of, next, onNext, onBack, onLeave }: Props) {
  const back = onBack ?? ignore;
  useKeys({ ArrowRight: onNext, ArrowLeft: back, Backspace: back });
  useEffect(() => {
    document.documentElement.scrollTop = 0;
  }, [at]);
  return (
    <main class="question lesson" aria-label={`Example ${at + 1} of ${of}`}>
      <TaskScreen key={at} task={task} question={example} answer={example.answer} onAnswer={ignore} onChange={ignore} disabled shown />
      <aside class="aids" aria-label="Why">
        <div role="status">
          <p class="quiet">{`Example ${at + 1} of ${of}`}</p>
          <p>{example.explanation || "This is the right answer."}</p>
        </div>
        <div class="row">
          <Primary label={next} onPress={onNext} />
          {onBack && (
            <button type="button" class="plain" onClick={onBack}>
              Back <kbd>←</kbd>
            </button>
          )}
          {onLeave && (
            <button type="button" class="plain" onClick={onLeave}>
              Skip the examples
            </button>
          )}
        </div>
      </aside>
    </main>
  );
}
