import { render, type VNode } from "preact";
import { makeApi } from "./api/client";
import type { Task } from "./api/types";
import type { DrawBy } from "./canvas/useBoxEditor";
import { readPreferences } from "./labelling/preferences";
import { sessionOf } from "./labelling/session";
import { Page } from "./labelling/views/Page";
import { Late } from "./labelling/views/late";
import { type Tasks, TasksContext } from "./tasks/task";

/** Shows the labelling page, or the rules of a task to those who only look, where the server wants them. */
export function start(tasks: Partial<Tasks>): void {
  const show = (view: VNode, place: HTMLElement): void => render(<TasksContext.Provider value={tasks}>{view}</TasksContext.Provider>, place);
  const root = document.querySelector<HTMLElement>("#work");
  if (root) {
    const { project = "", title = "", task, bearer = "", api = "", home = "", needed, met, drawBy } = root.dataset;
    const preferences = readPreferences(root.dataset["preferences"]);
    const context = { project, title, task: task as Task, home, needed: Number(needed ?? 0), met: met === "yes", mixed: "mixed" in root.dataset, session: sessionOf(root.dataset), preferences, drawBy: drawBy as DrawBy | undefined };
    show(<Page root={root} context={context} api={makeApi(api, bearer)} />, root);
  }
  const preview = document.querySelector<HTMLElement>("[data-preview]");
  if (preview) show(<Late.Guide task={preview.dataset["preview"] as Task} />, preview);
}
