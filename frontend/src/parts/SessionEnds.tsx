/** The pages between assignments in a session on a platform. */

import type { Receipt } from "../api/types";
import type { PageContext } from "../state/calls";
import type { Session } from "../state/session";
import type { Work } from "../state/use_work";
import { money } from "./money";
import { Primary } from "./Primary";
import { WayOut } from "./WayOut";
import { many, t } from "../t";

type Figures = NonNullable<Receipt["session"]>;

/** "2 of 3 assignments of this HIT done." */
export function doneInWords({ done, least, quota }: Figures, { word }: Session): string {
  if (done < least) return many(least, "{done} of {n} assignment of this {word} done.", "{done} of {n} assignments of this {word} done.", { done, word });
  if (done >= quota) return t("All assignments of this {word} done.", { word });
  return many(
    done,
    "{n} assignment of this {word} done. You can hand it in now, or do up to {quota} in all.",
    "{n} assignments of this {word} done. You can hand it in now, or do up to {quota} in all.",
    { word, quota },
  );
}

/** The earnings of the session, if this page has seen all of its assignments, and how they are paid. */
export function payInWords({ done }: Figures, session: Session, { assignments, cents }: Work["state"]["earned"]): string {
  const { word, reward, currency } = session;
  const soFar = assignments === done && done > 1 ? `${t("{amount} earned so far.", { amount: money(cents, currency) })} ` : "";
  return soFar + t("The {word} pays {amount}; anything you earn beyond that is paid as a bonus.", { word, amount: money(reward, currency) });
}

/** What follows an assignment: the next one, and handing in as soon as there are enough. */
export function Onward({ figures, session, work, context }: { figures: Figures; session: Session; work: Work; context: PageContext }) {
  const { done, least, quota } = figures;
  const onward = done < quota && <Primary label={t("Continue")} onPress={work.look} />;
  const finish = onward ? t("Hand in and finish") : t("Hand in the {word}", { word: session.word });
  const enough = done >= least;
  return (
    <>
      <p>{doneInWords(figures, session)}</p>
      {enough && <p class="quiet">{payInWords(figures, session, work.state.earned)}</p>}
      {enough ? <WayOut {...{ work, context, finish }} main={!onward} children={onward} /> : onward}
    </>
  );
}

/** The page on the way back to the platform. Its button repeats the step, in case it failed. */
export function Leaving({ session: { word, platform }, work }: { session: Session; work: Work }) {
  const done = work.state.handing === "done";
  return (
    <main class="card">
      <h1>{done ? t("Handed in") : t("Handing in …")}</h1>
      <p role="status">{done ? t("Taking you back to {platform} …", { platform }) : t("Your answers are stored.")}</p>
      {done && <p class="quiet">{t("Still here after a while? Press the button: nothing counts twice.")}</p>}
      {done && <Primary name="finish" label={t("Hand in the {word}", { word })} onPress={work.handIn} />}
    </main>
  );
}

/** The page when its token has expired: the platform can open it again. */
export function Reload({ kept }: { kept: boolean }) {
  return (
    <main class="card">
      <h1>{t("Reload this page")}</h1>
      <p role="alert">
        {t("It was open for too long. Reload it to continue.")}
        {kept && ` ${t("Your answers are kept on this device.")}`}
      </p>
      <Primary label={t("Reload this page")} onPress={() => location.reload()} />
    </main>
  );
}
