/** Kinds of mistakes, as the server names them, and their words. */

import type { Answer, AnswerTo, Example, Mistake } from "../../api/types";
import { area, type Box, iou, overlap } from "../../canvas/geometry/box";
import { t } from "../../t";

export const MISTAKES: Record<Mistake, string> = {
  "linked others": t("You linked phrases that mean different things."),
  "missed link": t("You said no to phrases that mean the same."),
  "kept stranger": t("You said yes although a phrase means something else."),
  "broke chain": t("You said no although all phrases mean the same."),
  "box for nothing": t("You saw something to box where there is nothing to box."),
  "missed thing": t("You missed a thing that a box fits around."),
  "place mixed up": t("You mixed up a place (2) with nothing to box (3)."),
  "needless box": t("You drew a box although none was missing."),
  "missed box": t("You missed a thing that has no box."),
  "too large": t("You drew a box too large."),
  "too small": t("You drew a box that cuts something off."),
  elsewhere: t("You drew a box beside the thing, or around another."),
  "accepted bad": t("You called a box good that cuts something off, is too loose, or is around the wrong thing."),
  "refused good": t("You called a good box bad."),
  "too few": t("You missed a thing that has no box."),
  "too many": t("You asked for more boxes although all were there."),
  "refused caption": t("You called a correct caption wrong."),
  "accepted foil": t("You called a caption correct although one word is wrong."),
  "other word": t("You picked another word than the wrong one."),
  "missed visible": t("You said no to a word whose meaning can be seen."),
  "saw invisible": t("You said yes to a word whose meaning cannot be seen."),
  "left out": t("You left questions out."),
};

/** The mistake that an answer is where it is wrong. */
const BY_ANSWER: Partial<Record<string, Mistake>> = {
  same: "linked others",
  different: "missed link",
  true: "kept stranger",
  false: "broke chain",
  good: "accepted bad",
  bad: "refused good",
  "all there": "too few",
  "more needed": "too many",
  1: "box for nothing",
  yes: "saw invisible",
  no: "missed visible",
};

/** What an answer to a link says about chains: a part is "different". */
const inChains = (answer: Answer): Answer => (answer === "a is part of b" || answer === "b is part of a" ? "different" : answer);

/** From this IOU on, a drawn box is right. */
const RIGHT = 0.5;
const MOSTLY = 0.75;

function wrongBox(box: Box, missing: readonly Box[]): Mistake | null {
  const nearest = missing.reduce<Box | null>((best, one) => (best && iou(box, best) >= iou(box, one) ? best : one), null);
  if (!nearest) return "needless box";
  if (iou(box, nearest) >= RIGHT) return null;
  const common = overlap(box, nearest);
  if (common >= MOSTLY * area(nearest)) return "too large";
  return common >= MOSTLY * area(box) ? "too small" : "elsewhere";
}

type Check = AnswerTo<"caption_check">;

function wrongCheck(right: Check, answer: Check): Mistake | null {
  if (answer.verdict === "correct") return right.verdict === "correct" ? null : "accepted foil";
  if (right.verdict === "correct") return "refused caption";
  return right.word === answer.word ? null : "other word";
}

/** A right answer to a sweep may be wrong about one of so many candidates. */
const PER_SLIP = 6;

function wrongSweep(right: readonly number[], touched: readonly number[], candidates: number): Mistake | null {
  const strangers = touched.filter((mention) => !right.includes(mention)).length;
  const missed = right.filter((mention) => !touched.includes(mention)).length;
  // Whoever could choose none of them without a mistake would not have to look.
  const looked = touched.length > 0 || missed === 0;
  if (looked && strangers + missed <= Math.floor(candidates / PER_SLIP)) return null;
  return strangers > missed ? "linked others" : "missed link";
}

/** The kind of mistake in an answer to an example, by the rule of the server's tests; null: it is right. */
export function mistakeIn({ answer: right, missing, sweep }: Pick<Example, "answer" | "missing" | "sweep">, answer: Answer): Mistake | null {
  if (typeof answer === "object" && "same" in answer) return wrongSweep((right as typeof answer).same, answer.same, sweep?.candidates.length ?? 0);
  if (typeof answer === "object" && "verdict" in answer) return wrongCheck(right as Check, answer);
  if (typeof answer === "object") return "box" in answer ? wrongBox(answer.box, missing) : missing.length > 0 ? "missed box" : null;
  const given = inChains(answer);
  if (given === inChains(right)) return null;
  return BY_ANSWER[given as string] ?? (right === 1 ? "missed thing" : "place mixed up");
}
