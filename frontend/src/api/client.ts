/** All requests of the pages: a worker's calls of the API as functions, and what requesters' pages ask and send. */

import type { Call, OperationName, ResponseOf, Returned, Taken } from "./call";
import type { Lease, Preferences, Reply, Report, Task, Written } from "./types";
import { t } from "../t";

/** The server could not be reached, or failed: a repeated call may succeed. */
export class Unreachable extends Error {}

/** The server refused the call; `message` is for the reader. */
export class Refusal extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

interface Request<Given = unknown> {
  /** Sent as it is if it is a file, else as JSON. */
  readonly body?: Given;
  readonly signal?: AbortSignal;
}

/** The token that proves that a request comes from a page of the service: its form to sign out has it. */
const csrf = (): string => document.querySelector<HTMLInputElement>("[name=csrfmiddlewaretoken]")?.value ?? "";

/** One request in the session of the reader. The body is undefined where it is not JSON. Throws Unreachable. */
export async function exchange(address: string, { body, signal }: Request = {}) {
  const isFile = body instanceof Blob;
  const response = await fetch(address, {
    headers: { Accept: "application/json" },
    ...(body !== undefined && {
      method: "POST",
      headers: { Accept: "application/json", "X-CSRFToken": csrf(), "Content-Type": isFile ? "application/octet-stream" : "application/json" },
      body: isFile ? body : JSON.stringify(body),
    }),
    ...(signal && { signal }),
  }).catch(() => {
    throw new Unreachable("");
  });
  const { status, ok } = response;
  return { status, ok, body: (await response.json().catch(() => undefined)) as unknown };
}

/**
 * What an operation of the API returns in the session of the reader. Pages get the addresses of their operations from the server.
 * Throws Refusal, with the server's sentence if it has one, or Unreachable.
 */
export async function request<Name extends OperationName>(address: string, sent?: Request<Taken<Name>>): Promise<Returned<Name>> {
  const { status, ok, body } = await exchange(address, sent);
  if (status === 401) throw new Refusal(401, "signed_out", "");
  if (ok && body !== undefined) return body as Returned<Name>;
  const { code = "refused", message = "" } = (body ?? {}) as Partial<Refusal>;
  throw new Refusal(status, code, message);
}

/** A page of the service, as it is now; null: it cannot be had. */
export async function readPage(address: string): Promise<Document | null> {
  const response = await fetch(address).catch(() => null);
  return response?.ok ? new DOMParser().parseFromString(await response.text(), "text/html") : null;
}

/** Whether a repeated call may succeed: throttling ends, and so does a failure of the server. */
const mayPass = (status: number): boolean => status >= 500 || status === 429;

async function read<T>(sent: Promise<ResponseOf<T>>): Promise<T> {
  const response = await sent.catch(() => {
    throw new Unreachable("");
  });
  const { status, ok } = response;
  const told: unknown = await response.json().catch(() => undefined);
  const { code = "invalid", message = t("The server did not accept this.") } = (told ?? {}) as Partial<Refusal>;
  if (mayPass(status)) throw new Unreachable(status === 429 ? message : "");
  if (!ok || told === undefined) throw new Refusal(status, code, message);
  return told as T;
}

export type Api = ReturnType<typeof makeApi>;

export function makeApi(baseUrl: string, firstToken: string) {
  let bearer = firstToken;
  /** Call an address: a path with its parameters filled in. */
  const call: Call = (method: string, address: string, body?: unknown, keepalive = false) =>
    fetch(baseUrl + address, {
      method,
      keepalive,
      credentials: "omit",
      headers: { Authorization: `Bearer ${bearer}`, ...(body !== undefined && { "Content-Type": "application/json" }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  const renew = (lease: Lease): Lease => {
    bearer = lease.bearer ?? bearer;
    return lease;
  };
  const within = (project: string) => `/projects/${encodeURIComponent(project)}` as const;
  const ask = (project: string, task: Task, ahead_of?: string) =>
    read(call("POST", `${within(project)}/assignments/`, { task, ...(ahead_of && { ahead_of }) }));
  const beat = (token: string) => read(call("POST", `/assignments/${token}/heartbeat/`)).then(renew);
  const keep = (token: string, draft: unknown) => read(call("PUT", `/assignments/${token}/draft/`, { draft }, document.hidden)).then(renew);
  const submit = (token: string, answers: Reply[]) => read(call("POST", `/assignments/${token}/submit/`, { answers }));
  const giveBack = (token: string, keepalive = false) => read(call("POST", `/assignments/${token}/return/`, undefined, keepalive));
  const report = (token: string, body: Report) => read(call("POST", `/assignments/${token}/reports/`, body));
  const examples = (project: string, task: Task) =>
    read(call("GET", `${within(project)}/examples/?task=${task}`)).then(({ questions }) => questions);
  /** The tasks that the worker can take up after this one, the next first. */
  const offers = (project: string, after: Task) => read(call("GET", `${within(project)}/tasks/?after=${after}`));
  const messages = (project: string) => read(call("GET", `${within(project)}/messages/`));
  const write = (project: string, body: Written) => read(call("POST", `${within(project)}/messages/`, body));
  const finish = () => read(call("POST", "/session/finish/"));
  const prefer = (body: Partial<Preferences>) => read(call("PATCH", "/preferences/", body));
  return { prefer, ask, offers, examples, beat, keep, submit, giveBack, report, messages, write, finish };
}
