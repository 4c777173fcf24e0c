import type { Mistake } from "../api/types";
import { MISTAKES } from "./mistake";

/** Each kind of mistake once, in words. */
export function Mistakes({ kinds }: { kinds: readonly (Mistake | null)[] }) {
  const said = [...new Set(kinds.map((kind) => kind && MISTAKES[kind]))];
  return (
    <ul class="rule mistakes">
      {said.map((words) => words && <li>{words}</li>)}
    </ul>
  );
}
