import { MAIN } from "../keyboard/commands";
import { useCommands } from "../keyboard/useCommands";
import { rich, t } from "../t";

/** As many characters as the server takes. */
const LONGEST = 60;

interface Props {
  wrong: string;
  /** Of the caption, as a BCP 47 tag; "": unknown. */
  language: string;
  right: string;
  onChange: (right: string) => void;
  onDone: () => void;
  disabled: boolean;
}

/** A field for the word that would be right instead of the wrong one. It may stay empty. */
export function RightWord({ wrong, language, right, onChange, onDone, disabled }: Props) {
  useCommands(MAIN, { press: disabled ? null : onDone });
  const send = (event: SubmitEvent): void => {
    event.preventDefault();
    onDone();
  };
  return (
    <form onSubmit={send}>
      <label class="field">
        <span>
          {rich("Which word would be right instead of “{word}”? (optional)", { word: <bdi lang={language || undefined}>{wrong}</bdi> })}
        </span>
        <input
          class="right"
          name="right"
          value={right}
          maxLength={LONGEST}
          lang={language || undefined}
          dir="auto"
          autocomplete="off"
          autocapitalize="none"
          enterkeyhint="next"
          disabled={disabled}
          onInput={(event) => onChange(event.currentTarget.value)}
        />
      </label>
      <button type="submit" class="primary" data-next disabled={disabled}>
        {t("Go on")} <kbd>Enter</kbd>
      </button>
    </form>
  );
}
