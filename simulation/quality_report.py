"""Figures of what quality control costs and achieves. Every figure is simulated."""

from collections import Counter
from collections.abc import Iterable
from enum import StrEnum
from typing import Any

from pipeline.models import Assignment, Entry, Judgment
from pipeline.rules.tasks.task import PROTOCOL_TASKS
from simulation.mixed_run import Answered, MixedRun, Stage
from simulation.trust_crowd import WorkerKind
from workers.models import TrustChange, TrustStatus
from workers.rules.trust_states import TrustEvent, TrustState

Acceptance = Assignment.Acceptance


class Fate(StrEnum):
    """The fate of a real judgment."""

    COUNTS = "counts"
    VOIDED = "voided"
    REFUSED = "refused"
    UNUSED = "not used yet"


def quality_figures(run: MixedRun) -> dict[str, Any]:
    """Return all figures for a file: shares from 0 to 1, seconds of work, cents of the project's currency."""
    fates = _fates(run)
    real = [one for one in run.answers if one.stage is Stage.REAL]
    counting = [one for one in real if fates.get((one.question, one.worker)) is Fate.COUNTS]
    became = Counter(fates.get((one.question, one.worker), Fate.UNUSED) for one in real)
    return {
        "workers": [_people(run, kind, counting) for kind in dict.fromkeys(run.kinds)],
        "cost": {stage.value: _cost(run, stage) for stage in Stage},
        "currency": run.settings.currency,
        "judgments": {fate.value: became[fate] for fate in Fate},
        "error": _error(counting),
        "error_per_task": {task.value: _error(one for one in counting if one.task is task) for task in PROTOCOL_TASKS},
    }


def _fates(run: MixedRun) -> dict[tuple[int | None, int], Fate]:
    """Return the fate of each judgment, by question and worker."""
    void = Entry.objects.filter(project=run.project, kind="void").values_list("image_id", "data")
    voided = {(image, number) for image, data in void for number in data["entries"]}
    columns = ("question_id", "worker_id", "assignment__acceptance", "entry__image_id", "entry__sequence")
    rows = Judgment.objects.filter(question__project=run.project).values_list(*columns)
    return {(question, worker): _fate(acceptance, entry, voided) for question, worker, acceptance, *entry in rows}


def _fate(acceptance: str, entry: list[int | None], voided: set[tuple[int, int]]) -> Fate:
    if acceptance == Acceptance.REFUSED:
        return Fate.REFUSED
    if None in entry:
        return Fate.UNUSED
    return Fate.VOIDED if tuple(entry) in voided else Fate.COUNTS


def _people(run: MixedRun, kind: WorkerKind, counting: list[Answered]) -> dict[str, Any]:
    """Return the figures of one kind: workers, their trust (each worker and task counts once), and real judgments."""
    own = [worker.id for worker, other in zip(run.workers, run.kinds, strict=True) if other is kind]
    place = {"project_id": run.project.id, "worker__in": own}
    rows = TrustStatus.objects.filter(**place).exclude(state=TrustState.INVITED)
    judged = [one for one in counting if one.kind is kind]
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


def _cost(run: MixedRun, stage: Stage) -> dict[str, Any]:
    own = [one for one in run.answers if one.stage is stage]
    return {"questions": len(own), "seconds": round(sum(one.seconds for one in own)), "cents": run.cents[stage]}


def _error(answers: Iterable[Answered]) -> float | None:
    """Return the share of wrong answers, or None without answers."""
    rights = [one.right for one in answers]
    return round(rights.count(False) / len(rights), 4) if rights else None
