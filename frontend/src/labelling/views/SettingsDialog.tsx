import type { Preferences, Task } from "../../api/types";
import type { DrawBy } from "../../canvas/useBoxEditor";
import { type Change, wayOf } from "../preferences";
import { t } from "../../t";
import { Dialog } from "../../ui/Dialog";

interface Props {
  task: Task;
  preferences: Preferences;
  /** The project's way of drawing. */
  drawBy: DrawBy | undefined;
  onChange: (change: Change) => void;
  onClose: () => void;
}

const WAYS: Record<DrawBy, string> = {
  drag: t("Drag from corner to corner"),
  "two clicks": t("Click two opposite corners"),
  "extreme points": t("Click the top, left, bottom and right end of the object"),
};

/** The worker's own settings. A change counts at once, here and in all projects. */
export function SettingsDialog({ task, preferences, drawBy, onChange, onClose }: Props) {
  const { send_by_itself, draw_by, confirm_by_double_click, one_letter_keys } = preferences;
  const draw = (way: DrawBy | null) => () =>
    onChange({ draw_by: way, ...(way === "two clicks" && { confirm_by_double_click: false }) });
  const clicks = wayOf(preferences, drawBy).by === "two clicks";
  return (
    <Dialog title={t("Settings")} onClose={onClose}>
      {task === "box_drawing" && (
        <fieldset>
          <legend>{t("Draw a box")}</legend>
          {([null, ...Object.keys(WAYS)] as (DrawBy | null)[]).map((way) => (
            <label key={way} class="option">
              <input type="radio" name="draw_by" checked={draw_by === way} onChange={draw(way)} />
              {way ? WAYS[way] : t("As the project does")}
            </label>
          ))}
          <Option
            label={t("Confirm a box by a double-click")}
            hint={clicks ? t("not while two clicks draw") : ""}
            checked={confirm_by_double_click && !clicks}
            disabled={clicks}
            onChange={(on) => onChange({ confirm_by_double_click: on })}
          />
        </fieldset>
      )}
      <Option
        label={t("Submit by itself after the last question")}
        hint={t("never a test")}
        checked={send_by_itself}
        onChange={(on) => onChange({ send_by_itself: on })}
      />
      <Option
        label={t("One-letter keys")}
        hint={t("off: no letter, digit or sign acts")}
        checked={one_letter_keys}
        onChange={(on) => onChange({ one_letter_keys: on })}
      />
    </Dialog>
  );
}

interface OptionProps {
  label: string;
  hint: string;
  checked: boolean;
  disabled?: boolean;
  onChange: (on: boolean) => void;
}

function Option({ label, hint, checked, disabled = false, onChange }: OptionProps) {
  return (
    <label class="option">
      <input type="checkbox" {...{ checked, disabled }} onChange={(event) => onChange(event.currentTarget.checked)} />
      <span>
        {label} {hint && <span class="quiet">({hint})</span>}
      </span>
    </label>
  );
}
