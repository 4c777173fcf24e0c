"""The measured costs as a table, and compared with the goals."""

from collections.abc import Iterator, Sequence
from operator import attrgetter
from statistics import mean

from studies.http_load.measure import Cost

WEB_MS, STATEMENTS, ALL_MS, GROWTH = 3.0, 2.0, 8.0, 1.2
"""The goals, as upper bounds. GROWTH is the cost with many open questions divided by the cost with few."""
PAGE_GOALS = {"page": (3.0, 6.0), "page_single": (10.0, 17.0)}
"""The goals of the web's and of all parts' milliseconds for loads with pictures and drafts."""
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
    lines = []
    for what, rows, name, goal in _judged(costs):
        if not rows:
            continue
        worst = max(rows, key=attrgetter(name))
        verdict = "met" if getattr(worst, name) <= goal else "MISSED"
        lines.append(
            f"{what}: at most {getattr(worst, name):.2f} ({worst.kind}, {worst.open:,} open, {worst.workers} workers);"
            f" goal {goal:g}: {verdict}"
        )
    return [*lines, *_growth(costs)]


def _judged(costs: Sequence[Cost]) -> Iterator[tuple[str, list[Cost], str, float]]:
    """Yield each figure that has a goal: its words, its rows, its field and the goal."""
    plain = [cost for cost in costs if cost.kind not in PAGE_GOALS]
    yield "web, CPU ms per judgment", plain, "web_ms", WEB_MS
    yield "web, statements per judgment", plain, "web_statements", STATEMENTS
    yield "all parts, CPU ms per judgment", plain, "all_ms", ALL_MS
    for kind, (web, whole) in PAGE_GOALS.items():
        rows = [cost for cost in costs if cost.kind == kind]
        yield f"{kind}, web, CPU ms per judgment", rows, "web_ms", web
        yield f"{kind}, all parts, CPU ms per judgment", rows, "all_ms", whole


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
