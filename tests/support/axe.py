"""Settings of axe: rules, sizes and colour schemes, the same in every browser."""

from pathlib import Path

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
UNFOLD = "for (const folded of document.querySelectorAll('details')) folded.open = true"
# No rule of these tags reads style sheets or films: axe need not load them again.
RUN = """rules => axe.run({ runOnly: rules, resultTypes: ["violations"], preload: false }).then(({ violations }) =>
  violations.flatMap(({ id, nodes }) => nodes.map(node => `${id}: ${node.target} ${node.failureSummary}`)))"""
