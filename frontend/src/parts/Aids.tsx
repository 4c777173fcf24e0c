import { Comment } from "./Comment";
import type { Opened } from "./Dialogs";
import { PAGE } from "../keyboard/commands";
import { Key } from "../keyboard/Key";
import { t } from "../t";

interface Props {
  /** In a test no question can be skipped: nobody else could take it. */
  test: boolean;
  comment: string;
  onComment: (text: string) => void;
  onOpen: (dialog: Opened) => void;
}

/** Everything a worker can do with a question besides answering it. */
export function Aids({ test, comment, onComment, onOpen }: Props) {
  return (
    <aside class="aids" aria-label={t("More")}>
      <Comment text={comment} onInput={onComment} />
      {!test && (
        <button type="button" class="plain" data-open="skip" onClick={() => onOpen("skip")}>
          {PAGE.skip.label} <Key name={PAGE.skip.keys[0]} />
        </button>
      )}
      <button type="button" class="plain" data-open="report" onClick={() => onOpen("report")}>
        {t("Report a problem")}
      </button>
      <button type="button" class="plain" data-open="return" onClick={() => onOpen("return")}>
        {test ? t("Leave the test") : t("Return this assignment")}
      </button>
    </aside>
  );
}
