/** Where a run stands: asked for every second while it is open. */

import { request } from "../../api/client";
import type { Followed } from "../../api/follow";
import { find, plural, problemInWords } from "../page";
import { followAddress } from "../run";

type RunStanding = {
  state: "waiting" | "running" | "paused" | "cancelled" | "failed" | "done";
  wanted: string;
  done: number;
  total: number;
  images: number;
  alreadyThere: number;
  leftOut: number;
  withoutPhrases: number;
  note: string;
  problem: string;
  interrupted: boolean;
  seconds: number;
  kind: string;
  counts: string;
};

const EVERY = 1000;

/** The second line of a run: what became of the images. */
export function moreInWords(now: RunStanding): string {
  const asked = `${plural(now.images, "question")} asked`;
  const done = now.kind === "items" ? asked : now.kind === "types" ? `${plural(now.images, "image")} changed` : `${plural(now.images, "image")} imported`;
  const parts = now.kind === "dryrun" ? [now.state === "done" ? "Simulated workers answered everything" : "Simulated workers answer"] : [done];
  if (now.alreadyThere) parts.push(`${now.alreadyThere.toLocaleString("en")} were there already`);
  if (now.leftOut) parts.push(`${now.leftOut.toLocaleString("en")} left out`);
  if (now.withoutPhrases) parts.push(`${now.withoutPhrases.toLocaleString("en")} wait for phrases`);
  if (now.seconds) parts.push(`${now.seconds.toLocaleString("en")} s`);
  let words = `${parts.join(", ")}.`;
  if (now.interrupted) words += " The process that did this has ended; the work goes on by itself within a minute.";
  else if (now.wanted && now.state === "running") words += now.wanted === "pause" ? " Pausing …" : " Cancelling …";
  return words;
}

/** Show the run, and take the wishes. `ended` is called when it comes to an end while the page looks on. */
export function runs(box: HTMLElement, ended: () => void): () => void {
  const address = box.dataset["run"] ?? "";
  let followed: Followed | null = null;
  let open = ["waiting", "running"].includes(box.dataset["state"] ?? "");
  let over = false;

  const show = (now: RunStanding): void => {
    const badge = find(box, "[data-show=state]");
    badge.textContent = now.state;
    badge.className = `state s-${now.state}`;
    const bar = find<HTMLProgressElement>(box, "progress");
    bar.max = Math.max(1, now.total);
    bar.value = now.state === "done" ? bar.max : now.done;
    find(box, "[data-show=counts]").textContent = now.counts;
    find(box, "[data-show=more]").textContent = moreInWords(now);
    const note = find(box, "[data-show=note]");
    note.hidden = !now.note;
    note.textContent = now.note;
    const problem = find(box, "[data-show=problem]");
    problem.hidden = !now.problem;
    problem.textContent = now.problem;
    const works = now.state === "waiting" || now.state === "running";
    const rests = now.state === "paused" || now.state === "failed";
    find(box, "[data-wish=pause]").hidden = !works;
    find(box, "[data-wish=resume]").hidden = !rests;
    find(box, "[data-wish=cancel]").hidden = !works && !rests;
    if (open && !works && !over) ended();
    open = works;
  };
  const say = (words: string): void => {
    if (words) find(box, "[data-show=more]").textContent = words;
  };
  const begin = (): Followed => {
    followed?.stop();
    return (followed = followAddress<RunStanding>(address, {
      every: EVERY,
      on: (now) => {
        show(now);
        return open && !over ? "go on" : "ended";
      },
      trouble: say,
    }));
  };
  const wish = async (what: string): Promise<void> => {
    try {
      show(await request<RunStanding>(address, { body: new URLSearchParams({ wish: what }) }));
    } catch (error) {
      say(problemInWords(error));
    }
    if (open && !over) begin();
  };
  for (const button of box.querySelectorAll<HTMLButtonElement>("[data-wish]")) {
    button.addEventListener("click", () => void wish(button.dataset["wish"] ?? ""));
  }
  begin().now();
  return () => {
    over = true;
    followed?.stop();
  };
}
