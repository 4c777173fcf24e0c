/** The calls of the API as functions. Each returns the server's answer, or throws Refusal or Unreachable. */

import createClient from "openapi-fetch";
import { Unreachable } from "../state/send";
import type { paths } from "./schema";
import type { Asked, Example, Lease, Preferences, Reply, Report, Task, Written } from "./types";
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

/** What the body of a call holds. */
type Sent<Path extends keyof Addresses, Method extends keyof Addresses[Path]> = Addresses[Path][Method] extends {
  requestBody?: { content: { "application/json": infer Shape } };
}
  ? Shape
  : undefined;

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
  const client = createClient<Addresses>({ baseUrl, credentials: "omit" });
  client.use({
    onRequest({ request }) {
      request.headers.set("Authorization", `Bearer ${bearer}`);
      return request;
    },
  });
  const renew = (lease: Lease): Lease => {
    bearer = lease.bearer ?? bearer;
    return lease;
  };
  const at = (token: string) => ({ params: { path: { token } } });
  // The two casts below: openapi-fetch forgets that a box has four numbers.
  const ask = (project: string, task: Task, ahead_of?: string): Promise<Asked> =>
    read(client.POST("/projects/{project}/assignments/", { params: { path: { project } }, body: { task, ...(ahead_of && { ahead_of }) } })) as Promise<Asked>;
  const beat = (token: string) => read(client.POST("/assignments/{token}/heartbeat/", at(token))).then(renew);
  const keep = (token: string, draft: unknown) =>
    read(client.PUT("/assignments/{token}/draft/", { ...at(token), body: { draft }, keepalive: document.hidden })).then(renew);
  const submit = (token: string, answers: Reply[]) =>
    read(client.POST("/assignments/{token}/submit/", { ...at(token), body: { answers } }));
  const giveBack = (token: string, keepalive = false) =>
    read(client.POST("/assignments/{token}/return/", { ...at(token), keepalive }));
  const report = (token: string, body: Report) =>
    read(client.POST("/assignments/{token}/reports/", { ...at(token), body }));
  const examples = (project: string, task: Task) =>
    read(client.GET("/projects/{project}/examples/", { params: { path: { project }, query: { task } } })).then(
      ({ questions }) => questions as Example[],
    );
  const messages = (project: string) => read(client.GET("/projects/{project}/messages/", { params: { path: { project } } }));
  const write = (project: string, body: Written) =>
    read(client.POST("/projects/{project}/messages/", { params: { path: { project } }, body }));
  const finish = () => read(client.POST("/session/finish/"));
  const prefer = (body: Partial<Preferences>) => read(client.PATCH("/preferences/", { body }));
  return { prefer, ask, examples, beat, keep, submit, giveBack, report, messages, write, finish };
}
