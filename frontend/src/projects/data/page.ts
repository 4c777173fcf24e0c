/** Small helpers of the pages of data. */

export function find<Kind extends HTMLElement = HTMLElement>(within: ParentNode, selector: string): Kind {
  const found = within.querySelector<Kind>(selector);
  if (!found) throw new Error(`The page has no ${selector}.`);
  return found;
}

/** The token that proves that a request comes from a page of the service. */
export function token(): string {
  return document.querySelector<HTMLInputElement>("[name=csrfmiddlewaretoken]")?.value ?? "";
}

export function plural(count: number, word: string): string {
  return `${count.toLocaleString("en")} ${word}${count === 1 ? "" : "s"}`;
}

export function bytesInWords(bytes: number): string {
  if (bytes < 1000) return `${bytes} bytes`;
  const [size, unit] = bytes < 1e6 ? [bytes / 1e3, "kB"] : bytes < 1e9 ? [bytes / 1e6, "MB"] : [bytes / 1e9, "GB"];
  return `${size.toFixed(size < 10 ? 1 : 0)} ${unit}`;
}
