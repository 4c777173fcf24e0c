import { isHeld, isTest } from "../state/assignment";
import type { Place } from "../state/calls";
import type { Work } from "../state/use_work";
import { Lease } from "./Lease";
import { Progress } from "./Progress";

interface Props {
  place: Place;
  work: Work;
  onHelp: () => void;
}

/** Where one is, how far, how long still, and the way out. */
export function Header({ place, work, onHelp }: Props) {
  const { phase, entries, index, ended } = work.sitting;
  const held = isHeld(work.sitting);
  const going = held && phase !== "learning";
  return (
    <header class="top">
      <Brand {...place} />
      {held && isTest(work.sitting) && (
        <span class="test">
          <span class="word">Qualification</span> test
        </span>
      )}
      {going && <Progress entries={entries} index={index} onGo={(to) => work.act({ type: "go", index: to })} />}
      {held && !ended && <Lease ends={work.ends} onEnd={() => work.act({ type: "time is up" })} />}
      <button type="button" class="plain help" data-help onClick={onHelp}>
        How it works <kbd>?</kbd>
      </button>
    </header>
  );
}

/** The project's name, which leads home where there is one. */
function Brand({ title, home }: Place) {
  const inside = (
    <>
      <span class="mark" aria-hidden="true" />
      <span>{title}</span>
    </>
  );
  if (!home) return <span class="brand">{inside}</span>;
  return (
    <a class="brand" href={home} title="Home">
      {inside}
    </a>
  );
}
