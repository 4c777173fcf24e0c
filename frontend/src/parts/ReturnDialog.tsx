import { Dialog } from "./Dialog";

interface Props {
  test: boolean;
  done: number;
  /** What else one may have meant, on a platform. */
  hint: string;
  onReturn: () => void;
  onClose: () => void;
}

export function ReturnDialog({ test, done, hint, onReturn, onClose }: Props) {
  return (
    <Dialog title={test ? "Leave the test?" : "Return this assignment?"} onClose={onClose}>
      <p>
        {test ? "You can take it another time." : "Its questions go to other people."}
        {done > 0 && ` What you have answered (${done}) is thrown away.`}
      </p>
      {hint && <p class="quiet">{hint}</p>}
      <div class="row">
        <button type="button" class="danger" onClick={onReturn}>
          {test ? "Leave it" : "Return it"}
        </button>
        <button type="button" onClick={onClose}>
          {test ? "Go on" : "Keep it"}
        </button>
      </div>
    </Dialog>
  );
}
