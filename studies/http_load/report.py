"""The measured costs as a table, and compared with the goals."""

from collections.abc import Sequence
from statistics import mean

from studies.http_load.measure import Cost

WEB_MS, STATEMENTS, ALL_MS, GROWTH = 3.0, 2.0, 8.0, 1.2
"""The goals, as upper bounds. GROWTH is the cost with many open questions divided by the cost with few."""
HEAD = (
    f"{'questions':<20}{'open':>8}{'workers':>8}{'answers/s':>10}{'web ms':>8}{'jobs ms':>8}{'SQL ms':>8}{'all ms':>8}"
    f"{'web stmts':>10}{'job stmts':>10}{'ask ms':>14}{'submit ms':>14}"
)


def line(cost: Cost) -> str:
    """Format one row under HEAD. Response times are the median and the 95th percentile."""
    return (
        f"{cost.kind:<20}{cost.open:>8,}{cost.workers:>8}{cost.per_second:>10.0f}{cost.web_ms:>8.2f}{cost.jobs_ms:>8.2f}"
        f"{cost.postgres_ms:>8.2f}{cost.all_ms:>8.2f}{cost.web_statements:>10.2f}{cost.jobs_statements:>10.2f}"
        f"{_pair(cost.ask_ms):>14}{_pair(cost.submit_ms):>14}"
    )


def verdicts(costs: Sequence[Cost]) -> list[str]:
    """Compare the worst of each figure with its goal, and the cost with many open questions with that of few."""
    figures = [
        ("web, CPU ms per judgment", max(costs, key=lambda one: one.web_ms), "web_ms", WEB_MS),
        ("web, statements per judgment", max(costs, key=lambda one: one.web_statements), "web_statements", STATEMENTS),
        ("all parts, CPU ms per judgment", max(costs, key=lambda one: one.all_ms), "all_ms", ALL_MS),
    ]
    lines = [
        f"{what}: at most {getattr(worst, name):.2f} ({worst.kind}, {worst.open:,} open, {worst.workers} workers);"
        f" goal {goal:g}: {'met' if getattr(worst, name) <= goal else 'MISSED'}"
        for what, worst, name, goal in figures
    ]
    return [*lines, *_growth(costs)]


def _growth(costs: Sequence[Cost]) -> list[str]:
    few, many = min(cost.open for cost in costs), max(cost.open for cost in costs)
    if few == many:
        return []
    lines = []
    for kind in dict.fromkeys(cost.kind for cost in costs):
        sides = [[cost.all_ms for cost in costs if cost.kind == kind and cost.open == size] for size in (few, many)]
        ratio = mean(sides[1]) / mean(sides[0])
        verdict = "met" if ratio <= GROWTH else "MISSED"
        lines.append(f"{kind}: {many:,} open cost {ratio:.2f} times what {few:,} cost; goal {GROWTH:g}: {verdict}")
    return lines


def _pair(times: tuple[float, float]) -> str:
    return f"{times[0]:.0f} / {times[1]:.0f}"
