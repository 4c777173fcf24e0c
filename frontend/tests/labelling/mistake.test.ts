/** The kinds of mistakes in examples: the cases that the server's rule is tested by, too. */

import { expect, it } from "vitest";
import type { Answer, Mistake, Task } from "../../src/api/types";
import type { Box } from "../../src/canvas/geometry/box";
import cases from "../support/mistakes.json";
import { taskOf } from "../support/tasks";

it.each(cases)("$task: for $truth the answer $answer is: $mistake", ({ task, truth, answer, mistake, candidates }) => {
  const missing = (task === "box_drawing" ? truth : []) as unknown as [number, number, number, number][];
  const first: Box | undefined = missing[0];
  const right = task === "box_drawing" ? (first ? { box: [...first] } : { none_missing: true }) : truth;
  const { mistakeIn, mistakes } = taskOf(task as Task);
  const sweep = { about: 0, candidates: Array<number>(candidates ?? 0).fill(0), preset: [] };
  expect(mistakeIn({ answer: right as Answer, missing, sweep }, answer as Answer)).toBe(mistake);
  if (mistake) expect(mistakes[mistake as Mistake]).toMatch(/^You .+\.$/);
});
