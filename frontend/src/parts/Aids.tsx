import { Comment } from "./Comment";
import type { Opened } from "./Dialogs";

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
    <aside class="aids" aria-label="More">
      <Comment text={comment} onInput={onComment} />
      {!test && (
        <button type="button" class="plain" data-open="skip" onClick={() => onOpen("skip")}>
          Skip <kbd>s</kbd>
        </button>
      )}
      <button type="button" class="plain" data-open="report" onClick={() => onOpen("report")}>
        Report a problem
      </button>
      <button type="button" class="plain" data-open="return" onClick={() => onOpen("return")}>
        {test ? "Leave the test" : "Return this assignment"}
      </button>
    </aside>
  );
}
