import { useState } from "preact/hooks";
import { COMMENT_LENGTH } from "./Asking";
import { pieces } from "./Captions";
import { Refusal } from "../../api/client";
import type { Question, Report, SkipReason } from "../../api/types";
import { t } from "../../t";
import { Dialog } from "../../ui/Dialog";

const REASONS: readonly [SkipReason, string][] = [
  ["picture", t("The picture is missing, or I cannot make out what it shows")],
  ["unclear", t("I do not understand the question")],
  ["uncomfortable", t("I would rather not look at this")],
  ["other", t("Another reason")],
];

interface SkipProps {
  comment: string;
  /** What skipping costs, in words. */
  cost: string;
  onSkip: (reason: SkipReason, comment: string) => void;
  onClose: () => void;
}

export function SkipDialog({ comment, cost, onSkip, onClose }: SkipProps) {
  const [words, setWords] = useState(comment);
  return (
    <Dialog title={t("Leave this question to others")} onClose={onClose}>
      <p>{cost}</p>
      <p>{t("Why do you skip it?")}</p>
      <div class="reasons">
        {REASONS.map(([reason, label]) => (
          <button type="button" data-skip={reason} onClick={() => onSkip(reason, words)}>
            {label}
          </button>
        ))}
      </div>
      <label class="field">
        {t("Anything to add? (optional)")}
        <input value={words} maxLength={COMMENT_LENGTH} onInput={(event) => setWords(event.currentTarget.value)} />
      </label>
    </Dialog>
  );
}

type Subject = Pick<Report, "what" | "number"> & { label: string };

/** Words that keep their own direction inside a sentence of the page. */
const isolated = (words: string): string => `\u2068${words}\u2069`;

/** Everything in a question that can be reported. */
function subjects({ captions }: Question): Subject[] {
  const shorten = (text: string): string => (text.length > 60 ? `${text.slice(0, 60)} …` : text);
  const phrases = captions.flatMap((caption) =>
    caption.phrases.map((phrase): Subject => {
      const words = pieces({ ...caption, phrases: [phrase] }).find(({ mention }) => mention !== undefined)?.text ?? "";
      return { what: "mention", number: phrase.mention, label: t("The phrase “{words}”", { words: isolated(words) }) };
    }),
  );
  const whole = captions.map(({ number, text }): Subject => {
    return { what: "caption", number, label: t("The caption “{words}”", { words: isolated(shorten(text)) }) };
  });
  return [...phrases, ...whole, { what: "image", number: null, label: t("The picture") }];
}

interface ReportProps {
  question: Question;
  index: number;
  onReport: (report: Report) => Promise<{ message: string }>;
  onClose: () => void;
}

export function ReportDialog({ question, index, onReport, onClose }: ReportProps) {
  const [message, setMessage] = useState("");
  const [sending, setSending] = useState(false);
  const choices = subjects(question);
  const send = (event: SubmitEvent): void => {
    event.preventDefault();
    const form = new FormData(event.currentTarget as HTMLFormElement);
    const { what, number } = choices[Number(form.get("subject"))] ?? { what: "image", number: null };
    setSending(true);
    onReport({ question: index, what, number, comment: String(form.get("comment")) })
      .then((reply) => setMessage(reply.message))
      .catch((error: unknown) => setMessage(error instanceof Refusal ? error.message : t("The report was not sent. Try again.")))
      .finally(() => setSending(false));
  };
  return (
    <Dialog title={t("Report a problem")} onClose={onClose}>
      {message ? (
        <p role="status">{message}</p>
      ) : (
        <form onSubmit={send}>
          <fieldset>
            <legend>{t("What is wrong?")}</legend>
            {choices.map(({ label }, i) => (
              <label class="option">
                <input type="radio" name="subject" value={i} required /> {label}
              </label>
            ))}
          </fieldset>
          <label class="field">
            {t("What is wrong with it?")}
            <input name="comment" maxLength={500} required />
          </label>
          <button type="submit" class="primary" disabled={sending}>
            {sending ? t("Sending …") : t("Report")}
          </button>
        </form>
      )}
    </Dialog>
  );
}

interface ReturnProps {
  test: boolean;
  done: number;
  /** Whether the assignment is paid for. */
  paid: boolean;
  /** On a platform: how to leave the session itself. */
  hint: string;
  onReturn: () => void;
  onClose: () => void;
}

export function ReturnDialog({ test, done, paid, hint, onReturn, onClose }: ReturnProps) {
  return (
    <Dialog title={test ? t("Leave the test?") : t("Return this assignment?")} onClose={onClose}>
      <p>
        {test ? t("You can take it another time.") : t("Its questions go to other people.")}
        {done > 0 &&
          ` ${t(paid ? "Your answers so far ({n}) are thrown away and not paid." : "Your answers so far ({n}) are thrown away.", { n: done })}`}
      </p>
      {hint && <p class="quiet">{hint}</p>}
      <div class="row">
        <button type="button" class="danger" onClick={onReturn}>
          {test ? t("Leave it") : t("Return it")}
        </button>
        <button type="button" onClick={onClose}>
          {test ? t("Stay") : t("Keep it")}
        </button>
      </div>
    </Dialog>
  );
}
