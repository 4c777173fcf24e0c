/** What the pages have in common on which experts work on one image. */

import { createContext, type VNode } from "preact";
import { useContext, useEffect, useState } from "preact/hooks";
import type { Commands } from "../keyboard/commands";
import { CharacterKeys, Help } from "../keyboard/controls";
import { Boundary } from "../ui/Boundary";
import { Dialog } from "../ui/Dialog";
import { keepCharacterKeys, readCharacterKeys } from "./keys";
import { problemInWords } from "./page";

/** Switches keys that type a character. */
const Switch = createContext<(on: boolean) => void>(() => undefined);

const savedOnly = (error: unknown): string => `The page made a mistake: ${String(error)}. What you saved is kept; what you did since is not.`;

interface Props<Data> {
  readonly name: string;
  readonly load: () => Promise<Data>;
  readonly waiting: string;
  /** The way on when the page fails. */
  readonly back: VNode;
  readonly children: (data: Data) => VNode;
}

/** The page once its data are there; until then its name and how it stands. */
export function Desk<Data>({ name, load, waiting, back, children }: Props<Data>) {
  const [data, setData] = useState<Data | null>(null);
  const [problem, setProblem] = useState("");
  const [on, set] = useState(readCharacterKeys);
  useEffect(() => void load().then(setData, (error: unknown) => setProblem(problemInWords(error))), []);
  if (!data) return <><h1>{name}</h1>{problem ? <p class="error" role="alert">{problem} {back}</p> : <p role="status">{waiting}</p>}</>;
  const change = (next: boolean): void => {
    keepCharacterKeys(next);
    set(next);
  };
  return (
    <Switch.Provider value={change}>
      <CharacterKeys.Provider value={on}>
        <Boundary words={savedOnly} onward={back}>{children(data)}</Boundary>
      </CharacterKeys.Provider>
    </Switch.Provider>
  );
}

/** The keys of a page, and the switch of those that type a character. */
export function KeysDialog({ tables, onClose }: { readonly tables: readonly Commands[]; readonly onClose: () => void }) {
  const change = useContext(Switch);
  return (
    <Dialog title="Keys" onClose={onClose} wide>
      <label class="letters">
        <input type="checkbox" checked={useContext(CharacterKeys)} onChange={(event) => change(event.currentTarget.checked)} /> One-letter keys <span class="hint">(off: no letter, digit or sign acts, in this browser)</span>
      </label>
      <Help tables={tables} />
    </Dialog>
  );
}
