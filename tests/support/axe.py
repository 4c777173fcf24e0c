"""Settings of axe: rules, sizes and colour schemes, the same in every browser."""

from pathlib import Path

AXE = Path(__file__).resolve().parents[2] / "frontend" / "node_modules" / "axe-core" / "axe.min.js"
TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
COLOURS = ["color-contrast", "link-in-text-block"]
"""The rules that look at colours: all that a dark page can break and a light one of the same size cannot."""
SIZES = ((1440, 900), (720, 450), (390, 800))
"""A desk, the same desk at 200 % zoom (the window then has half as many CSS pixels each way), and a phone."""
UNFOLD = "for (const folded of document.querySelectorAll('details')) folded.open = true"
RUN = """rules => axe.run({ runOnly: rules, resultTypes: ["violations"] }).then(({ violations }) =>
  violations.flatMap(({ id, nodes }) => nodes.map(node => `${id}: ${node.target} ${node.failureSummary}`)))"""
