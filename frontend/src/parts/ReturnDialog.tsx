import { Dialog } from "./Dialog";

interface Props {
  test: boolean;
  done: number;
  /** On a platform: how to leave the session itself. */
  hint: string;
  onReturn: () => void;
  onClose: () => void;
}

export function ReturnDialog({ test, done, hint, onReturn, onClose }: Props) {
  return (
    <Dialog title={test ? "Leave the test?" : "Return this assignment?"} onClose={onClose}>
      <p>
        {test ? "You can take it another time." : "Its questions go to other people."}
        {done > 0 && ` Your answers so far (${done}) are thrown away.`}
      </p>
      {hint && <p class="quiet">{hint}</p>}
      <div class="row">
        <button type="button" class="danger" onClick={onReturn}>
          {test ? "Leave it" : "Return it"}
        </button>
        <button type="button" onClick={onClose}>
          {test ? "Stay" : "Keep it"}
        </button>
      </div>
    </Dialog>
  );
}
