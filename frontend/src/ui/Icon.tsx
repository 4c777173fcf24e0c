/** The icons on buttons. */

const PATHS = {
  plus: "M10 4v12M4 10h12",
  minus: "M4 10h12",
  fit: "M3 8V3h5M12 3h5v5M17 12v5h-5M8 17H3v-5",
  focus: "M6.5 6.5h7v7h-7zM10 1v3M10 16v3M1 10h3M16 10h3",
  undo: "M7 4 3 8l4 4M3 8h8a5 5 0 0 1 0 10H8",
  redo: "M13 4l4 4-4 4M17 8H9a5 5 0 0 0 0 10h3",
  remove: "M5 5l10 10M15 5 5 15",
  tick: "M4 10.5l4 4 8-9",
  full: "M8 3H3v5M3 3l5 5M12 17h5v-5M17 17l-5-5",
  settings: "M3 5h6m4 0h4M3 10h1m4 0h9M3 15h8m4 0h2M9 3h4v4H9zM4 8h4v4H4zM11 13h4v4h-4z",
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name }: { readonly name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 20 20" width="20" height="20" aria-hidden="true" focusable="false">
      <path d={PATHS[name]} />
    </svg>
  );
}
