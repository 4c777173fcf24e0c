import { useEffect } from "preact/hooks";
import type { Example, Task } from "../api/types";
import { SCREENS } from "../screens";
import { useKeys } from "../state/keys";
import { Primary } from "./Primary";

interface Props {
  task: Task;
  example: Example;
  at: number;
  of: number;
  /** What the button says that goes on. */
  next: string;
  onNext: () => void;
  onBack: (() => void) | null;
  /** Past all other examples; null: this is the last. */
  onLeave: (() => void) | null;
}

const ignore = (): void => undefined;

/** One example, drawn by the task's own screen with its answer given, and why it is right. */
export function Lesson({ task, example, at, of, next, onNext, onBack, onLeave }: Props) {
  const Screen = SCREENS[task];
  const back = onBack ?? ignore;
  useKeys({ ArrowRight: onNext, ArrowLeft: back, Backspace: back });
  useEffect(() => {
    document.documentElement.scrollTop = 0;
  }, [at]);
  return (
    <main class="question lesson" aria-label={`Example ${at + 1} of ${of}`}>
      <Screen key={at} question={example} answer={example.answer} onAnswer={ignore} onChange={ignore} disabled shown />
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
