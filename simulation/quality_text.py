"""The figures of quality control as text."""

from collections.abc import Callable
from typing import Any

from pipeline.money.amounts import in_words

Row = tuple[str, Callable[[dict[str, Any]], str]]
PEOPLE = ("workers", "started", "passed_test", "trusted", "lost_trust", "barred", "judgments")
HEADS = ("workers", "began", "passed", "trusted", "lost it", "barred", "judgments", "wrong")


def quality_as_text(quality: dict[str, Any]) -> str:
    """Format the figures of `quality_figures`."""
    lines = [
        "Quality control, simulated. The stock's questions are about the same images as the real questions.",
        "",
        f"  {'workers on tasks':22}{''.join(f'{head:>10}' for head in HEADS)}",
        *(_people(row) for row in quality["workers"]),
        "  (first column: workers; next five: workers, once for each task; last two: real judgments)",
        "",
        f"  {'questions':27}{'answers':>9}{'hours':>9}{'money':>14}",
        *(
            f"  {stage:27}{cost['questions']:>9}{cost['seconds'] / 3600:>9.1f}{money(cost['cents'], quality):>14}"
            for stage, cost in quality["cost"].items()
        ),
        "",
        "  real judgments: " + ", ".join(f"{count} {fate}" for fate, count in quality["judgments"].items()),
        f"  wrong among those that count: {percent(quality['error'])}",
        *(f"    {percent(error):>8}  {task.replace('_', ' ')}" for task, error in quality["error_per_task"].items()),
    ]
    return "\n".join(lines)


def comparison_as_text(data: dict[str, Any], without: dict[str, Any]) -> str:
    """Compare two results of `simulate_quality`, with and without quality control."""
    rows = (f"  {label:34}{figure(data):>14}{figure(without):>14}" for label, figure in COMPARED)
    return "\n".join([f"{'Costs and results':36}{'with':>14}{'without':>14}", *rows])


def percent(share: float | None) -> str:
    return "–" if share is None else f"{100 * share:.1f} %"


def money(cents: int, quality: dict[str, Any]) -> str:
    """Format an amount, or return "unpaid" if the project pays for nothing."""
    if not any(cost["cents"] for cost in quality["cost"].values()):
        return "unpaid"
    return in_words(cents, quality["currency"])


def _people(row: dict[str, Any]) -> str:
    return f"  {row['kind']:22}" + "".join(f"{row[name]:>10}" for name in PEOPLE) + f"{percent(row['error']):>10}"


def _sum(data: dict[str, Any], what: str) -> int:
    return sum(int(cost[what]) for cost in data["quality"]["cost"].values())


def _known(data: dict[str, Any]) -> int:
    return _sum(data, "questions") - data["judgments"]


def _matched(data: dict[str, Any], what: str) -> str:
    counts = data["merged"][what]
    share = counts["matched"] / counts["gold"] if counts["gold"] else None
    return percent(share)


COMPARED: tuple[Row, ...] = (
    ("real judgments", lambda data: str(data["judgments"])),
    ("answers to known questions", lambda data: str(_known(data))),
    ("hours of work", lambda data: f"{_sum(data, 'seconds') / 3600:.1f}"),
    ("money", lambda data: money(_sum(data, "cents"), data["quality"])),
    ("wrong among judgments that count", lambda data: percent(data["quality"]["error"])),
    ("gold chains found exactly", lambda data: _matched(data, "chains")),
    ("gold boxes found", lambda data: _matched(data, "boxes")),
    ("boxes that match no gold box", lambda data: str(_not_gold(data))),
    ("links right", lambda data: f"{data['table_2']['matched_links']:.1f} %"),
    ("chains in review", lambda data: str(data["in_review"])),
)


def _not_gold(data: dict[str, Any]) -> int:
    boxes = data["merged"]["boxes"]
    return int(boxes["found"] - boxes["matched"])
