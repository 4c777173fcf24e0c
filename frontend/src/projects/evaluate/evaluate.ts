// Evaluations: the fields of a file where one is needed, and how far the work is.
import { localize } from "../../local_time";
import { followWork, type Standing } from "../long_work";

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
  const page = new DOMParser().parseFromString(await (await fetch(window.location.href)).text(), "text/html");
  const fresh = page.querySelector("[data-live]");
  const old = root.querySelector("[data-live]");
  if (!fresh || !old) return window.location.reload();
  old.replaceWith(document.adoptNode(fresh));
  for (const button of root.querySelectorAll<HTMLButtonElement>("button.main")) button.disabled = false;
  localize(document);
}

export function inWords(now: { done: number; total: number; doing: string }): string {
  if (!now.total) return `${now.doing} …`;
  return `${now.doing}: ${now.done.toLocaleString("en")} of ${now.total.toLocaleString("en")}`;
}
