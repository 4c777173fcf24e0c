import { Dialog } from "./Dialog";

interface Props {
  done: number;
  onReturn: () => void;
  onClose: () => void;
}

export function ReturnDialog({ done, onReturn, onClose }: Props) {
  return (
    <Dialog title="Return this assignment?" onClose={onClose}>
      <p>
        Its questions go to other people.
        {done > 0 && ` What you have answered (${done}) is thrown away.`}
      </p>
      <div class="row">
        <button type="button" class="danger" onClick={onReturn}>
          Return it
        </button>
        <button type="button" onClick={onClose}>
          Keep it
        </button>
      </div>
    </Dialog>
  );
}
