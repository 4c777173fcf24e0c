/** Long work: asked for every second while it is open, with a bar and a line that say where it stands. */

import { Refusal, request } from "../api/client";
import { type Follow, follow, type Followed } from "../api/follow";

const FINAL: Readonly<Record<number, string>> = {
  401: "You were signed out. Sign in again, then load this page again.",
  403: "You may not see this any more. Ask an owner of the project.",
  404: "This is not there any more. Go back to the project.",
};

/** Follow what an address returns, with trouble in words for the page; "": nothing is wrong any more. */
export const followAddress = <T>(address: string, { trouble, ...more }: Omit<Follow<T>, "trouble"> & { trouble: (words: string) => void }): Followed =>
  follow((signal) => request<T>(address, { signal }), {
    ...more,
    trouble: (error) => trouble(error ? ((error instanceof Refusal && FINAL[error.status]) || "The service does not answer. Asking again …") : ""),
  });

const EVERY_MS = 1000;

export interface Standing {
  state: string;
  done: number;
  total: number;
  doing?: string;
}

/** Follow the work at `address` until it has ended. `words` says where it stands; nothing leaves what is there. */
export function followWork(root: HTMLElement, address: string, words: (now: Standing) => string, ended: () => void | Promise<void>): void {
  /** What the line said before it said what is wrong. */
  let before: string | null = null;
  followAddress<Standing>(address, {
    every: EVERY_MS,
    on: (now) => {
      if (now.state === "waiting" || now.state === "running") {
        showWork(root, now, words(now));
        return "go on";
      }
      void ended();
      return "ended";
    },
    trouble: (sentence) => {
      const line = root.querySelector<HTMLElement>("[data-show]");
      if (!line) return;
      before ??= line.textContent;
      line.textContent = sentence || before;
      if (!sentence) before = null;
    },
  });
}

function showWork(root: HTMLElement, now: Standing, words: string): void {
  const bar = root.querySelector("progress");
  if (bar && now.total) [bar.max, bar.value] = [now.total, now.done];
  const line = root.querySelector("[data-show]");
  if (line && words) line.textContent = words;
}
