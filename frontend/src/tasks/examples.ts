/** The examples of rules: small pictures of simple shapes on 120 x 80, each as an address, and sketches to try. */

import type { Answer, Caption, Example, Task } from "../api/types";
import type { Picture } from "../canvas/Picture";
import type { Rectangle, Rule } from "./task";
import { lang } from "../t";

export const SKY = '<path fill="#cfe3f1" d="M0 0h120v80H0z"/>';
const GROUND = `${SKY}<path fill="#9cc48a" d="M0 60h120v20H0z"/>`;
const BLUE = "#3c6fb0";
export const RED = "#c23b33";
export const BROWN = "#8a5a36";
export const PALE = "#f4ecdf";
export const STONE = "#8d8f94";

export const person = (x: number, shirt: string, size = 1): string =>
  `<g transform="translate(${x} 70) scale(${size})"><path fill="#39404d" d="M-8-20h7v20h-7zM1-20h7v20H1z"/>` +
  `<rect fill="${shirt}" x="-10" y="-42" width="20" height="24" rx="5"/><circle fill="#c98f6b" cy="-50" r="8"/></g>`;

const dog = (x: number, coat: string): string =>
  `<g fill="${coat}" transform="translate(${x} 50)"><rect width="26" height="12" rx="5"/>` +
  '<path d="M2 10h4v12H2zM20 10h4v12h-4zM-5-9l3 11 5-2z"/><circle cx="29" cy="-2" r="7"/><path d="m26-12 6 4-7 3z"/></g>';

/** Boxes of those who are in them, in the units of a sketch. */
export const MAN = [48, 5, 24, 65] as const;
export const LEFT_DOG = [13, 38, 41, 34] as const;
export const RIGHT_DOG = [65, 38, 41, 34] as const;
export const BOTH_DOGS = [13, 38, 93, 34] as const;
export const PEOPLE = [7, 29, 106, 41] as const;

/** The size of the picture in pixels, for each of its 120 x 80 units. */
const UNIT = 10;

export const pictureOf = (scene: string): Picture => ({ url: scene, full_url: scene, width: 120 * UNIT, height: 80 * UNIT });

export const picture = (inside: string): string =>
  `data:image/svg+xml,${encodeURIComponent(`<svg xmlns="http://www.w3.org/2000/svg" width="1200" height="800" viewBox="0 0 120 80">${inside}</svg>`)}`;

export const MAN_IN_HAT = picture(`${GROUND}${person(60, BLUE)}<path fill="${RED}" d="M48 14h24v4H48zM53 5h14v10H53z"/>`);

export const TWO_DOGS = picture(GROUND + dog(18, BROWN) + dog(70, PALE));

export const CROWD = picture(
  GROUND + [14, 26, 38, 50, 62, 74, 86, 98, 106].map((x, i) => person(x, [BLUE, RED, STONE][i % 3] ?? BLUE, i % 2 ? 0.62 : 0.7)).join(""),
);

/** A caption without the asterisks around its phrase. */
export const plain = (marked: string): string => marked.replaceAll("*", "");

const boxOf = ([x, y, width, height]: Rectangle): [number, number, number, number] => [x * UNIT, y * UNIT, (x + width) * UNIT, (y + height) * UNIT];

/** "A man in *a hat*" as a caption whose phrase is marked. */
function captionOf(marked: string, number: number): Caption {
  const [before = "", phrase = "", after = ""] = marked.split("*");
  return { number, text: before + phrase + after, phrases: [{ mention: number, start: before.length, end: before.length + phrase.length }] };
}

/** The sketches of a task as examples to try, for projects that have none of their own. */
export function builtIn(task: Task, { examples }: Rule): Example[] {
  return examples.flatMap(({ scene, captions, old = [], box, answer, why, sweep, survey = null }) => {
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
      sweep: sweep ? { about: 0, candidates: captions.map((_, i) => i).slice(1), preset: [] } : null,
      answer: right,
      explanation: why,
      missing: answer === "draw" && drawn ? [drawn] : [],
    };
  });
}
