"""Newcomers to a project: the ways in which people come who are not trusted yet, and the known questions they take."""

from dataclasses import dataclass

from django.db.models import Count

from annotation.models import Project
from pipeline.gold_questions.known_questions import Purpose
from pipeline.known.gold_needed import least_questions
from pipeline.models import KnownQuestion
from pipeline.project.queries import tasks_of
from pipeline.project.settings_versions import current_settings
from pipeline.protocol.tasks.task import Task
from pipeline.settings.settings import Settings
from platforms.models import Recruitment
from workers.invitations import open_invitations
from workers.models import TrustStatus, Worker
from workers.rules.trust_states import TrustState

NEW_WORKER_STATES = (TrustState.INVITED.value, TrustState.TESTING.value, TrustState.PROBATION.value)


@dataclass(frozen=True, slots=True)
class AdmissionWay:
    """A way in which newcomers come: what it is called, and the tasks that it opens to them."""

    words: str
    tasks: frozenset[Task]


def ways_in(project: Project) -> list[AdmissionWay]:
    """Return the ways in which newcomers can come to the project now. Guests of a demo are none."""
    return [*_invitations(project), *_recruitments(project), *_workers(project)]


def _tasks(project: Project, names: list[str]) -> frozenset[Task]:
    return frozenset(Task(name) for name in names) or frozenset(tasks_of(project))


def _invitations(project: Project) -> list[AdmissionWay]:
    usable = open_invitations(project.pk).filter(trusted=False)
    return [AdmissionWay(f"the invitation “{invitation}”", _tasks(project, invitation.tasks)) for invitation in usable]


def _recruitments(project: Project) -> list[AdmissionWay]:
    rows = Recruitment.objects.filter(project=project, active=True)
    return [AdmissionWay(f"recruiting on {row.platform}", _tasks(project, row.tasks)) for row in rows]


def _workers(project: Project) -> list[AdmissionWay]:
    rows = TrustStatus.objects.filter(project=project, state__in=NEW_WORKER_STATES).exclude(
        worker__kind=Worker.Kind.VIRTUAL
    )
    counted = list(rows.values_list("task").annotate(workers=Count("worker", distinct=True)).order_by("task"))
    if not counted:
        return []
    most = max(workers for _, workers in counted)
    words = "a worker who is not trusted yet" if most == 1 else f"{most} workers who are not trusted yet"
    return [AdmissionWay(words, _tasks(project, [task for task, _ in counted]))]


def needed_questions(settings: Settings) -> dict[KnownQuestion.Purpose, int]:
    """Return how many questions a task must have for newcomers: to measure their work, and for one test."""
    return {Purpose.VERIFICATION: least_questions(settings), Purpose.TEST: settings.test_questions}


def counts_of(project: Project) -> dict[tuple[str, str], int]:
    """Count the project's questions that can be asked, by task and purpose."""
    rows = KnownQuestion.objects.filter(project=project, retired_at=None).order_by()
    return {(task, purpose): n for task, purpose, n in rows.values_list("task", "purpose").annotate(n=Count("id"))}


def missing_known_questions(project: Project, ways: list[AdmissionWay] | None = None) -> list[str]:
    """Return a sentence if newcomers can come, and tasks that are open to them lack known questions.

    `ways`: the ways in which newcomers can come, if they were read already.
    """
    ways = ways_in(project) if ways is None else ways
    if not ways:
        return []
    wanted, counts = needed_questions(current_settings(project.pk)[1]), counts_of(project)
    lacking = []
    for task in (task for task in tasks_of(project) if any(task in way.tasks for way in ways)):
        parts = [
            f"{counts.get((task.value, purpose.value), 0)} of {most} {'test' if purpose == Purpose.TEST else 'known'}"
            for purpose, most in wanted.items()
            if counts.get((task.value, purpose.value), 0) < most
        ]
        if parts:
            lacking.append(f"{task.label} ({', '.join(parts)})")
    if not lacking:
        return []
    remedy = (
        "Import items with verification questions on the page “Items”"
        if project.survey
        else "Make them on the page “Known questions”"
    )
    names = " and ".join(way.words for way in ways[:3]) + (" and more" if len(ways) > 3 else "")
    return [
        f"Newcomers can join by {names}, and known questions are missing: {'; '.join(lacking)}. "
        f"{remedy}, or invite only people whom you trust."
    ]
