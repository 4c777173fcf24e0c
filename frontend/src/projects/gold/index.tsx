import { render } from "preact";
import { Gold } from "./Gold";

/** Open the page of one image in the element that it has for it. */
export function open(root: HTMLElement): void {
  const { address = "", token = "", name = "", list = "" } = root.dataset;
  root.replaceChildren();
  render(<Gold place={{ address, token }} links={{ name, list }} />, root);
}
