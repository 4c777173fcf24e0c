"""A person without a mouse: everything on a page that can be used is reached by Tab, and is seen to have the focus."""

from playwright.sync_api import Page

# Radio buttons are one stop for each group; what is folded or hidden is no stop.
STOPS = """() => {
  const all = document.querySelectorAll("a[href], button, input, select, textarea, summary, [tabindex='0']");
  const groups = new Set();
  let stops = 0;
  for (const one of all) {
    if (one.disabled || one.type === "hidden" || !one.checkVisibility({ visibilityProperty: true })) continue;
    if (one.type === "radio") {
      if (groups.has(one.name + one.form?.action)) continue;
      groups.add(one.name + one.form?.action);
    }
    one.dataset.stop = String(stops++);
  }
  return stops;
}"""
# A label that stands for a hidden input shows the focus in its place.
HERE = """() => {
  const at = document.activeElement;
  if (at === document.body) return null;
  const shown = (one) => {
    const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(one);
    return (outlineStyle !== "none" && outlineWidth !== "0px") || boxShadow !== "none";
  };
  const name = at.outerHTML.slice(0, 90);
  return [at.dataset.stop ?? "", shown(at) || (at.closest("label") !== null && shown(at.closest("label"))), name];
}"""


def not_reached_by_tab(page: Page) -> list[str]:
    """Return what is wrong, in words: stops that Tab passes over, and ones whose focus cannot be seen."""
    stops, reached, wrong = page.evaluate(STOPS), set[str](), []
    # The first link of every page. Without it Tab would go on from the last click.
    page.locator("a.skip").focus()
    page.keyboard.press("Tab")
    page.keyboard.press("Shift+Tab")
    for _ in range(stops + 3):
        here = page.evaluate(HERE)
        if here is None:
            break
        stop, is_seen, name = here
        if not is_seen:
            wrong.append(f"the focus cannot be seen: {name}")
        reached.add(stop)
        page.keyboard.press("Tab")
    missing = {str(number) for number in range(stops)} - reached
    names = "number => document.querySelector(`[data-stop='${number}']`).outerHTML.slice(0, 90)"
    return wrong + [f"Tab passes over: {page.evaluate(names, number)}" for number in sorted(missing, key=int)]
