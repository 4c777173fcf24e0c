import "./work.css";
import { render } from "preact";
import { makeApi } from "./api/client";
import type { Task } from "./api/types";
import { Page } from "./parts/Page";

const root = document.querySelector<HTMLElement>("#work");
if (root) {
  const { project = "", title = "", task, bearer = "", api = "", home = "/", needed } = root.dataset;
  const place = { project, title, task: task as Task, home, needed: Number(needed ?? 0) };
  render(<Page root={root} place={place} api={makeApi(api, bearer)} />, root);
}
