import { useRef, useState } from "preact/hooks";
import { PAGE } from "../keyboard/commands";
import { useCommands } from "../keyboard/useCommands";
import { Key } from "../keyboard/Key";
import { t } from "../t";

export const COMMENT_LENGTH = 1000;

interface Props {
  text: string;
  onInput: (text: string) => void;
}

/** A comment on the current question, folded until the worker opens it. */
export function Comment({ text, onInput }: Props) {
  const [open, setOpen] = useState(text !== "");
  const label = useRef<HTMLLabelElement>(null);
  const field = useRef<HTMLTextAreaElement>(null);
  const show = (): void => {
    // Immediately, so that the next letter typed lands here and does not answer the question.
    if (label.current) label.current.hidden = false;
    field.current?.focus();
    setOpen(true);
  };
  useCommands(PAGE, { comment: show });
  return (
    <>
      <button type="button" class="plain" aria-expanded={open} hidden={open} onClick={show}>
        {PAGE.comment.label} <Key name={PAGE.comment.keys[0]} />
      </button>
      <label ref={label} class="field comment" hidden={!open}>
        {t("Comment")}
        <textarea
          ref={field}
          rows={2}
          maxLength={COMMENT_LENGTH}
          value={text}
          onInput={(event) => onInput(event.currentTarget.value)}
          onKeyDown={(event) => event.key === "Escape" && event.currentTarget.blur()}
        />
      </label>
    </>
  );
}
