import type { Answer, Caption, Example, Task } from "../api/types";
import type { Rectangle } from "./example";
import { ruleOf } from "./index";
import { pictureOf, UNIT } from "./scenes";
import { lang } from "../t";

const boxOf = ([x, y, width, height]: Rectangle): [number, number, number, number] => [x * UNIT, y * UNIT, (x + width) * UNIT, (y + height) * UNIT];

/** "A man in *a hat*" as a caption whose phrase is marked. */
function captionOf(marked: string, number: number): Caption {
  const [before = "", phrase = "", after = ""] = marked.split("*");
  return { number, text: before + phrase + after, phrases: [{ mention: number, start: before.length, end: before.length + phrase.length }] };
}

/** The sketches of a task as examples to try, for projects that have none of their own. */
export function builtIn(task: Task): Example[] {
  return ruleOf(task).examples.flatMap(({ scene, captions, old = [], box, answer, why, survey = null }) => {
    const drawn = box && boxOf(box);
    const right: Answer | null = answer !== "draw" ? answer : drawn ? { box: drawn } : null;
    if (right === null) return [];
    return {
      image: pictureOf(scene),
      language: lang,
      captions: survey ? [] : captions.map(captionOf),
      other_captions: [],
      boxes: old.map(boxOf),
      new_box: (task === "box_quality" && drawn) || null,
      survey,
      answer: right,
      explanation: why,
      missing: answer === "draw" && drawn ? [drawn] : [],
    };
  });
}
