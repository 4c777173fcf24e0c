/** Reducers as tables: what each event does to the state stands beside what the event brings. */

export type Steps<State> = Readonly<Record<string, (state: State, event: never) => State>>;

/** The events of a table: the name of a step as `type`, with what the step reads. */
export type EventOf<Table extends object> = {
  [Name in keyof Table]: { type: Name } & (Table[Name] extends (...given: infer Given) => unknown ? (Given extends [unknown, infer More] ? More : unknown) : never);
}[keyof Table];

/** The reducer of a table. */
export const reducerOf =
  <State>(table: Steps<State>) =>
  (state: State, event: { type: string }): State =>
    table[event.type]?.(state, event as never) ?? state;
