/** Opens the folds around what an address names, so that a link leads to something that is seen. */
export function openFolds(page: Document, hash: string): void {
  const named = hash.length > 1 ? page.getElementById(decodeURIComponent(hash.slice(1))) : null;
  if (!named) return;
  let fold = named.closest("details");
  while (fold) {
    fold.open = true;
    fold = fold.parentElement?.closest("details") ?? null;
  }
  named.scrollIntoView();
}
