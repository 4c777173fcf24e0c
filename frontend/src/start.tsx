import { render } from "preact";
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
  const root = document.querySelector<HTMLElement>("#work");
  if (root) {
    const { project = "", title = "", task, bearer = "", api = "", home = "", needed, met, drawBy } = root.dataset;
    const preferences = readPreferences(root.dataset["preferences"]);
    const context = { project, title, task: task as Task, home, needed: Number(needed ?? 0), met: met === "yes", session: sessionOf(root.dataset), preferences, drawBy: drawBy as DrawBy | undefined };
    render(
      <TasksContext.Provider value={tasks}>
        <Page root={root} context={context} api={makeApi(api, bearer)} />
      </TasksContext.Provider>,
      root,
    );
  }

  const preview = document.querySelector<HTMLElement>("[data-preview]");
  if (preview) {
    const task = preview.dataset["preview"] as Task;
    render(<TasksContext.Provider value={tasks}><Late.Guide task={task} /></TasksContext.Provider>, preview);
  }
}
