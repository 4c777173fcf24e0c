/** The kinds of mistakes in examples: the cases that the server's rule is tested by, too. */

import { expect, it } from "vitest";
import type { Answer } from "../../src/api/types";
import type { Box } from "../../src/canvas/geometry/box";
import { mistakeIn } from "../../src/labelling/views/mistake";
import cases from "../support/mistakes.json";

it.each<[touched: number[], mistake: string | null]>([
  [[1, 2, 3], null],
  [[1, 2], null], // one of six candidates may be wrong
  [[1, 2, 3, 4], null],
  [[1], "missed link"],
  [[1, 2, 4], "missed link"],
  [[1, 2, 3, 4, 5], "linked others"],
  [[], "missed link"],
])("of six candidates, 1, 2 and 3 right, the touches %j are: %s", (touched, mistake) => {
  const sweep = { about: 0, candidates: [1, 2, 3, 4, 5, 6], preset: [] };
  expect(mistakeIn({ answer: { same: [1, 2, 3] }, missing: [], sweep }, { same: touched })).toBe(mistake);
});

it.each(cases)("$task: for $truth the answer $answer is: $mistake", ({ task, truth, answer, mistake }) => {
  const missing = (task === "box_drawing" ? truth : []) as unknown as [number, number, number, number][];
  const first: Box | undefined = missing[0];
  const right = task === "box_drawing" ? (first ? { box: [...first] } : { none_missing: true }) : truth;
  expect(mistakeIn({ answer: right as Answer, missing, sweep: null }, answer as Answer)).toBe(mistake);
});
