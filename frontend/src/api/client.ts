/** The calls of the API as functions. Each returns the server's answer, or throws Refusal or Unreachable. */

import { Unreachable } from "../state/send";
import type { Call, ResponseOf } from "./call";
import type { Lease, Preferences, Reply, Report, Task, Written } from "./types";
import { t } from "../t";

/** The server refused the call; `message` is for the worker. */
export class Refusal extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
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
  const messages = (project: string) => read(call("GET", `${within(project)}/messages/`));
  const write = (project: string, body: Written) => read(call("POST", `${within(project)}/messages/`, body));
  const finish = () => read(call("POST", "/session/finish/"));
  const prefer = (body: Partial<Preferences>) => read(call("PATCH", "/preferences/", body));
  return { prefer, ask, examples, beat, keep, submit, giveBack, report, messages, write, finish };
}
