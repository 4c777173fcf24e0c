/** Fetch and decode pictures before their questions are shown, one after another: the one in view comes first. */

/** As many pictures stay decoded. */
const MOST = 15;
const kept = new Map<string, HTMLImageElement>();

async function fetchOne(url: string): Promise<void> {
  if (kept.has(url)) return;
  const image = new Image();
  kept.set(url, image);
  for (const old of [...kept.keys()].slice(0, -MOST)) kept.delete(old);
  image.src = url;
  try {
    await image.decode();
  } catch {
    kept.delete(url); // the page says so when the picture is in view
  }
}

export async function fetchAhead(urls: readonly string[], wanted: () => boolean): Promise<void> {
  for (const url of urls) {
    if (!wanted()) return;
    await fetchOne(url);
  }
}
