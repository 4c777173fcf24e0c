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
# Notes every place that gets the focus: the number of the stop, whether the focus is seen there, and its beginning.
# A label that stands for a hidden input shows the focus in its place.
NOTE = """() => {
  const shown = (one) => {
    const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(one);
    return (outlineStyle !== "none" && outlineWidth !== "0px") || boxShadow !== "none";
  };
  window.visited = [];
  document.addEventListener("focusin", ({ target: at }) => {
    const seen = shown(at) || (at.closest("label") !== null && shown(at.closest("label")));
    window.visited.push([at.dataset.stop ?? "", seen, at.outerHTML.slice(0, 90)]);
  }, true);
}"""
AT_END = "() => document.activeElement === document.body"
AT_ONCE = 25
"""Presses of Tab between two looks at the page."""


def not_reached_by_tab(page: Page) -> list[str]:
    """Return what is wrong, in words: stops that Tab passes over, and ones whose focus cannot be seen."""
    stops = int(page.evaluate(STOPS))
    page.evaluate(NOTE)
    # The first link of every page. Without it Tab would go on from the last click.
    page.locator("a.skip").focus()
    page.keyboard.press("Tab")
    page.keyboard.press("Shift+Tab")
    for pressed in range(stops + 3):
        if pressed % AT_ONCE == 0 and page.evaluate(AT_END):
            break
        page.keyboard.press("Tab")
    visited = page.evaluate("window.visited")
    wrong = [f"the focus cannot be seen: {name}" for _, is_seen, name in visited if not is_seen]
    missing = {str(number) for number in range(stops)} - {stop for stop, _, _ in visited}
    names = "number => document.querySelector(`[data-stop='${number}']`).outerHTML.slice(0, 90)"
    return wrong + [f"Tab passes over: {page.evaluate(names, number)}" for number in sorted(missing, key=int)]
