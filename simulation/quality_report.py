"""Figures of what quality control costs and achieves, and their text. Every figure is simulated."""

from collections import Counter
from collections.abc import Callable, Iterable
from enum import StrEnum
from typing import Any

from pipeline.models import Assignment, Entry, Judgment
from pipeline.protocol.tasks.task import PROTOCOL_TASKS
from runtime.words import money, percent
from simulation.mixed_crowd import WorkerKind
from simulation.mixed_run import AnswerPurpose, MixedAnswer, MixedRun
from workers.models import TrustChange, TrustStatus
from workers.rules.trust_states import TrustEvent, TrustState

Acceptance = Assignment.Acceptance
Row = tuple[str, Callable[[dict[str, Any]], str]]
PEOPLE = ("workers", "started", "passed_test", "trusted", "lost_trust", "barred", "judgments")
HEADS = ("workers", "began", "passed", "trusted", "lost it", "barred", "judgments", "wrong")


class JudgmentOutcome(StrEnum):
    """The fate of a real judgment."""

    COUNTS = "counts"
    VOIDED = "voided"
    REFUSED = "refused"
    UNUSED = "not used yet"


def quality_figures(run: MixedRun) -> dict[str, Any]:
    """Return all figures for a file: shares from 0 to 1, seconds of work, cents of the project's currency."""
    fates = _outcomes(run)
    real = [answer for answer in run.answers if answer.stage is AnswerPurpose.REAL]
    counting = [answer for answer in real if fates.get((answer.question, answer.worker)) is JudgmentOutcome.COUNTS]
    became = Counter(fates.get((answer.question, answer.worker), JudgmentOutcome.UNUSED) for answer in real)
    return {
        "workers": [_people(run, kind, counting) for kind in dict.fromkeys(run.kinds)],
        "cost": {stage.value: _cost(run, stage) for stage in AnswerPurpose},
        "currency": run.settings.currency,
        "judgments": {fate.value: became[fate] for fate in JudgmentOutcome},
        "error": _error(counting),
        "error_per_task": {
            task.value: _error(answer for answer in counting if answer.task is task) for task in PROTOCOL_TASKS
        },
    }


def _outcomes(run: MixedRun) -> dict[tuple[int | None, int], JudgmentOutcome]:
    """Return the fate of each judgment, by question and worker."""
    void = Entry.objects.filter(project=run.project, kind="void").values_list("image_id", "data")
    voided = {(image, number) for image, data in void for number in data["entries"]}
    columns = ("question_id", "worker_id", "assignment__acceptance", "entry__image_id", "entry__sequence")
    rows = Judgment.objects.filter(question__project=run.project).values_list(*columns)
    return {(question, worker): _outcome(acceptance, entry, voided) for question, worker, acceptance, *entry in rows}


def _outcome(acceptance: str, entry: list[int | None], voided: set[tuple[int, int]]) -> JudgmentOutcome:
    if acceptance == Acceptance.REFUSED:
        return JudgmentOutcome.REFUSED
    if None in entry:
        return JudgmentOutcome.UNUSED
    return JudgmentOutcome.VOIDED if tuple(entry) in voided else JudgmentOutcome.COUNTS


def _people(run: MixedRun, kind: WorkerKind, counting: list[MixedAnswer]) -> dict[str, Any]:
    """Return the figures of one kind: workers, their trust (each worker and task counts once), and real judgments."""
    own = [worker.id for worker, other in zip(run.workers, run.kinds, strict=True) if other is kind]
    place = {"project_id": run.project.id, "worker__in": own}
    rows = TrustStatus.objects.filter(**place).exclude(state=TrustState.INVITED)
    judged = [answer for answer in counting if answer.kind is kind]
    return {
        "kind": kind.value,
        "workers": len(own),
        "started": rows.count(),
        "passed_test": rows.filter(passed_test=True).count(),
        "trusted": _ever(place, event=TrustEvent.PASS_PROBATION),
        "lost_trust": _ever(place, old=TrustState.TRUSTED),
        "barred": rows.filter(state=TrustState.BARRED).count(),
        "judgments": len(judged),
        "error": _error(judged),
    }


