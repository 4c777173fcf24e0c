/** The place of a chosen file among the uploaded ones. */

const PICTURES = /\.(jpe?g|png|webp|gif|bmp)$/i;
const TEXTS = /\.(txt|xml|json|jsonl|csv|zip)$/i;
/** Folders of Flickr30k Entities that may be chosen one after the other: their names say what is in them. */
const NAMED = /^(Sentences|Annotations)$/;
const CLUTTER = /(^|\/)(\.|__MACOSX\/|Thumbs\.db$|desktop\.ini$)/;

export function isPicture(path: string): boolean {
  return PICTURES.test(path);
}

/** Whether a data set may hold such a file. */
export function belongs(path: string): boolean {
  return (PICTURES.test(path) || TEXTS.test(path)) && !CLUTTER.test(path);
}

/**
 * The paths without the name of the one folder that holds them all. Pictures that lie in no folder go into `images/`,
 * where every format looks. Of several folders each keeps its name: pictures in two of them may be called alike.
 */
export function placesOf(paths: readonly string[]): string[] {
  const parts = paths.map((path) => path.split("/").filter(Boolean));
  const folder = parts[0]?.[0];
  const isOne = !NAMED.test(folder ?? "") && parts.every((one) => one.length > 1 && one[0] === folder);
  return parts.map((one) => {
    const inside = one.slice(isOne ? 1 : 0).join("/");
    return isPicture(inside) && !inside.includes("/") ? `images/${inside}` : inside;
  });
}
