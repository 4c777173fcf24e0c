import type { Task } from "../api/types";
import { MAN_IN_HAT } from "./examples";
import { type Commands, MAIN, PAGE } from "../keyboard/commands";
import { Help } from "../keyboard/controls";
import { Mark } from "../labelling/views/Captions";
import { t } from "../t";
import { type Rectangle, type Sketch, useTask } from "./task";
import { Dialog } from "../ui/Dialog";
import { Button } from "../ui/Button";

/** What is said of a sketched box. */
const VERDICTS: Partial<Record<string, string>> = { draw: t("✓ Right"), null: t("✗ Wrong") };

/** "A man in *a hat*", with the phrase marked. `letter`: that of a link's phrase. */
const Said = ({ text, letter }: { text: string; letter?: string | undefined }) => (
  <span>{text.split("*").map((part, i) => (i % 2 ? <Mark text={part} look={letter ? (letter === "A" ? "a" : "b") : ""} letter={letter} /> : part))}</span>
);

const Box = ({ at: [x, y, width, height], look }: { at: Rectangle; look: string }) => <rect class={`sketch ${look}`} {...{ x, y, width, height }} />;

function Shown({ example: { scene, old = [], box, captions, answer, sweep, said, why }, task }: { example: Sketch; task: Task }) {
  const link = task === "coreference_link";
  const buttons = Object.assign({}, ...useTask(task).commands) as Commands;
  const inWords = said ?? buttons[String(answer)]?.label ?? "";
  const letters = ["A", ...(sweep ? "123456789" : "B")];
  return (
    <figure class={`example ${answer === "draw" ? "right" : answer ?? "wrong"}`}>
      <svg viewBox="0 0 120 80" aria-hidden="true">
        <image href={scene} width="120" height="80" />
        {old.map((at) => <Box at={at} look="old" />)}
        {box && <Box at={box} look="new" />}
      </svg>
      <figcaption>
        {captions.map((text, i) => <Said text={text} letter={link ? letters[i] : undefined} />)}
        <span class="why"><b>{VERDICTS[String(answer)] ?? t("Answer: {answer}", { answer: inWords })}.</b> {why}</span>
      </figcaption>
    </figure>
  );
}

/** The rule of a task, and the gesture that it needs. */
export function RuleText({ task }: { task: Task }) {
  const { sentences, gesture } = useTask(task).rule;
  return (
    <>
      <ul class="rule">{sentences.map((sentence) => <li>{sentence}</li>)}</ul>
      <p class="gesture">
        {task === "box_drawing" && <DragSketch />}
        <span><b>{t("How to do it.")}</b> {gesture}</span>
      </p>
    </>
  );
}

/** A drag from corner to corner, as a picture. */
const DragSketch = () => (
  <svg viewBox="30 0 64 80" aria-hidden="true">
    <image href={MAN_IN_HAT} width="120" height="80" />
    <Box at={[48, 5, 24, 65]} look="new" />
    <path class="drag" d="M48 5 72 70m-1-9 1 9-8-5" />
    <circle class="grab" cx="48" cy="5" r="3.5" />
  </svg>
);

/** The rule with sketched examples and their answers. */
function Sketches({ task }: { task: Task }) {
  return (
    <>
      <RuleText task={task} />
      <div class="examples">{useTask(task).rule.examples.map((example) => <Shown {...{ example, task }} />)}</div>
    </>
  );
}

/** The rules of a task under its title, for visitors who only look. */
export function Guide({ task }: { task: Task }) {
  return (
    <div class="guide">
      <h2>{useTask(task).rule.title}</h2>
      <Sketches task={task} />
    </div>
  );
}

interface Props {
  task: Task;
  onExamples: (() => void) | null;
  onClose: () => void;
}

/** The dialog with the rules of a task, examples, and keys. */
export function Instructions({ task, onExamples, onClose }: Props) {
  const { commands } = useTask(task);
  return (
    <Dialog title={useTask(task).rule.title} wide onClose={onClose}>
      <Sketches task={task} />
      <Help tables={[...commands, MAIN, PAGE]} />
      <div class="row">{onExamples && <Button onClick={onExamples}>{t("Try the examples")}</Button>}</div>
    </Dialog>
  );
}
