"""Whose answers speak for a question: workers who are trusted on the task now, or were never measured."""

from django.db.models import Exists, OuterRef, QuerySet

from pipeline.models import Assignment, Judgment
from pipeline.rules.task import Task
from pipeline.settings_versions import current_settings
from workers.models import Standing
from workers.rules.trust import Model
from workers.rules.trust_states import State

UNUSED = (Assignment.Verdict.REFUSED, Assignment.Verdict.WAITING)


def trusted_judgments(project_id: int, task: Task) -> QuerySet[Judgment]:
    """Answers to real and to verification questions, by workers without a standing or with trust.

    In the verification model nobody is trusted: there those on probation count, but for batches that are not used.
    """
    trusted = [State.TRUSTED]
    if current_settings(project_id)[1].trust[task.value] == Model.VERIFICATION:
        trusted.append(State.PROBATION)
    own = Standing.objects.filter(worker=OuterRef("worker"), project_id=project_id, task=task.value)
    return Judgment.objects.exclude(Exists(own.exclude(state__in=trusted))).exclude(assignment__verdict__in=UNUSED)
