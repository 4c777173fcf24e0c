import type { ComponentChildren } from "preact";
import type { Place } from "../state/calls";
import type { Work } from "../state/use_work";
import { Primary } from "./Primary";

interface Props {
  work: Work;
  place: Place;
  /** What leads home is called. */
  home?: string;
  /** What hands a session in is called. */
  finish?: string;
  /** It is the thing to do here. */
  main?: boolean;
  /** What else there is to do. */
  children?: ComponentChildren;
}

/** Away from here: home, or on a platform by handing the session in. */
export function WayOut({ work, place, home = "Home", finish = "Finish", main = false, children }: Props) {
  if (!place.session)
    return (
      <>
        {children}
        <a class={main ? "button primary" : "plain"} href={place.home}>
          {home}
        </a>
      </>
    );
  const { refusal } = work.sitting;
  return (
    <>
      {refusal && (
        <p class="error" role="alert">
          {refusal.message} {refusal.code === "not_finished" && place.session.howToLeave}
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
