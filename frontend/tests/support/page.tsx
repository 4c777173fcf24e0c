/** The whole page with a server that answers at once. Tests that open it replace the picture: vi.mock of canvas/Stage. */

import { act, fireEvent, render } from "@testing-library/preact";
import { vi } from "vitest";
import { assignment, question } from "./samples";
import { TASKS } from "./tasks";
import type { Api } from "../../src/api/client";
import type { Assignment, Conversation, Receipt } from "../../src/api/types";
import type { PageContext } from "../../src/labelling/calls";
import { DEFAULTS } from "../../src/labelling/preferences";
import type { Session } from "../../src/labelling/session";
import { Page } from "../../src/labelling/views/Page";
import { preload } from "../../src/labelling/views/late";
import { TasksContext } from "../../src/tasks/task";

// A page of these tests has everything at once.
await preload();

export const RECEIPT: Receipt = { stored: 2, too_late: 0, skipped: 0, repeated: false, differs: false, message: "", earned_cents: 40, test: null, session: null };
export const EXAMPLES = [
  { ...question("*A man* waits", "*A tourist* waits"), answer: "same" as const, explanation: "One person.", missing: [] },
  { ...question("*A man* waits", "*A hat*"), answer: "different" as const, explanation: "A hat is no man.", missing: [] },
];
export const PLACE = { project: "demo", title: "Demo", task: "coreference_link", home: "/work/demo/", needed: 1, met: false, session: null } as const;
export const CONVERSATION: Conversation = { id: 7, subject: "receipt", task: "coreference_link", assignment: "t-1", waits: true, posts: [] };

/** A session on a platform. */
export const HIT: Session = {
  platform: "Mechanical Turk",
  word: "HIT",
  least: 2,
  quota: 4,
  reward: 80,
  currency: "USD",
  paysTests: false,
  wayOut: "To leave the HIT itself, use its own Return button.",
  url: "https://mturk.example/submit",
  fields: { assignmentId: "3ABC" },
  bearer: "t",
};

export function fakeApi(given: Assignment | null = assignment(2, { currency: "EUR" })) {
  const lease = { seconds_left: 600, state: "active", bearer: null };
  return {
    ask: vi.fn<Api["ask"]>(() => Promise.resolve({ assignment: given, message: given ? "" : "Only others can go on." })),
    offers: vi.fn<Api["offers"]>(() => Promise.resolve([])),
    examples: vi.fn<Api["examples"]>(() => Promise.resolve(EXAMPLES)),
    beat: vi.fn<Api["beat"]>(() => Promise.resolve(lease)),
    keep: vi.fn<Api["keep"]>(() => Promise.resolve(lease)),
    submit: vi.fn<Api["submit"]>(() => Promise.resolve(RECEIPT)),
    giveBack: vi.fn<Api["giveBack"]>(() => Promise.resolve({ returned: true })),
    report: vi.fn<Api["report"]>(() => Promise.resolve({ message: "Thank you." })),
    messages: vi.fn<Api["messages"]>(() => Promise.resolve([])),
    write: vi.fn<Api["write"]>(() => Promise.resolve(CONVERSATION)),
    prefer: vi.fn<Api["prefer"]>((change) => Promise.resolve({ ...DEFAULTS, ...change })),
    finish: vi.fn<Api["finish"]>(() => Promise.resolve({ finished: true })),
  };
}

export const wait = (milliseconds: number): Promise<void> => act(() => vi.advanceTimersByTimeAsync(milliseconds) as unknown as Promise<void>);

export async function open(api = fakeApi(), context: PageContext = PLACE, tasks = TASKS) {
  const root = document.body.appendChild(document.createElement("div"));
  const shown = render(<TasksContext.Provider value={tasks}><Page root={root} context={context} api={api} /></TasksContext.Provider>, { container: root });
  await wait(0);
  const press = async (...keys: string[]): Promise<void> => {
    for (const key of keys) {
      await wait(300); // nothing answers before
      fireEvent.keyDown(window, { key });
      await wait(0);
    }
  };
  return { ...shown, root, api, press, text: () => root.textContent ?? "" };
}
