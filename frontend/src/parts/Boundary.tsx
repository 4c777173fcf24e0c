import type { ComponentChildren } from "preact";
import { useErrorBoundary } from "preact/hooks";
import { faultInWords } from "../state/fault";
import { t } from "../t";

interface Props {
  /** How to go on, besides another try. */
  onward?: ComponentChildren;
  children: ComponentChildren;
}

/** Shows what happened in place of a part of the page that throws; everything around it goes on. */
export function Boundary({ onward, children }: Props) {
  const [error, tryAgain] = useErrorBoundary(console.error) as [unknown, () => void];
  if (!error) return <>{children}</>;
  return (
    <section class="card fault">
      <h1>{t("Something went wrong")}</h1>
      <p role="alert">{faultInWords(error)}</p>
      <div class="row">
        <button type="button" data-again onClick={tryAgain}>
          {t("Try again")}
        </button>
        {onward}
      </div>
    </section>
  );
}
