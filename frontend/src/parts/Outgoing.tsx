import { answered } from "../state/assignment";
import type { Work } from "../state/use_work";
import { money } from "./money";
import { many, t } from "../t";

/** What happens to the last assignment: it goes out soon and can be taken back, or it is stored. */
export function Outgoing({ work: { state, act } }: { work: Work }) {
  const { outgoing, gone, index, assignment } = state;
  if (outgoing && !outgoing.sending)
    return (
      <span class="outgoing">
        <span class="unseen" role="status">{many(answered(outgoing.entries), "{n} answer will be sent in a few seconds.", "{n} answers will be sent in a few seconds.")}</span>
        <button type="button" class="plain" data-take-back onClick={() => act({ type: "take back" })}>
          {t("Change last answers")} <kbd>←</kbd>
        </button>
      </span>
    );
  if (outgoing) return <span class="outgoing">{t("Sending …")}</span>;
  if (!gone || index > 0) return null;
  const pay = gone.earned_cents > 0 ? `, ${money(gone.earned_cents, assignment?.currency ?? "")}` : "";
  return (
    <span class="outgoing" role="status">
      {t("{n} stored", { n: gone.stored }) + pay}
    </span>
  );
}
