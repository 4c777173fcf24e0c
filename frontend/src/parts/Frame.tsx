import type { ComponentChildren } from "preact";
import { useContext, useRef } from "preact/hooks";
import { type Sight, SightContext } from "../state/sight";
import { useUnseen } from "./useUnseen";
import { many, t } from "../t";

interface Props {
  picture: ComponentChildren;
  ask: ComponentChildren;
  children: ComponentChildren;
}

/** The layout of every screen: the picture, and the question beside it (on a phone: below it). */
export function Frame({ picture, ask, children }: Props) {
  const frame = useRef<HTMLDivElement>(null);
  const sight = useContext(SightContext);
  useUnseen(frame, sight?.onUnseen);
  return (
    <div ref={frame} class="frame" data-answers={sight?.state}>
      <div class="view">{picture}</div>
      <div class="column">
        <h1 class="ask">{ask}</h1>
        {children}
        <p class="waits quiet" role="status">
          {sight && waitsInWords(sight)}
        </p>
      </div>
      {sight && sight.unseen.length > 0 && (
        <button type="button" class="below" onClick={sight.look}>
          {moreInWords(sight.unseen)}
        </button>
      )}
    </div>
  );
}

function waitsInWords({ slow, picture, urged }: Sight): string {
  if (slow) return picture === "failed" ? t("Answers wait for the picture. Try it again above.") : t("Answers wait for the picture.");
  return urged ? t("First look at everything that is marked.") : "";
}

function moreInWords(unseen: readonly Element[]): string {
  const isAbove = (unseen[0]?.getBoundingClientRect().top ?? 0) < 0;
  return isAbove
    ? many(unseen.length, "{n} more phrase above ↑", "{n} more phrases above ↑")
    : many(unseen.length, "{n} more phrase below ↓", "{n} more phrases below ↓");
}
