// Long work: ask once a second where it stands, move the bar, and act when it has ended.
import { follow } from "./follow";

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
  follow<Standing>(address, {
    every: EVERY_MS,
    on: (now) => {
      if (now.state === "waiting" || now.state === "running") {
        show(root, now, words(now));
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

export function show(root: HTMLElement, now: Standing, words: string): void {
  const bar = root.querySelector("progress");
  if (bar && now.total) [bar.max, bar.value] = [now.total, now.done];
  const line = root.querySelector("[data-show]");
  if (line && words) line.textContent = words;
}
