import { useState } from "preact/hooks";
import { Refusal } from "../api/client";
import type { Question, Report } from "../api/types";
import { pieces } from "./Captions";
import { Dialog } from "./Dialog";

type Subject = Pick<Report, "what" | "number"> & { label: string };

/** Everything in a question that can be reported. */
export function subjects({ captions }: Question): Subject[] {
  const shorten = (text: string): string => (text.length > 60 ? `${text.slice(0, 60)} …` : text);
  const phrases = captions.flatMap((caption) =>
    caption.phrases.map((phrase): Subject => {
      const words = pieces({ ...caption, phrases: [phrase] }).find(({ marked }) => marked)?.text ?? "";
      return { what: "mention", number: phrase.mention, label: `The phrase “${words}”` };
    }),
  );
  const whole = captions.map(({ number, text }): Subject => {
    return { what: "caption", number, label: `The caption “${shorten(text)}”` };
  });
  return [...phrases, ...whole, { what: "image", number: null, label: "The picture" }];
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
      .catch((error: unknown) => setMessage(error instanceof Refusal ? error.message : "The report was not sent. Try again."))
      .finally(() => setSending(false));
  };
  return (
    <Dialog title="Report a problem" onClose={onClose}>
      {message ? (
        <p role="status">{message}</p>
      ) : (
        <form onSubmit={send}>
          <fieldset>
            <legend>What is wrong?</legend>
            {choices.map(({ label }, i) => (
              <label class="option">
                <input type="radio" name="subject" value={i} required /> {label}
              </label>
            ))}
          </fieldset>
          <label class="field">
            What is wrong with it?
            <input name="comment" maxLength={500} required />
          </label>
          <button type="submit" class="primary" disabled={sending}>
            {sending ? "Sending …" : "Report"}
          </button>
        </form>
      )}
    </Dialog>
  );
}
