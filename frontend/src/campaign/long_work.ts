// Long work: ask once a second where it stands, move the bar, and act when it has ended.
const EVERY_MS = 1000;

export interface Standing {
  state: string;
  done: number;
  total: number;
  doing?: string;
}

/** Follow the work at `address` until it has ended. `words` says where it stands; nothing leaves what is there. */
export function follow(root: HTMLElement, address: string, words: (now: Standing) => string, ended: () => void | Promise<void>): void {
  const look = async (): Promise<void> => {
    try {
      const answer = await fetch(address, { headers: { Accept: "application/json" } });
      if (answer.redirected || answer.status === 403 || answer.status === 404) return;
      if (answer.ok) {
        const now = (await answer.json()) as Standing;
        if (now.state !== "waiting" && now.state !== "running") return await ended();
        show(root, now, words(now));
      }
    } catch {
      // The network or the service is away for a moment: the next request tells.
    }
    window.setTimeout(() => void look(), EVERY_MS);
  };
  window.setTimeout(() => void look(), EVERY_MS);
}

export function show(root: HTMLElement, now: Standing, words: string): void {
  const bar = root.querySelector("progress");
  if (bar && now.total) [bar.max, bar.value] = [now.total, now.done];
  const line = root.querySelector("[data-show]");
  if (line && words) line.textContent = words;
}
