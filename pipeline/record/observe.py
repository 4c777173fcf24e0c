"""Observe the moment: look up what the rules of images need to know for their new entries, and nothing else."""

from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from pipeline.models import Question
from pipeline.project.models_at_work import models_at_work
from pipeline.protocol.image.linking import has_new_rules
from pipeline.protocol.image.machine import EntryKind
from pipeline.protocol.rules import EntryContext, Rules, context_of
from pipeline.protocol.state.progress import ImageProgress
from pipeline.protocol.tasks.task import QuestionState, Task
from pipeline.record.new_entry import NewEntry
from workers.skills import CheckedSkills, checked_answers

ByTask = dict[Task, dict[int, CheckedSkills]]
"""By task and worker."""


class Observed(NamedTuple):
    """An image whose progress row the caller holds, with its new entries and the rules that they act under."""

    image_id: int
    project_id: int
    progress: ImageProgress
    new: Sequence[NewEntry]
    rules: Rules


def observe(images: Sequence[Observed], now: datetime) -> list[list[EntryContext]]:
    """Return for each image, all of one project, the contexts of its new entries. Without needs nothing is looked up.

    Of images that meet new rules of links, and of those that a program proposes boxes for, questions are locked.
    """
    checked, inactive = _checked(images), dict[tuple[int, ...], list[int]]()
    found = []
    for image in images:
        models = image.rules.needs.inactive
        if models and models not in inactive:
            at_work = models_at_work(image.project_id, models, now)
            inactive[models] = sorted(set(models).difference(at_work))
        found.append(_contexts(image, checked, inactive.get(models, ())))
    return found


def _contexts(image: Observed, checked: ByTask, inactive: Sequence[int]) -> list[EntryContext]:
    needs, contexts = image.rules.needs, []
    for place, entry in enumerate(image.new):
        of_task = checked.get(entry.task, {}) if entry.task is not None else {}
        on_loan: Sequence[int] = ()
        if entry.kind is EntryKind.PROPOSE:
            on_loan = questions_on_loan(image.image_id, Task.BOX_DRAWING, Task.COREFERENCE_LINK)
        elif place == 0 and has_new_rules(image.progress, image.rules):
            on_loan = questions_on_loan(image.image_id, Task.COREFERENCE_LINK)
        contexts.append(
            context_of(
                needs,
                task=entry.task,
                by_model=entry.by_model,
                checked=of_task.get(entry.data["worker"]) if of_task else None,
                seed=image.image_id if entry.kind is EntryKind.START else 0,
                inactive=inactive,
                on_loan=on_loan,
            )
        )
    return contexts


def _checked(images: Sequence[Observed]) -> ByTask:
    """Look up what is known of the workers whose answers are weighed."""
    workers: dict[Task, set[int]] = defaultdict(set)
    for image in images:
        if image.rules.needs.skill:
            for entry in image.new:
                if entry.task is not None and entry.task in image.rules.needs.skill:
                    workers[entry.task].add(entry.data["worker"])
    return {task: checked_answers(images[0].project_id, task.value, ids) for task, ids in workers.items()}


def questions_on_loan(image_id: int, *tasks: Task) -> list[int]:
    """Return the numbers of the image's open questions of these tasks that are answered or on loan.

    Locks all of its open ones, so that none is lent until the fold has closed those that no worker has.
    """
    asked = Question.objects.filter(image=image_id, task__in=[task.value for task in tasks])
    open_ones = asked.exclude(state=QuestionState.CLOSED.value).select_for_update().order_by("id")
    rows = open_ones.values_list("number", "state", "assignment")
    return [number for number, state, lease in rows if lease is not None or state == QuestionState.ANSWERED.value]
