/** The types of what page and server exchange, as the server describes them. */

import type { components } from "./schema";

type Shapes = components["schemas"];

export type Task = Shapes["TaskEnum"];
/** Short judgments outside the six tasks of the protocol; a page of their own script asks them. */
export type SurveyTask = "caption_check" | "atom_visual";
export type ProtocolTask = Exclude<Task, SurveyTask>;
export type Phrase = Shapes["PhraseShape"];
export type Caption = Shapes["CaptionShape"];
export type Question = Shapes["QuestionShape"];
export type Assignment = Shapes["AssignmentShape"];
/** A question with its right answer and the reason; the page tells whoever tries it. */
export type Example = Shapes["ExampleShape"];
export type TestResult = NonNullable<Shapes["ReceiptShape"]["test"]>;
export type Mistake = TestResult["mistakes"][number];
export type Lease = Shapes["LeaseShape"];
export type Receipt = Shapes["ReceiptShape"];
/** A task as the worker finds it now. */
export type Offer = Shapes["OfferShape"];
export type Preferences = Shapes["PreferencesShape"];
export type Report = Required<Shapes["ReportShape"]>;

/** A message to the requester, and what both sides have said. */
export type Written = Shapes["WriteShape"];
export type Conversation = Shapes["ConversationShape"];

/** What the server returns when a worker asks for work; without an assignment, `message` gives the reason. */
export type Asked = Shapes["WorkShape"];

/** The answers that a task takes. */
export type AnswerTo<T extends Task> = Shapes["Answers"][T];
export type Answer = Shapes["Answer"];
/** An answer, or a part of one: a caption that was called wrong before its wrong word is picked. Only drafts hold parts. */
export type Begun<A> = A | (A extends { verdict: "wrong" } ? Omit<A, "word"> & { word?: undefined } : never);

/** The reply to one question; null: the question is left out and goes to other workers. */
export type Reply = Shapes["SubmissionShape"]["answers"][number];
export type SkipReason = NonNullable<NonNullable<Reply>["skip"]>;
