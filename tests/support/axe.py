"""Settings of axe: rules, sizes and colour schemes, the same in every browser."""

from pathlib import Path

AXE = Path(__file__).resolve().parents[2] / "frontend" / "node_modules" / "axe-core" / "axe.min.js"
TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
COLOURS = ["color-contrast", "link-in-text-block"]
"""The rules that look at colours: all that a dark page can break and a light one of the same size cannot."""
SIZES = ((1440, 900), (720, 450), (390, 800))
"""A desk, the same desk at 200 % zoom (the window then has half as many CSS pixels each way), and a phone."""
LOOKS = (
    *((width, height, "light", TAGS) for width, height in SIZES),
    *((width, height, "dark", COLOURS) for width, height in reversed(SIZES)),
)
"""Every size in both colour schemes with the rules to check, in an order that changes little at a time."""
FEW_LOOKS = LOOKS[:1] + LOOKS[len(SIZES) : len(SIZES) + 1]
"""A light desk and a dark phone, for a second browser: most faults are those of the page in every browser."""
UNFOLD = "for (const folded of document.querySelectorAll('details')) folded.open = true"
# No rule of these tags reads style sheets or films: axe need not load them again.
RUN = """rules => axe.run({ runOnly: rules, resultTypes: ["violations"], preload: false }).then(({ violations }) =>
  violations.flatMap(({ id, nodes }) => nodes.map(node => `${id}: ${node.target} ${node.failureSummary}`)))"""
