/** The place of a chosen file among the uploaded ones. */

const PICTURES = /\.(jpe?g|png|webp|gif|bmp)$/i;
const TEXTS = /\.(txt|xml|json|jsonl|csv|zip)$/i;
const CLUTTER = /(^|\/)(\.|__MACOSX\/|Thumbs\.db$|desktop\.ini$)/;

export function isPicture(path: string): boolean {
  return PICTURES.test(path);
}

/** Whether a data set may hold such a file. */
export function belongs(path: string): boolean {
  return (PICTURES.test(path) || TEXTS.test(path)) && !CLUTTER.test(path);
}

/** The path without the chosen folder's own name. Pictures that lie in no folder go into `images/`, where every format looks. */
export function placeOf(path: string): string {
  const parts = path.split("/").filter(Boolean);
  const inside = parts.length > 1 ? parts.slice(1).join("/") : parts.join("/");
  return isPicture(inside) && !inside.includes("/") ? `images/${inside}` : inside;
}
