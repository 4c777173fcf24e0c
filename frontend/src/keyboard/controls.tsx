/** Keys on the page: their labels as on the worker's own keyboard, buttons that name theirs, and the help. */

import { type ComponentChildren, createContext } from "preact";
import { useContext, useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { type Command, type Commands, type Layer, rowsOf } from "./commands";
import { isCharacter, register, type KeyHandler } from "./listener";
import { t } from "../t";
import { Icon, type IconName } from "../ui/Icon";
import { Button } from "../ui/Button";

interface Layout {
  keyboard?: { getLayoutMap: () => Promise<ReadonlyMap<string, string>> };
}

const NAMES: Readonly<Record<string, string>> = {
  ArrowLeft: "←",
  ArrowRight: "→",
  ArrowUp: "↑",
  ArrowDown: "↓",
  Backspace: t("Backspace"),
  Ctrl: t("Ctrl"),
  Delete: t("Del"),
  Escape: t("Esc"),
  Shift: t("Shift"),
  Space: t("Space"),
};

let layout: ReadonlyMap<string, string> | null = null;

/** What stands on a key. A letter is the one on the worker's own keyboard, where the browser tells it and it is not Latin. */
export function labelOf(name: string, map: ReadonlyMap<string, string> | null): string {
  const [last = "", ...modifiers] = name.split(/\+(?!$)/).reverse();
  if (modifiers.length) return [...modifiers.reverse().map((one) => NAMES[one]), labelOf(last, map).toUpperCase()].join("+");
  if (!map || !/^[a-z]$/.test(name)) return NAMES[name] ?? name;
  // A Latin layout has the letter somewhere, and there it works.
  if ([...map.values()].includes(name)) return name;
  return map.get(`Key${name.toUpperCase()}`) ?? name;
}

/** The layout of the keyboard; null while it is not known, or where the browser does not tell. */
function useLayout(): ReadonlyMap<string, string> | null {
  const [known, setKnown] = useState(layout);
  useEffect(() => {
    // Most browsers do not have it, and a page in a platform's frame may not ask.
    if (!known) void (navigator as Layout).keyboard?.getLayoutMap().then((map) => setKnown((layout = map)), () => undefined);
  }, []);
  return known;
}

/** Returns the name of a key if it acts, for `aria-keyshortcuts`; nothing if the worker has switched it off. */
export function useActing(): (name: string | undefined) => string | undefined {
  const characters = useContext(CharacterKeys);
  return (name) => (name !== undefined && (characters || !isCharacter(name)) ? name : undefined);
}

/** The label of a key, if it acts. */
export function Key({ name }: { name: string | undefined }) {
  const label = labelOf(name ?? "", useLayout());
  return useActing()(name) === undefined ? null : <kbd>{label}</kbd>;
}

interface Props {
  readonly of: Command;
  /** null: not now. */
  readonly run: (() => void) | null;
  readonly icon?: IconName;
  readonly kind?: string;
  /** In place of the command's label. */
  readonly name?: string;
  readonly pressed?: boolean;
  readonly children?: ComponentChildren;
}

export function CommandButton({ of, run, icon, kind = icon, name = of.label, pressed, children }: Props) {
  const key = useActing()(of.keys[0]);
  const layout = useLayout();
  return (
    <Button
      class={`tool tool-${kind ?? ""}`}
      title={key === undefined ? name : `${name} (${labelOf(key, layout)})`}
      aria-label={name}
      aria-pressed={pressed}
      disabled={run === null}
      onClick={() => run?.()}
    >
      {icon && <Icon name={icon} />}
      {children}
    </Button>
  );
}

/** More keys for one thing than this are a range, such as 0 … 9. */
const MOST = 4;

/** The keys of tables: what the page's one listener acts on. */
export function Help({ tables }: { tables: readonly Commands[] }) {
  const characters = useContext(CharacterKeys);
  return (
    <>
      {!characters && <p class="quiet">{t("One-letter keys are off.")}</p>}
      <dl class="keys">
        {rowsOf(tables, characters).map(({ label, keys }) => (
          <div key={label} data-keys={keys.join(" ")}>
            <dt>
              {keys.length > MOST ? <><Key name={keys[0]} /> … <Key name={keys.at(-1)} /></> : keys.map((key) => <Key name={key} />)}
            </dt>
            <dd>{label}</dd>
          </div>
        ))}
      </dl>
    </>
  );
}

export type Runs<C extends Commands> = { readonly [K in keyof C]?: KeyHandler | null };

/** Whether keys that type a character act: people can switch them off. */
export const CharacterKeys = createContext(true);

/** Let the keys of the commands call these functions. */
export function useCommands<C extends Commands>(commands: C, runs: Runs<C>, layer: Layer = "page"): void {
  const characters = useContext(CharacterKeys);
  const latest = useRef({ commands, runs, characters });
  latest.current = { commands, runs, characters };
  // Before painting, so that no key is lost between two questions.
  useLayoutEffect(() => register(() => latest.current, layer), []);
}
