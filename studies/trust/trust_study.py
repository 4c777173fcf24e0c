"""Trust study [paper 3.3, table 3]: what the rules of trust reach with simulated workers.

Each part is a list of cases; each case is one row of its table. No figure was measured with people.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from studies.trust.crowd_mixes import Case, Row, Size
from studies.trust.leaks import careless_curve, copying, curve, leaks
from studies.trust.limits import good_workers, rates, stocks
from studies.trust.table_3 import table_3

QUICK = Size(people=6, work=60)


@dataclass(frozen=True, slots=True)
class Part:
    """One table of the study."""

    title: str
    cases: Callable[[Size], list[Case]]


PARTS = {
    "table3": Part("Table 3: trusted workers and refused assignments", table_3),
    "leaks": Part("Guessed judgments that count, by default and after exactly 30 (goal: at most 1 %)", leaks),
    "curve": Part("Guessed judgments that count, other settings (goal: at most 1 %)", curve),
    "copying": Part("Rings that copy the answers of good members, coreference links", copying),
    "careless": Part("Careless workers against honest ones, coreference links", careless_curve),
    "good": Part("Workers five points above the minimum (goal: under 2 % barred)", good_workers),
    "rates": Part("Verification rates over 10,000 questions (goal: within 5 %)", rates),
    "stocks": Part("Stocks of verification questions, coreference links", stocks),
}


def run_part(name: str, size: Size, done: Callable[[], object] = lambda: None) -> list[Row]:
    """Return the rows of one part. `done` is called after each row."""
    rows = []
    for case in PARTS[name].cases(size):
        rows.append(case())
        done()
    return rows


def as_text(rows: Sequence[Row]) -> str:
    """Format the rows as a table: words to the left, numbers to the right, headers in several lines."""
    heads = list(dict.fromkeys(head for row in rows for head in row))
    cells = [[str(row.get(head, "")) for head in heads] for row in rows]
    lines = [_folded(head, max(len(line[column]) for line in cells)) for column, head in enumerate(heads)]
    widths = [max(map(len, [*head, *(line[column] for line in cells)])) for column, head in enumerate(lines)]
    tall = max(map(len, lines))
    above = [[([""] * (tall - len(head)) + head)[level] for head in lines] for level in range(tall)]
    words = [isinstance(rows[0].get(head), str) for head in heads]
    return "\n".join(_line(line, widths, words) for line in (*above, *cells))


def _line(cells: Iterable[str], widths: Iterable[int], words: Iterable[bool]) -> str:
    each = zip(cells, widths, words, strict=True)
    return "  ".join(cell.ljust(width) if word else cell.rjust(width) for cell, width, word in each).rstrip()


def _folded(head: str, width: int) -> list[str]:
    """Break the header into lines that are not much wider than its column."""
    lines = [""]
    for word in head.split():
        if lines[-1] and len(lines[-1]) + 1 + len(word) > max(width, 12):
            lines.append("")
        lines[-1] = f"{lines[-1]} {word}".strip()
    return lines
