/** The calls of the API as functions. Each returns the server's answer, or throws Refusal or Unreachable. */

import { Unreachable } from "../state/send";
import type { paths } from "./schema";
import type { Asked, Conversation, Example, Lease, Preferences, Receipt, Reply, Report, Task, Written } from "./types";
import { t } from "../t";

/** The addresses of the API, relative to its root. */
type Addresses = { [Path in keyof paths as Path extends `/api/v1${infer Rest}` ? Rest : never]: paths[Path] };

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

/** What the server returns to a call, by its method and address. */
type Told<Path extends keyof Addresses, Method extends keyof Addresses[Path]> = Addresses[Path][Method] extends {
  responses: { 200: { content: { "application/json": infer Shape } } };
}
  ? Shape
  : never;

/** Whether a repeated call may succeed: throttling ends, and so does a failure of the server. */
const mayPass = (status: number): boolean => status >= 500 || status === 429;

async function read<T>(sent: Promise<Response>): Promise<T> {
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
  /** Call an address; `path` is it with its parameters filled in. */
  const call = (method: string, path: string, body?: unknown, keepalive = false): Promise<Response> =>
    fetch(baseUrl + path, {
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
  const projects = (project: string): string => `/projects/${encodeURIComponent(project)}`;
  const ask = (project: string, task: Task, ahead_of?: string) =>
    read<Asked>(call("POST", `${projects(project)}/assignments/`, { task, ...(ahead_of && { ahead_of }) }));
  const beat = (token: string) => read<Lease>(call("POST", `/assignments/${token}/heartbeat/`)).then(renew);
  const keep = (token: string, draft: unknown) => read<Lease>(call("PUT", `/assignments/${token}/draft/`, { draft }, document.hidden)).then(renew);
  const submit = (token: string, answers: Reply[]) => read<Receipt>(call("POST", `/assignments/${token}/submit/`, { answers }));
  const giveBack = (token: string, keepalive = false) => read<Told<"/assignments/{token}/return/", "post">>(call("POST", `/assignments/${token}/return/`, undefined, keepalive));
  const report = (token: string, body: Report) => read<Told<"/assignments/{token}/reports/", "post">>(call("POST", `/assignments/${token}/reports/`, body));
  const examples = (project: string, task: Task) =>
    read<{ questions: Example[] }>(call("GET", `${projects(project)}/examples/?task=${task}`)).then(({ questions }) => questions);
  const messages = (project: string) => read<Conversation[]>(call("GET", `${projects(project)}/messages/`));
  const write = (project: string, body: Written) => read<Conversation>(call("POST", `${projects(project)}/messages/`, body));
  const finish = () => read<Told<"/session/finish/", "post">>(call("POST", "/session/finish/"));
  const prefer = (body: Partial<Preferences>) => read<Preferences>(call("PATCH", "/preferences/", body));
  return { prefer, ask, examples, beat, keep, submit, giveBack, report, messages, write, finish };
}
