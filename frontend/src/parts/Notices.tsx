import type { ComponentChildren } from "preact";
import { t } from "../t";

interface Props {
  trouble: { waiting: number; message: string };
  ended: boolean;
  onSubmit: () => void;
  children: ComponentChildren;
}

/** Notices for every page: no connection, no time left, unsent answers of an earlier assignment. */
export function Notices({ trouble, ended, onSubmit, children }: Props) {
  return (
    <div class="notices" role="status">
      {trouble.waiting > 0 && (
        <p class="notice offline">
          {trouble.message || t("No connection. Your answers are safe here; trying again …")}
        </p>
      )}
      {ended && (
        <p class="notice ended">
          {t("Time is up. Your answers are kept: submit them now. Questions that others have answered in the meantime are left out.")}{" "}
          <button type="button" onClick={onSubmit}>
            {t("Submit now")}
          </button>
        </p>
      )}
      {children}
    </div>
  );
}
