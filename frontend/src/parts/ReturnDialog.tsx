import { Dialog } from "./Dialog";
import { t } from "../t";

interface Props {
  test: boolean;
  done: number;
  /** Whether the assignment is paid for. */
  paid: boolean;
  /** On a platform: how to leave the session itself. */
  hint: string;
  onReturn: () => void;
  onClose: () => void;
}

export function ReturnDialog({ test, done, paid, hint, onReturn, onClose }: Props) {
  return (
    <Dialog title={test ? t("Leave the test?") : t("Return this assignment?")} onClose={onClose}>
      <p>
        {test ? t("You can take it another time.") : t("Its questions go to other people.")}
        {done > 0 &&
          ` ${t(paid ? "Your answers so far ({n}) are thrown away and not paid." : "Your answers so far ({n}) are thrown away.", { n: done })}`}
      </p>
      {hint && <p class="quiet">{hint}</p>}
      <div class="row">
        <button type="button" class="danger" onClick={onReturn}>
          {test ? t("Leave it") : t("Return it")}
        </button>
        <button type="button" onClick={onClose}>
          {test ? t("Stay") : t("Keep it")}
        </button>
      </div>
    </Dialog>
  );
}
