import type { ComponentChildren } from "preact";
import type { PageContext } from "../state/calls";
import type { Work } from "../state/use_work";
import { Primary } from "./Primary";
import { t } from "../t";

interface Props {
  work: Work;
  context: PageContext;
  /** The label of the link home. */
  home?: string;
  /** The label of the button that hands the session in. */
  finish?: string;
  /** Whether this is the main action of the page. */
  main?: boolean;
  /** Other actions of the page. */
  children?: ComponentChildren;
}

/** Leads a worker without an account to what is kept about them, in a tab of its own. The token goes in the body. */
function OwnData({ bearer }: { bearer: string }) {
  return (
    <form class="own" method="post" action="/work/my-data/platform/" target="_blank">
      <input type="hidden" name="bearer" value={bearer} />
      <button class="plain" type="submit">
        {t("My data")}
      </button>
    </form>
  );
}

/** The way out: the link home, or on a platform the button that hands the session in. */
export function WayOut({ work, context, home = t("Home"), finish = t("Finish"), main = false, children }: Props) {
  if (!context.session)
    return (
      <>
        {children}
        <a class={main ? "button primary" : "plain"} href={context.home}>
          {home}
        </a>
      </>
    );
  const { refusal } = work.state;
  return (
    <>
      {refusal && (
        <p class="error" role="alert">
          {refusal.message} {refusal.code === "not_finished" && context.session.howToLeave}
        </p>
      )}
      <div class="row">
        {children}
        {main ? (
          <Primary name="finish" label={finish} onPress={work.handIn} />
        ) : (
          <button type="button" data-finish onClick={work.handIn}>
            {finish}
          </button>
        )}
      </div>
      <OwnData bearer={context.session.bearer} />
    </>
  );
}
