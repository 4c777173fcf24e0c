import "./work.css";
import { render } from "preact";
import { makeApi } from "./api/client";
import type { Task } from "./api/types";
import { Guide } from "./instructions/Instructions";
import { Page } from "./parts/Page";
import { sessionOf } from "./state/session";

const root = document.querySelector<HTMLElement>("#work");
if (root) {
  const { project = "", title = "", task, bearer = "", api = "", home = "", needed } = root.dataset;
  const context = { project, title, task: task as Task, home, needed: Number(needed ?? 0), session: sessionOf(root.dataset) };
  render(<Page root={root} context={context} api={makeApi(api, bearer)} />, root);
}

const preview = document.querySelector<HTMLElement>("[data-preview]");
if (preview) render(<Guide task={preview.dataset["preview"] as Task} />, preview);
