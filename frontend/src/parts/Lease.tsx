import { useEffect, useState } from "preact/hooks";
import { leftInWords } from "../state/clock";
import { t } from "../t";

const SOON = 120;

/** The time left, inconspicuous until it is short. Calls `onEnd` when it has run out. `ends`: milliseconds since 1970. */
export function Lease({ ends, onEnd }: { ends: number; onEnd: () => void }) {
  const [left, setLeft] = useState(() => ends - Date.now());
  useEffect(() => {
    const look = (): void => {
      setLeft(ends - Date.now());
      if (ends <= Date.now()) onEnd();
    };
    look();
    const timer = setInterval(look, 1000);
    return () => clearInterval(timer);
  }, [ends]);
  const seconds = Math.max(0, left / 1000);
  return (
    <span class={seconds < SOON ? "lease soon" : "lease"}>
      <span role="timer">{leftInWords(seconds)}</span> <span class="word">{t("left")}</span>
      <span class="unseen" role="status">
        {seconds < SOON ? t("Less than two minutes left for this assignment.") : ""}
      </span>
    </span>
  );
}
