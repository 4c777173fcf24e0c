"""Tables of studies: means with their spread, in Markdown."""

from collections.abc import Iterable, Sequence
from statistics import fmean, stdev


def with_spread(values: Sequence[float], digits: int = 1) -> str:
    """Format the mean and the standard deviation, which is 0 for a single value."""
    return f"{fmean(values):.{digits}f} ±{stdev(values) if len(values) > 1 else 0.0:.{digits}f}"


def markdown(head: Sequence[object], rows: Iterable[Sequence[object]]) -> str:
    """Return a table in Markdown."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(map(str, line))} |" for line in lines)
