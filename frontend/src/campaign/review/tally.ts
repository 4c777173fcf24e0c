/** Count errors by key: the number of a kind adds one, with Shift it takes one away, and Enter goes on. */

export function tally(form: HTMLFormElement): void {
  window.addEventListener("keydown", (event) => {
    const target = event.target instanceof Element ? event.target : document.body;
    if (event.ctrlKey || event.metaKey || event.altKey || target.closest("input, a, button, summary")) return;
    if (event.key === "Enter") return form.requestSubmit();
    const digit = /^(?:Digit|Numpad)(\d)$/.exec(event.code)?.[1] ?? event.key;
    const field = form.querySelector<HTMLInputElement>(`[data-key="${CSS.escape(digit)}"]`);
    if (!field) return;
    event.preventDefault();
    if (event.shiftKey) field.stepDown();
    else field.stepUp();
  });
  form.dataset.keys = "ready";
}