def _ever(place: dict[str, Any], **change: Any) -> int:
    """Count the workers and tasks with such a change of trust, each once."""
    return TrustChange.objects.filter(**place, **change).values("worker", "task").distinct().count()


def _cost(run: MixedRun, stage: AnswerPurpose) -> dict[str, Any]:
    own = [answer for answer in run.answers if answer.stage is stage]
    return {"questions": len(own), "seconds": round(sum(answer.seconds for answer in own)), "cents": run.cents[stage]}


def _error(answers: Iterable[MixedAnswer]) -> float | None:
    """Return the share of wrong answers, or None without answers."""
    rights = [answer.right for answer in answers]
    return round(rights.count(False) / len(rights), 4) if rights else None


def quality_as_text(quality: dict[str, Any]) -> str:
    """Format the figures of `quality_figures`."""
    lines = [
        "Quality control, simulated. The stock's questions are about the same images as the real questions.",
        "",
        f"  {'workers on tasks':22}{''.join(f'{head:>10}' for head in HEADS)}",
        *(_people_line(row) for row in quality["workers"]),
        "  (first column: workers; next five: workers, once for each task; last two: real judgments)",
        "",
        f"  {'questions':27}{'answers':>9}{'hours':>9}{'money':>14}",
        *(
            f"  {stage:27}{cost['questions']:>9}{cost['seconds'] / 3600:>9.1f}{_paid(cost['cents'], quality):>14}"
            for stage, cost in quality["cost"].items()
        ),
        "",
        "  real judgments: " + ", ".join(f"{count} {fate}" for fate, count in quality["judgments"].items()),
        f"  wrong among those that count: {percent(quality['error'], 1)}",
        *(f"    {percent(error, 1):>8}  {task.replace('_', ' ')}" for task, error in quality["error_per_task"].items()),
    ]
    return "\n".join(lines)


def comparison_as_text(data: dict[str, Any], without: dict[str, Any]) -> str:
    """Compare two results of `simulate_quality`, with and without quality control."""
    rows = (f"  {label:34}{figure(data):>14}{figure(without):>14}" for label, figure in COMPARED)
    return "\n".join([f"{'Costs and results':36}{'with':>14}{'without':>14}", *rows])


def _paid(cents: int, quality: dict[str, Any]) -> str:
    """Format an amount, or return "unpaid" if the project pays for nothing."""
    if not any(cost["cents"] for cost in quality["cost"].values()):
        return "unpaid"
    return money(cents, quality["currency"])


def _people_line(row: dict[str, Any]) -> str:
    return f"  {row['kind']:22}" + "".join(f"{row[name]:>10}" for name in PEOPLE) + f"{percent(row['error'], 1):>10}"


def _sum(data: dict[str, Any], what: str) -> int:
    return sum(int(cost[what]) for cost in data["quality"]["cost"].values())


def _known(data: dict[str, Any]) -> int:
    return _sum(data, "questions") - data["judgments"]


def _matched(data: dict[str, Any], what: str) -> str:
    counts = data["merged"][what]
    share = counts["matched"] / counts["gold"] if counts["gold"] else None
    return percent(share, 1)


COMPARED: tuple[Row, ...] = (
    ("real judgments", lambda data: str(data["judgments"])),
    ("answers to known questions", lambda data: str(_known(data))),
    ("hours of work", lambda data: f"{_sum(data, 'seconds') / 3600:.1f}"),
    ("money", lambda data: _paid(_sum(data, "cents"), data["quality"])),
    ("wrong among judgments that count", lambda data: percent(data["quality"]["error"], 1)),
    ("gold chains found exactly", lambda data: _matched(data, "chains")),
    ("gold boxes found", lambda data: _matched(data, "boxes")),
    ("boxes that match no gold box", lambda data: str(_not_gold(data))),
    ("links right", lambda data: f"{data['table_2']['matched_links']:.1f} %"),
    ("chains in review", lambda data: str(data["in_review"])),
)


def _not_gold(data: dict[str, Any]) -> int:
    boxes = data["merged"]["boxes"]
    return int(boxes["found"] - boxes["matched"])
