import { expect, it, vi } from "vitest";
import type { Call, ResponseOf } from "../../src/api/call";
import type { Asked, Conversation, Example, Lease, Preferences, Receipt, Task } from "../../src/api/types";

type Called<Shapes> = { [I in keyof Shapes]: Promise<ResponseOf<Shapes[I]>> };

const fake = vi.fn(() => Promise.resolve());
const call = fake as unknown as Call;
const [token, project, task] = ["t" as string, "p" as string, "box_drawing" as Task];

it("a call takes what the server takes, and returns what it returns", () => {
  const known: Called<[Asked, Lease, Lease, Receipt, { questions: Example[] }, Conversation[], Preferences]> = [
    call("POST", `/projects/${project}/assignments/`, { task }),
    call("POST", `/assignments/${token}/heartbeat/`),
    call("PUT", `/assignments/${token}/draft/`, { draft: {} }, true),
    call("POST", `/assignments/${token}/submit/`, { answers: [{ answer: "same" }, null] }),
    call("GET", `/projects/${project}/examples/?task=${task}`),
    call("GET", `/projects/${project}/messages/`),
    call("PATCH", "/preferences/", { language: "de" }),
  ];
  expect(known).toHaveLength(fake.mock.calls.length);
});

it("a wrong method, address, query or body does not compile", () => {
  // Nobody runs these: the type check fails where it finds no mistake.
  const mistakes = [
    // @ts-expect-error: no such address
    () => call("POST", `/assignments/${token}/heartbeats/`),
    // @ts-expect-error: an address of more than the server's
    () => call("POST", `/assignments/${token}/heartbeat/now/`),
    // @ts-expect-error: no slash at the end
    () => call("POST", "/session/finish"),
    // @ts-expect-error: an address that nobody knows yet
    () => call("POST", token),
    // @ts-expect-error: another method
    () => call("GET", `/assignments/${token}/heartbeat/`),
    // @ts-expect-error: without its parameter
    () => call("POST", "/assignments/heartbeat/"),
    // @ts-expect-error: the parameter's name in place of its value
    () => call("POST", `/conversations/{conversation}/read/`),
    // @ts-expect-error: a parameter of the wrong type
    () => call("POST", `/conversations/${token}/read/`),
    // @ts-expect-error: without its query
    () => call("GET", `/projects/${project}/examples/`),
    // @ts-expect-error: the query of another name
    () => call("GET", `/projects/${project}/examples/?tasks=${task}`),
    // @ts-expect-error: a query of a wrong value
    () => call("GET", `/projects/${project}/examples/?task=${token}`),
    // @ts-expect-error: a query where there is none
    () => call("GET", `/projects/${project}/messages/?task=${task}`),
    // @ts-expect-error: without its body
    () => call("PUT", `/assignments/${token}/draft/`),
    // @ts-expect-error: a body of another name
    () => call("PUT", `/assignments/${token}/draft/`, { drafts: {} }),
    // @ts-expect-error: a body of a wrong value
    () => call("POST", `/projects/${project}/assignments/`, { task: "drawing" }),
    // @ts-expect-error: a body of more than the server takes
    () => call("POST", `/projects/${project}/assignments/`, { task, after: token }),
    // @ts-expect-error: a body where there is none
    () => call("POST", `/assignments/${token}/return/`, { draft: {} }),
    // @ts-expect-error: a wrong value in a body that may be left out
    () => call("PATCH", "/preferences/", { language: "klingon" }),
    // @ts-expect-error: an answer of another call
    (): Promise<ResponseOf<Receipt>> => call("POST", `/assignments/${token}/heartbeat/`),
  ];
  expect(mistakes).toHaveLength(19);
});
