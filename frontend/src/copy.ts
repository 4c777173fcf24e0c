/** A button beside everything that is to be sent or kept: links, tokens and commands. */

const SHOWN_MS = 2000;

export function addCopyButtons(root: ParentNode): void {
  for (const code of root.querySelectorAll<HTMLElement>("code.token")) {
    const button = document.createElement("button");
    Object.assign(button, { type: "button", className: "button copy", textContent: "Copy" });
    button.addEventListener("click", () => void copy(code).then((words) => {
      button.textContent = words;
      setTimeout(() => (button.textContent = "Copy"), SHOWN_MS);
    }));
    code.after(" ", button);
  }
}

/** Copy the text, or mark it where the browser does not let pages copy. Returns the words for the button. */
async function copy(code: HTMLElement): Promise<string> {
  try {
    await navigator.clipboard.writeText(code.textContent ?? "");
    return "Copied";
  } catch {
    getSelection()?.selectAllChildren(code);
    return "Press Ctrl+C";
  }
}
