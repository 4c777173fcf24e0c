// Evaluations: the fields of a file where one is needed, and how far the work is.
import { swap } from "../page";
import { followWork, type Standing } from "../run";

export function evaluate(root: HTMLElement): void {
  showWhereGiven(root);
  if (root.dataset.open !== "yes") return;
  const words = (now: Standing): string => (now.doing ? inWords({ ...now, doing: now.doing }) : "");
  followWork(root, root.dataset.evaluate ?? "", words, () => renew(root));
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

/** Put the list as it is now in the place of the old one, and leave the form as it is. */
async function renew(root: HTMLElement): Promise<void> {
  if (!(await swap(["[data-live]"]))) return window.location.reload();
  for (const button of root.querySelectorAll<HTMLButtonElement>("button.main")) button.disabled = false;
}

export function inWords(now: { done: number; total: number; doing: string }): string {
  if (!now.total) return `${now.doing} …`;
  return `${now.doing}: ${now.done.toLocaleString("en")} of ${now.total.toLocaleString("en")}`;
}
