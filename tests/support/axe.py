"""Axe: rules, sizes and colour schemes, the same in every browser, and its faults of a page in Chromium."""

from collections.abc import Sequence
from pathlib import Path

from playwright.sync_api import Page

AXE = Path(__file__).resolve().parents[2] / "frontend" / "node_modules" / "axe-core" / "axe.min.js"
TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
COLOURS = ["color-contrast", "link-in-text-block"]
"""The rules that look at colours: all that a dark page can break and a light one of the same size cannot."""
SIZES = ((1440, 900), (720, 450), (390, 800))
"""A desk, the same desk at 200 % zoom (the window then has half as many CSS pixels each way), and a phone."""
Look = tuple[int, int, str, list[str]]
"""Width and height of the window, colour scheme, and rules."""
LOOKS: tuple[Look, ...] = (
    *((width, height, "light", TAGS) for width, height in SIZES),
    *((width, height, "dark", COLOURS) for width, height in (SIZES[-1], SIZES[0])),
)
"""Every size in light; in dark the first and the last, since each thing shown at 200 % zoom is in one of them."""
FEW_LOOKS = LOOKS[:1] + LOOKS[len(SIZES) : len(SIZES) + 1]
"""A light desk and a dark phone, for a second browser or a page made like another: it has the other's faults."""
DESK: tuple[Look, ...] = ((*SIZES[0], "light", TAGS), (*SIZES[0], "dark", COLOURS))
UNFOLD = "for (const folded of document.querySelectorAll('details')) folded.open = true"
# No rule of these tags reads style sheets or films: axe need not load them again.
RUN = """rules => axe.run({ runOnly: rules, resultTypes: ["violations"], preload: false }).then(({ violations }) =>
  violations.flatMap(({ id, nodes }) => nodes.map(node => `${id}: ${node.target} ${node.failureSummary}`)))"""


def violations(page: Page, looks: Sequence[Look] = LOOKS, *, unfold: bool = True) -> list[str]:
    """Return the faults that axe finds on the page, once it has all its styles. Leaves it as the first look has it."""
    page.wait_for_load_state()
    if page.evaluate("typeof axe") == "undefined":
        page.evaluate(AXE.read_text(encoding="utf-8"))
    if unfold:
        page.evaluate(UNFOLD)
    found = []
    for width, height, scheme, rules in looks:
        _show(page, width, height, scheme)
        found += [f"{page.url} {width} {scheme} {one}" for one in page.evaluate(RUN, rules)]
    _show(page, *looks[0][:3])
    return found


def assert_accessible(page: Page) -> None:
    """Look at everything that a desk shows in light, and at the colours in dark."""
    assert violations(page, DESK, unfold=False) == []


def _show(page: Page, width: int, height: int, scheme: str) -> None:
    """Colours are judged as they stand at the end of a transition."""
    page.emulate_media(color_scheme=scheme, reduced_motion="reduce")  # type: ignore[arg-type]
    page.set_viewport_size({"width": width, "height": height})
