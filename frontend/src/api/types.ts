/** What page and server say to one another, as the server describes it, and more exactly where it can't be. */

import type { components } from "./schema";

type Shapes = components["schemas"];

export type Task = Shapes["TaskEnum"];
export type Picture = Shapes["ImageShape"];
export type Phrase = Shapes["PhraseShape"];
export type Caption = Shapes["CaptionShape"];
export type Question = Shapes["QuestionShape"];
export type Assignment = Shapes["AssignmentShape"];
/** A question with the answer that is right, and why. */
export type Example = Question & { answer: Answer; explanation: string };
export type TestResult = NonNullable<Shapes["ReceiptShape"]["test"]>;
export type Lease = Shapes["LeaseShape"];
export type Receipt = Shapes["ReceiptShape"];
export type Report = Required<Shapes["ReportShape"]>;
export type SkipReason = NonNullable<NonNullable<Shapes["SubmissionShape"]["answers"][number]>["skip"]>;

/** Whole pixels of the upright image, half open. */
export type Box = [x0: number, y0: number, x1: number, y1: number];

/** The answer to who asks for work; null: nothing is open, for the reason that the message gives. */
export interface Asked {
  assignment: Assignment | null;
  message: string;
}

export type Answer =
  | "same"
  | "different"
  | "true"
  | "false"
  | 1
  | 2
  | 3
  | { box: Box }
  | { none_missing: true }
  | "good"
  | "bad"
  | "all there"
  | "more needed";

export interface Given {
  answer: Answer;
  seconds: number;
  comment: string;
}

export interface Skip {
  skip: SkipReason;
  comment: string;
}

/** The reply to one question; null: not answered, the question goes to others. */
export type Reply = Given | Skip | null;
