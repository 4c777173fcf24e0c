/** The whole page with a server that answers at once. Tests that open it replace the picture: vi.mock of canvas/Stage. */

import { act, fireEvent, render } from "@testing-library/preact";
import { vi } from "vitest";
import type { Api } from "../../src/api/client";
import type { Assignment, Receipt } from "../../src/api/types";
import { Page } from "../../src/parts/Page";
import type { PageContext } from "../../src/state/calls";
import { assignment, question } from "./samples";

export const RECEIPT: Receipt = { stored: 2, too_late: [], skipped: 0, repeated: false, message: "", earned_cents: 40, test: null, session: null };
export const EXAMPLES = [
  { ...question("*A man* waits", "*A tourist* waits"), answer: "same" as const, explanation: "One person." },
  { ...question("*A man* waits", "*A hat*"), answer: "different" as const, explanation: "A hat is no man." },
];
export const PLACE = { project: "demo", title: "Demo", task: "coreference_link", home: "/work/demo/", needed: 1, session: null } as const;

export function fakeApi(given: Assignment | null = assignment(2, { currency: "EUR" })) {
  const lease = { seconds_left: 600, bearer: null };
  return {
    ask: vi.fn<Api["ask"]>(() => Promise.resolve({ assignment: given, message: given ? "" : "Only others can go on." })),
    examples: vi.fn<Api["examples"]>(() => Promise.resolve(EXAMPLES)),
    beat: vi.fn<Api["beat"]>(() => Promise.resolve(lease)),
    keep: vi.fn<Api["keep"]>(() => Promise.resolve(lease)),
    submit: vi.fn<Api["submit"]>(() => Promise.resolve(RECEIPT)),
    giveBack: vi.fn<Api["giveBack"]>(() => Promise.resolve({ returned: true })),
    report: vi.fn<Api["report"]>(() => Promise.resolve({ message: "Thank you." })),
    finish: vi.fn<Api["finish"]>(() => Promise.resolve({ finished: true })),
  };
}

export const wait = (milliseconds: number): Promise<void> => act(() => vi.advanceTimersByTimeAsync(milliseconds) as unknown as Promise<void>);

export async function open(api = fakeApi(), context: PageContext = PLACE) {
  const root = document.body.appendChild(document.createElement("div"));
  const shown = render(<Page root={root} context={context} api={api} />, { container: root });
  await wait(0);
  const press = async (...keys: string[]): Promise<void> => {
    for (const key of keys) {
      fireEvent.keyDown(window, { key });
      await wait(0);
    }
  };
  return { ...shown, root, api, press, text: () => root.textContent ?? "" };
}

// The browser that runs the tests knows no modal dialogs.
HTMLDialogElement.prototype.showModal ??= function (this: HTMLDialogElement) {
  this.open = true;
};
