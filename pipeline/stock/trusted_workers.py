"""Whose answers speak for a question: workers who are trusted on the task now, or were never measured."""

from django.db.models import Exists, OuterRef, QuerySet

from pipeline.models import Assignment, Judgment
from pipeline.rules.tasks.task import Task
from pipeline.settings_versions import current_settings
from workers.models import TrustStatus
from workers.rules.trust import TrustModel
from workers.rules.trust_states import TrustState

UNUSED = (Assignment.Verdict.REFUSED, Assignment.Verdict.WAITING)


def trusted_judgments(project_id: int, task: Task) -> QuerySet[Judgment]:
    """Answers to real and to verification questions, by workers without a trust or with trust.

    In the verification model nobody is trusted: there those on probation count, but for batches that are not used.
    """
    trusted = [TrustState.TRUSTED]
    if current_settings(project_id)[1].trust[task.value] == TrustModel.VERIFICATION:
        trusted.append(TrustState.PROBATION)
    own = TrustStatus.objects.filter(worker=OuterRef("worker"), project_id=project_id, task=task.value)
    return Judgment.objects.exclude(Exists(own.exclude(state__in=trusted))).exclude(assignment__verdict__in=UNUSED)
