import { useState } from "preact/hooks";
import type { SkipReason } from "../api/types";
import { COMMENT_LENGTH } from "./Comment";
import { Dialog } from "./Dialog";
import { t } from "../t";

const REASONS: readonly [SkipReason, string][] = [
  ["picture", t("The picture is missing, or I cannot make out what it shows")],
  ["unclear", t("I do not understand the question")],
  ["uncomfortable", t("I would rather not look at this")],
  ["other", t("Another reason")],
];

interface Props {
  comment: string;
  /** What skipping costs, in words. */
  cost: string;
  onSkip: (reason: SkipReason, comment: string) => void;
  onClose: () => void;
}

export function SkipDialog({ comment, cost, onSkip, onClose }: Props) {
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
