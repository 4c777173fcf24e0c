import { render } from "preact";
import { makeApi } from "./api/client";
import type { Task } from "./api/types";
import { Page } from "./parts/Page";
import { Guide } from "./parts/Rare";
import { type DrawBy, readPreferences } from "./state/preferences";
import { sessionOf } from "./state/session";

/** Shows the labelling page, or the rules of a task to those who only look, where the server wants them. */
export function start(): void {
  const root = document.querySelector<HTMLElement>("#work");
  if (root) {
    const { project = "", title = "", task, bearer = "", api = "", home = "", needed, met, drawBy } = root.dataset;
    const preferences = readPreferences(root.dataset["preferences"]);
    const context = { project, title, task: task as Task, home, needed: Number(needed ?? 0), met: met === "yes", session: sessionOf(root.dataset), preferences, drawBy: drawBy as DrawBy | undefined };
    render(<Page root={root} context={context} api={makeApi(api, bearer)} />, root);
  }

  const preview = document.querySelector<HTMLElement>("[data-preview]");
  if (preview) render(<Guide task={preview.dataset["preview"] as Task} />, preview);
}
