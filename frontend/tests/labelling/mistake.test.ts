/** The kinds of mistakes in examples: the cases that the server's rule is tested by, too. */

import { expect, it } from "vitest";
import type { Answer } from "../../src/api/types";
import type { Box } from "../../src/canvas/geometry/box";
import { mistakeIn } from "../../src/labelling/views/mistake";
import cases from "../support/mistakes.json";

it.each(cases)("$task: for $truth the answer $answer is: $mistake", ({ task, truth, answer, mistake, candidates }) => {
  const missing = (task === "box_drawing" ? truth : []) as unknown as [number, number, number, number][];
  const first: Box | undefined = missing[0];
  const right = task === "box_drawing" ? (first ? { box: [...first] } : { none_missing: true }) : truth;
  expect(mistakeIn({ answer: right as Answer, missing, sweep: { about: 0, candidates: Array(candidates ?? 0).fill(0), preset: [] } }, answer as Answer)).toBe(mistake);
});
