// Evaluations: the fields of a file where one is needed.

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
