/** Scroll the menu so that its entry of this page is in sight: on a phone it is one line. */
export function showPage(root: ParentNode): void {
  const rooms = root.querySelector<HTMLElement>(".rooms");
  const here = rooms?.querySelector<HTMLElement>("[aria-current]");
  if (rooms && here) rooms.scrollLeft = here.offsetLeft - rooms.offsetLeft - (rooms.clientWidth - here.offsetWidth) / 2;
}
