"""The results of a simulation, as JSON and as text. Every figure is simulated."""

from dataclasses import asdict
from typing import Any

from annotation.models import Project
from pipeline.project.settings_versions import current_settings
from pipeline.protocol.tasks.task import QuestionState
from simulation.compare_strategies import PAPER
from simulation.score import SimulationScore, sources_of_links
from simulation.simulate import RunOutcome

ROWS = (
    ("matched_links", "matched gold links"),
    ("matched_chains", "matched chains, by links"),
    ("false_positive_rate", "false positive rate"),
    ("false_negative_rate", "false negative rate"),
    ("cost", "links to annotate"),
)


def as_json(project: Project, outcome: RunOutcome, score: SimulationScore) -> dict[str, Any]:
    """Return all results for a file. `chains` and `boxes` are counts before merging, `merged` those after it."""
    strategy = current_settings(project.id)[1].strategy
    return {
        "project": project.name,
        "simulated": True,
        "images": project.images.count(),
        "judgments": outcome.judgments.total(),
        "judgments_per_task": dict(sorted(outcome.judgments.items())),
        "seconds": round(outcome.seconds, 2),
        "worker_seconds": round(outcome.worker_seconds),
        "open_questions": project.questions.exclude(state=QuestionState.CLOSED.value).count(),
        "in_review": score.review.total(),
        "review_reasons": dict(sorted(score.review.items())),
        "chains": asdict(score.chains),
        "boxes": asdict(score.boxes),
        "merged": {
            "chains": asdict(score.merged_chains),
            "boxes": asdict(score.merged_boxes),
            "drawn": score.drawn,
            "left": score.left,
        },
        "table_2": {"strategy": strategy.value, **score.links.percentages()},
        "link_sources": sources_of_links(project),
        "unmatched": score.unmatched,
        "merges": score.merges,
    }


def as_text(data: dict[str, Any]) -> str:
    """Format the results of `as_json`."""
    strategy: str = data["table_2"]["strategy"]
    rate = data["judgments"] / data["seconds"] if data["seconds"] else 0.0
    lines = [
        f"{data['project']}: {data['judgments']} simulated judgments on {data['images']} images in "
        f"{data['seconds']:.1f} s ({rate:.0f} a second); "
        + (f"{data['open_questions']} questions are open." if data["open_questions"] else "nothing is open."),
        "  " + ", ".join(f"{task.replace('_', ' ')} {n}" for task, n in data["judgments_per_task"].items()),
        f"  {data['in_review']} chains are in review"
        + "".join(f"\n    {n:5} {reason}" for reason, n in data["review_reasons"].items()),
        "",
        f"{'':22}{'gold':>8}{'found':>8}{'matched':>9}{'to the pixel':>14}",
        *(
            _counts(f"{what}, {when}", data[what] if when == "drawn" else data["merged"][what], what)
            for what in ("chains", "boxes")
            for when in ("drawn", "merged")
        ),
        "  {drawn} boxes were drawn, {left} are left after {merges} merges.".format(
            merges=len(data["merges"]), **data["merged"]
        ),
        "",
        f"Table 2, {strategy}:{'':{max(0, 18 - len(strategy))}}{'simulated':>12}{'paper':>9}",
        *(
            f"  {label:25}{data['table_2'][name]:>12.2f}{paper:>9}"
            for (name, label), paper in zip(ROWS, _paper(strategy), strict=True)
        ),
        "",
        "Links by their source (figure 3):",
        *(f"  {n:8} {source}" for source, n in sorted(data["link_sources"].items(), key=lambda row: -row[1])),
    ]
    reasons: dict[str, int] = {}
    for row in data["unmatched"]:
        reasons[row["reason"]] = reasons.get(row["reason"], 0) + 1
    if reasons:
        lines += ["", "Gold chains that were not found, by reason:"]
        lines += [f"  {n:8} {reason}" for reason, n in sorted(reasons.items())]
    return "\n".join(lines)


def _paper(strategy: str) -> list[str]:
    """Return the strategy's row of table 2, or dashes for a strategy that is not in the paper."""
    row = next((figures for of_paper, figures in PAPER.items() if of_paper == strategy), None)
    return [f"{getattr(row, name):.2f}" if row else "–" for name, _ in ROWS]


def _counts(label: str, counts: dict[str, int], what: str) -> str:
    exact = f"{counts['exact']:>14}" if what == "boxes" else ""
    return f"  {label:20}{counts['gold']:>8}{counts['found']:>8}{counts['matched']:>9}{exact}"
