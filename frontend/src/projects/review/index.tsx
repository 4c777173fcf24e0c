import { render } from "preact";
import { Bench } from "./Bench";

/** Open the workbench in the element that the page has for it. */
export function open(root: HTMLElement): void {
  const { base = "", query = "", token = "", name = "", image = "", queue = "" } = root.dataset;
  root.replaceChildren();
  render(<Bench place={{ base, query, token }} links={{ name, image, queue }} />, root);
}
