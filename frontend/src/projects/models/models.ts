// The page of models: how far a measurement is.
import { followWork } from "../run";

export function models(root: HTMLElement): void {
  if (root.dataset.open !== "yes") return;
  followWork(
    root,
    root.dataset.measure ?? "",
    (now) => now.doing ?? "",
    () => window.location.reload(),
  );
}
