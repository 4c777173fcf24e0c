import { useContext } from "preact/hooks";
import type { Commands } from "./commands";
import { rowsOf } from "./help";
import { Key } from "./Key";
import { CharacterKeys } from "./useCommands";
import { t } from "../t";

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
