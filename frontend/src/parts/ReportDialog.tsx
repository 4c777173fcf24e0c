import { useState } from "preact/hooks";
import { Refusal } from "../api/client";
import type { Question, Report } from "../api/types";
import { pieces } from "./Captions";
import { Dialog } from "./Dialog";
import { t } from "../t";

type Subject = Pick<Report, "what" | "number"> & { label: string };

/** Words that keep their own direction inside a sentence of the page. */
const isolated = (words: string): string => `\u2068${words}\u2069`;

/** Everything in a question that can be reported. */
export function subjects({ captions }: Question): Subject[] {
  const shorten = (text: string): string => (text.length > 60 ? `${text.slice(0, 60)} …` : text);
  const phrases = captions.flatMap((caption) =>
    caption.phrases.map((phrase): Subject => {
      const words = pieces({ ...caption, phrases: [phrase] }).find(({ marked }) => marked)?.text ?? "";
      return { what: "mention", number: phrase.mention, label: t("The phrase “{words}”", { words: isolated(words) }) };
    }),
  );
  const whole = captions.map(({ number, text }): Subject => {
    return { what: "caption", number, label: t("The caption “{words}”", { words: isolated(shorten(text)) }) };
  });
  return [...phrases, ...whole, { what: "image", number: null, label: t("The picture") }];
}

interface Props {
  question: Question;
  index: number;
  onReport: (report: Report) => Promise<{ message: string }>;
  onClose: () => void;
}

export function ReportDialog({ question, index, onReport, onClose }: Props) {
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
