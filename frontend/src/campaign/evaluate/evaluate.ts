// Evaluations: the fields of a file where one is needed, and how far the work is.
import { localize } from "../../local_time";

const EVERY_MS = 1000;

interface Standing {
  state: string;
  done: number;
  total: number;
  doing: string;
}

export function evaluate(root: HTMLElement): void {
  showWhereGiven(root);
  if (root.dataset.open === "yes") window.setTimeout(() => void look(root), EVERY_MS);
}

/** Show each field only for reports that read it. */
export function showWhereGiven(root: HTMLElement): void {
  const show = (): void => {
    const reads = root.querySelector<HTMLElement>("input[name=step]:checked")?.dataset.given?.split(" ") ?? [];
    for (const field of root.querySelectorAll<HTMLElement>("[data-of-given]")) {
      field.hidden = !reads.includes(field.dataset.ofGiven ?? "");
    }
  };
  root.addEventListener("change", show);
  show();
}

/** Ask once a second where the work stands; list the report when it has ended. */
async function look(root: HTMLElement): Promise<void> {
  try {
    const answer = await fetch(root.dataset.evaluate ?? "", { headers: { Accept: "application/json" } });
    if (answer.redirected || answer.status === 403 || answer.status === 404) return;
    if (answer.ok) {
      const now = (await answer.json()) as Standing;
      if (now.state !== "waiting" && now.state !== "running") return await renew(root);
      const bar = root.querySelector("progress");
      if (bar && now.total) [bar.max, bar.value] = [now.total, now.done];
      const words = root.querySelector("[data-show=doing]");
      if (words && now.doing) words.textContent = inWords(now);
    }
  } catch {
    // The network or the service is away for a moment: the next request tells.
  }
  window.setTimeout(() => void look(root), EVERY_MS);
}

/** Put the list as it is now in the place of the old one, and leave the form as it is. */
async function renew(root: HTMLElement): Promise<void> {
  const page = new DOMParser().parseFromString(await (await fetch(window.location.href)).text(), "text/html");
  const fresh = page.querySelector("[data-live]");
  const old = root.querySelector("[data-live]");
  if (!fresh || !old) return window.location.reload();
  old.replaceWith(document.adoptNode(fresh));
  for (const button of root.querySelectorAll<HTMLButtonElement>("button.main")) button.disabled = false;
  localize(document);
}

export function inWords(now: Pick<Standing, "done" | "total" | "doing">): string {
  if (!now.total) return `${now.doing} …`;
  return `${now.doing}: ${now.done.toLocaleString("en")} of ${now.total.toLocaleString("en")}`;
}
