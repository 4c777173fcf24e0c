/** Long work: asked for every second while it is open, with a bar and lines that say where it stands. */

import type { OperationName, Returned, Taken } from "../api/call";
import { Refusal, request } from "../api/client";
import { listen } from "../ui/listen";
import { find, problemInWords } from "./page";

/** Signed out, no member any more, deleted: asking again cannot help. */
const FINAL: Readonly<Record<number, string>> = {
  401: "You were signed out. Sign in again, then load this page again.",
  403: "You may not see this any more. Ask an owner of the project.",
  404: "This is not there any more. Go back to the project.",
};

const LONGEST = 15_000;

interface Follow<T> {
  /** Milliseconds from one answer to the next question. */
  readonly every: number;
  /** Called with each answer; "ended": nothing is asked any more. */
  readonly on: (value: T) => "go on" | "ended";
  /** Called with what is wrong, for the page; "": nothing any more. */
  readonly trouble: (words: string) => void;
}

/**
 * Read an address again and again, as long as somebody looks at the page. Stops where asking again cannot help, and asks less
 * often while the service is away. Returns what ends this, and what asks at once.
 */
export function followAddress<Name extends OperationName>(address: string, { every, on, trouble }: Follow<Returned<Name>>) {
  let timer = 0;
  let failures = 0;
  let asking: AbortController | undefined;

  const rest = (): void => {
    clearTimeout(timer);
    asking?.abort();
  };
  const now = (): void => {
    rest();
    if (!document.hidden) void ask();
  };
  const unlisten = listen(document, { visibilitychange: now });
  const stop = (): void => {
    rest();
    unlisten();
  };
  const later = (): void => {
    const pause = Math.min(every * 2 ** Math.max(0, failures - 1), Math.max(every, LONGEST));
    if (!document.hidden) timer = window.setTimeout(() => void ask(), pause);
  };
  const failed = (error: unknown): void => {
    const final = error instanceof Refusal ? FINAL[error.status] : undefined;
    failures += 1;
    // Once is a moment without the network, of which nobody need know.
    if (final || failures > 1) trouble(final ?? "The service does not answer. Asking again …");
    if (final) stop();
    else later();
  };
  async function ask(): Promise<void> {
    const { signal } = (asking = new AbortController());
    const answer = await request<Name>(address, { signal }).then((value) => ({ value }), (error: unknown) => ({ error }));
    if (signal.aborted) return;
    if ("error" in answer) return failed(answer.error);
    if (failures > 1) trouble("");
    failures = 0;
    if (on(answer.value) === "ended") stop();
    else if (!signal.aborted) later();
  }

  later();
  return { stop, now };
}

const EVERY_MS = 1000;

export type Run = Returned<"run">;

const isOpen = ({ state }: Pick<Run, "state">): boolean => state === "waiting" || state === "running";
const canResume = ({ state, resumable }: Run): boolean => resumable && (state === "paused" || state === "failed");

/** The line under the bar: what became of the work so far, and what is about to happen. */
export function messageOf({ message, seconds, interrupted, requested, state }: Run): string {
  const words = message ? `${message}${seconds ? `, ${seconds.toLocaleString("en")} s` : ""}.` : "";
  if (interrupted) return `${words} The process that did this has ended; the work goes on by itself within a minute.`;
  if (requested && state === "running") return `${words} ${requested === "pause" ? "Pausing" : "Cancelling"} …`;
  return words;
}

/** Show the run, follow it while it is open, and take the requests. `ended` is called when it ends while the page looks on. */
export function showRun(box: HTMLElement, ended: () => void): () => void {
  const address = box.dataset["run"] ?? "";
  const show = (name: string): HTMLElement => find(box, `[data-show=${name}]`);
  let followed: ReturnType<typeof followAddress> | null = null;
  // The state of the page, not of the first reply: work may end between the two.
  let open = isOpen({ state: show("state").textContent as Run["state"] });
  let over = false;

  const draw = (run: Run): void => {
    show("state").textContent = run.state;
    show("state").className = `state s-${run.state}`;
    const bar = find<HTMLProgressElement>(box, "progress");
    bar.max = Math.max(1, run.total);
    bar.value = run.state === "done" ? bar.max : run.done;
    for (const [name, words] of [["counts", run.counts], ["message", messageOf(run)], ["note", run.result?.["note"] as string | undefined], ["problem", run.problem]] as const) {
      show(name).textContent = words ?? "";
      show(name).hidden = !words;
    }
    const shown = { pause: run.resumable && isOpen(run), resume: canResume(run), cancel: isOpen(run) || canResume(run) };
    for (const [command, there] of Object.entries(shown)) find(box, `[value=${command}]`).hidden = !there;
    if (open && !isOpen(run) && !over) ended();
    open = isOpen(run);
  };
  const trouble = (words: string): void => {
    if (words) show("message").textContent = words;
  };
  const begin = (): void => {
    followed?.stop();
    const on = (run: Run): "go on" | "ended" => {
      draw(run);
      return open && !over ? "go on" : "ended";
    };
    followed = followAddress<"run">(address, { every: EVERY_MS, on, trouble });
    followed.now();
  };
  find<HTMLFormElement>(box, "form").addEventListener("submit", (event) => {
    event.preventDefault();
    const command = (event.submitter as HTMLButtonElement).value as Taken<"steer_run">["command"];
    void request<"steer_run">(address, { body: { command } })
      .then(draw, (error: unknown) => trouble(problemInWords(error)))
      .then(() => {
        if (open && !over) begin();
      });
  });
  begin();
  return () => {
    over = true;
    followed?.stop();
  };
}
