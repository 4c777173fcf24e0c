/** The screen of each task. A script knows the screens that its pages need: see work.tsx and survey.tsx. */

import type { AnswerTo, Task } from "../api/types";
import type { Commands } from "../keyboard/commands";
import type { Known, ScreenProps } from "./screen";

/** Every task needs a screen that takes the answers of this task. */
export type Screens = { readonly [T in Task]: Known<AnswerTo<T>> };

const SCREENS: Partial<Screens> = {};

/** Let `TaskScreen` show these. */
export const know = (screens: Partial<Screens>): void => void Object.assign(SCREENS, screens);

/** The commands of a task. */
export const commandsOf = (task: Task): readonly Commands[] => SCREENS[task]?.commands ?? [];

/** A question of a task. The server sees to it that an answer belongs to its task. */
export function TaskScreen<T extends Task>({ task, ...props }: { task: T } & ScreenProps<AnswerTo<T>>) {
  const { Shown } = SCREENS[task] as Known<AnswerTo<T>>;
  return <Shown {...props} />;
}
