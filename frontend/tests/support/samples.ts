/** Questions and assignments for tests. */

import type { Assignment, Caption, Question } from "../../src/api/types";

/** "*A man* waits" as a caption: the phrase stands between asterisks. */
export function caption(number: number, marked: string): Caption {
  const phrases: Caption["phrases"] = [];
  let text = "";
  marked.split("*").forEach((part, i) => {
    const start = Array.from(text).length;
    if (i % 2) phrases.push({ mention: 10 * number + phrases.length + 1, start, end: start + Array.from(part).length });
    text += part;
  });
  return { number, text, phrases };
}

export function question(...marked: string[]): Question {
  return {
    image: { url: "/one.jpg", full_url: "/one.jpg", width: 600, height: 400 },
    language: "",
    captions: marked.map((text, number) => caption(number, text)),
    other_captions: [],
    boxes: [],
    new_box: null,
    survey: null,
    sweep: null,
  };
}

export function assignment(questions: number, change: Partial<Assignment> = {}): Assignment {
  return {
    token: "t-1",
    project: "demo",
    task: "coreference_link",
    kind: "work",
    state: "active",
    seconds_left: 600,
    reward_cents: 0,
    currency: "",
    draft: null,
    questions: Array.from({ length: questions }, () => question("*A man* waits", "*A tourist* waits")),
    ...change,
  };
}
