import type { ComponentChildren } from "preact";

interface Props {
  trouble: { waiting: number; message: string };
  ended: boolean;
  onSubmit: () => void;
  children: ComponentChildren;
}

/** What the worker has to know whatever they are doing: no connection, no time left, something left behind. */
export function Notices({ trouble, ended, onSubmit, children }: Props) {
  return (
    <div class="notices" role="status">
      {trouble.waiting > 0 && (
        <p class="notice offline">
          {trouble.message || "No connection. Your answers are kept here; trying again …"}
        </p>
      )}
      {ended && (
        <p class="notice ended">
          Time is up. Your answers are kept: submit them now; what others have answered meanwhile is left out.{" "}
          <button type="button" onClick={onSubmit}>
            Submit now
          </button>
        </p>
      )}
      {children}
    </div>
  );
}
