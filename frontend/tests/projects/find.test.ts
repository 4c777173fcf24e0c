import { fireEvent } from "@testing-library/preact";
import { afterEach, beforeEach, expect, it, vi } from "vitest";

const HITS = '<ul><li><a href="#one">Review</a></li><li><a href="#two">Reward</a></li></ul>';
const PAGE = `<main><button data-key="y">Yes <kbd>Y</kbd></button></main><button data-open-find>Find</button>
  <dialog class="find" data-find="/find/?project=dogs"><input><div data-found></div><ul data-keys></ul></dialog>`;

let close = (): void => undefined;
afterEach(() => close());

async function opened() {
  document.body.innerHTML = PAGE;
  const { findDialog } = await import("../../src/projects/find");
  const dialog = document.querySelector("dialog") as HTMLDialogElement;
  close = findDialog(dialog);
  return { dialog, field: dialog.querySelector("input") as HTMLInputElement };
}

beforeEach(() => {
  vi.stubGlobal("fetch", vi.fn(() => Promise.resolve(new Response(HITS))));
});

it("Ctrl-K opens it; arrows lead from the field through what is found", async () => {
  const { dialog, field } = await opened();
  fireEvent.keyDown(window, { key: "k", ctrlKey: true });
  expect(dialog.open).toBe(true);
  fireEvent.input(field, { target: { value: "rev" } });
  await vi.waitFor(() => expect(dialog.querySelectorAll("a")).toHaveLength(2));
  expect(fetch).toHaveBeenLastCalledWith("/find/?project=dogs&q=rev");
  fireEvent.keyDown(field, { key: "ArrowDown" });
  expect(document.activeElement?.textContent).toBe("Review");
  fireEvent.keyDown(document.activeElement as Element, { key: "ArrowUp" });
  expect(document.activeElement).toBe(field);
});

it("the question mark shows the keys of the page's own buttons, each once", async () => {
  const { dialog } = await opened();
  fireEvent.keyDown(window, { key: "?" });
  expect(dialog.open).toBe(true);
  dialog.open = false;
  fireEvent.click(document.querySelector("[data-open-find]") as Element);
  expect([...dialog.querySelectorAll("[data-keys] li")].map((row) => row.textContent)).toEqual(["Y Yes"]);
});
