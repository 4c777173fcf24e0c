import type { ComponentChildren } from "preact";
import type { PageContext } from "../state/calls";
import type { Work } from "../state/use_work";
import { Primary } from "./Primary";

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

/** The way out: the link home, or on a platform the button that hands the session in. */
export function WayOut({ work, context, home = "Home", finish = "Finish", main = false, children }: Props) {
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
    </>
  );
}
