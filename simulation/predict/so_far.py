"""The work that a project has behind it: it counts as it was, and a forecast adds what is to come."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from django.db.models import Count, QuerySet, Sum

from annotation.rules.states import ImageState
from pipeline.models import Assignment, Judgment
from pipeline.rules.tasks.task import PROTOCOL_TASKS, Task
from workers.models import TrustStatus
from workers.rules.trust_states import TrustState

Counts = Mapping[Task, int]
OVER = (ImageState.MERGED.value, ImageState.REVIEW.value)
"""States of images about which workers are asked no more: finished, or left to an expert."""


def _none() -> Counts:
    return dict.fromkeys(PROTOCOL_TASKS, 0)


@dataclass(frozen=True, slots=True)
class SoFar:
    """Answers by task, money and workers so far."""

    real: Counts = field(default_factory=_none)
    """Answers to real questions."""
    unfinished: Counts = field(default_factory=_none)
    """Those among them about images that are still asked about."""
    known: Counts = field(default_factory=_none)
    """Answers to verification questions."""
    tests: Counts = field(default_factory=_none)
    """Answers in tests, which are not paid."""
    cents: int = 0
    """Earned by workers."""
    begun: Counts = field(default_factory=_none)
    """Workers who have begun to qualify."""


def read_so_far(project_id: int) -> SoFar:
    """Count the work of a project."""
    real = Judgment.objects.filter(question__project=project_id)
    known = Judgment.objects.filter(assignment__project=project_id, known__isnull=False)
    tests = known.filter(assignment__kind=Assignment.Kind.TEST)
    begun = TrustStatus.objects.filter(project=project_id).exclude(state=TrustState.INVITED.value)
    unfinished = real.exclude(question__image__state__in=OVER)
    in_tests = _by_task(tests, "assignment__task")
    answered = _by_task(known, "assignment__task")
    earned = Assignment.objects.filter(project=project_id).aggregate(all=Sum("earned_cents"))["all"]
    return SoFar(
        real=_by_task(real, "question__task"),
        unfinished=_by_task(unfinished, "question__task"),
        known={task: answered[task] - in_tests[task] for task in PROTOCOL_TASKS},
        tests=in_tests,
        cents=earned or 0,
        begun=_by_task(begun, "task"),
    )


def _by_task(rows: QuerySet, field: str) -> dict[Task, int]:  # type: ignore[type-arg]  # of any model
    found = dict(rows.order_by().values(field).annotate(number=Count("id")).values_list(field, "number"))
    return {task: found.get(task.value, 0) for task in PROTOCOL_TASKS}
