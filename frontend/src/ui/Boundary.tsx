import type { ComponentChildren } from "preact";
import { useErrorBoundary } from "preact/hooks";
import { t } from "../t";
import { Button } from "./Button";

/** What a page says of a mistake of its own. */
export const faultInWords = (error: unknown): string => t("The page made a mistake: {error}. Your answers so far are kept.", { error: String(error) });

interface Props {
  /** How to go on, besides another try. */
  onward?: ComponentChildren;
  /** The sentences on what happened, where what people did is kept otherwise than answers are. */
  words?: (error: unknown) => string;
  children: ComponentChildren;
}

/** Shows what happened in place of a part of the page that throws; everything around it goes on. */
export function Boundary({ onward, words = faultInWords, children }: Props) {
  const [error, tryAgain] = useErrorBoundary(console.error) as [unknown, () => void];
  if (!error) return <>{children}</>;
  return (
    <section class="card fault">
      <h1>{t("Something went wrong")}</h1>
      <p role="alert">{words(error)}</p>
      <div class="row">
        <Button data-again onClick={tryAgain}>{t("Try again")}</Button>
        {onward}
      </div>
    </section>
  );
}
