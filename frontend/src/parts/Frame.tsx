import type { ComponentChildren } from "preact";
import { useContext, useRef } from "preact/hooks";
import { type Sight, SightContext } from "../state/sight";
import { isAbove, useMarksInView } from "./useMarksInView";
import { useUnseen } from "./useUnseen";
import { many, t } from "../t";

interface Props {
  picture: ComponentChildren;
  ask: ComponentChildren;
  children: ComponentChildren;
  /** What is called what is judged where it is not a phrase: the part that is out of sight, and the request to look at it. */
  whole?: Whole;
}

interface Whole {
  rest: string;
  first: string;
}

/** The layout of every screen: the picture, and the question beside it (on a phone: below it). */
export function Frame({ picture, ask, children, whole }: Props) {
  const frame = useRef<HTMLDivElement>(null);
  const sight = useContext(SightContext);
  useMarksInView(frame);
  useUnseen(frame, sight?.onUnseen);
  return (
    <div ref={frame} class="frame" data-answers={sight?.state}>
      <div class="view">{picture}</div>
      <div class="column">
        <h1 class="ask">{ask}</h1>
        {children}
        <p class="waits quiet" role="status">
          {sight && waitsInWords(sight, whole)}
        </p>
      </div>
      {sight && sight.unseen.length > 0 && (
        <button type="button" class="below" onClick={sight.look}>
          {moreInWords(sight.unseen, whole)}
        </button>
      )}
    </div>
  );
}

function waitsInWords({ slow, picture, urged }: Sight, whole?: Whole): string {
  if (slow) return picture === "failed" ? t("Answers wait for the picture. Try it again above.") : t("Answers wait for the picture.");
  return urged ? (whole?.first ?? t("First look at everything that is marked.")) : "";
}

function moreInWords(unseen: readonly Element[], whole?: Whole): string {
  const above = unseen[0] !== undefined && isAbove(unseen[0]);
  if (whole) return `${whole.rest} ${above ? "↑" : "↓"}`;
  return above
    ? many(unseen.length, "{n} more phrase above ↑", "{n} more phrases above ↑")
    : many(unseen.length, "{n} more phrase below ↓", "{n} more phrases below ↓");
}
