/** The tools of the page, their keys, and the list of keys. */

import { Dialog } from "../../parts/Dialog";

export type Tool = "link" | "draw" | "none" | "scene" | "remove" | "undo" | "redo" | "finish";

export const TOOLS: readonly { readonly tool: Tool; readonly key: string; readonly name: string; readonly about: string }[] = [
  { tool: "link", key: "l", name: "Link phrases", about: "the phrases that you press join the chosen chain, or leave it" },
  { tool: "draw", key: "d", name: "Draw boxes", about: "one box around each thing that the chain means" },
  { tool: "none", key: "n", name: "No box", about: "nothing in the picture to draw a box around" },
  { tool: "scene", key: "s", name: "Scene", about: "the chain is the place as a whole" },
  { tool: "remove", key: "x", name: "Remove the box", about: "the chosen box, or the chain's last one" },
  { tool: "undo", key: "u", name: "Undo", about: "the last change is taken back" },
  { tool: "redo", key: "y", name: "Redo", about: "what was undone last is done again" },
  { tool: "finish", key: "f", name: "Finish", about: "the annotation of this image counts" },
];

const OTHERS = [
  ["↓ ↑", "the next or the previous chain (also J and K)"],
  [". ,", "the next or the previous box of the chain"],
  ["B", "while drawing: a box that arrow keys move; E for its corners; Enter keeps it"],
  ["g", "the next image"],
  ["+ - 0", "zoom in, zoom out, the whole picture"],
  ["Esc", "end drawing or linking; a box that is not kept goes"],
] as const;

export function Help({ onClose }: { readonly onClose: () => void }) {
  return (
    <Dialog title="Keys" onClose={onClose} wide>
      <dl class="keys">
        {[...TOOLS.map((one) => [one.key, `${one.name}: ${one.about}`] as const), ...OTHERS].map(([key, words]) => (
          <div key={key}><dt><kbd>{key}</kbd></dt><dd>{words}</dd></div>
        ))}
      </dl>
    </Dialog>
  );
}
