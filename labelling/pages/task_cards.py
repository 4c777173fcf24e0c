"""The card of each task on a project's page: the offer, the worker's score, and the reasons of a suspension."""

from dataclasses import dataclass, field
from datetime import datetime

from django.utils.translation import gettext

from annotation.models import Project
from labelling.open_tasks import TaskOffer, assignments_on_loan, open_tasks
from labelling.pages.scores import ShownScores, score_in_words, shown_score
from labelling.pages.trust_story import TrustNews, in_words
from labelling.task_status import TaskState as State
from pipeline.project.settings_versions import current_settings
from pipeline.protocol.tasks.task import Task
from pipeline.settings.of_work import TrustSettings
from pipeline.settings.quality_control import needed_in_test
from pipeline.settings.settings import Settings
from runtime import clock
from workers.models import TrustChange, TrustStatus
from workers.rules.trust_states import TrustEvent
from workers.task_words import TASK_QUESTIONS

EXCLUDED = (State.SUSPENDED.value, State.BARRED.value)
CAUSES = (
    TrustEvent.SUSPEND,
    TrustEvent.BAR,
    TrustEvent.FAIL_AGAIN,
    TrustEvent.FAIL_LAST_TEST,
    TrustEvent.REFUSE_APPEAL,
)


@dataclass(frozen=True, slots=True)
class ScoreCard:
    """A score beside the score that is needed, in whole percent."""

    lines: list[str]
    share: int | None
    """None: there is no score yet."""
    needed: int


@dataclass(frozen=True, slots=True)
class TaskCard:
    offer: TaskOffer
    words: str
    minutes_left: int
    """Minutes left of the assignment that the worker has begun; 0 if there is none."""
    needed: int
    """The number of right answers that pass the qualification test."""
    tries: str
    """The number of the next try at the test in words, from the second on; else empty."""
    score: ScoreCard | None
    """None: the worker is not measured on this task."""
    may_appeal: bool
    work_cents: int
    """The reward of an assignment after the test."""
    why: list[TrustNews] = field(default_factory=list)
    """The change that led to the suspension or the bar."""


def task_cards(project: Project, worker_id: int) -> list[TaskCard]:
    """Return the cards of the worker's tasks, in the order of `Task`."""
    now = clock.now()
    _, settings = current_settings(project.id)
    held = assignments_on_loan(project.id, worker_id).values_list("task", "expires_at")
    left = {task: max(1, int((until - now).total_seconds() // 60)) for task, until in held}
    rows = {row.task: row for row in TrustStatus.objects.filter(worker=worker_id, project_id=project.id)}
    return [
        _card(
            offer, project.id, worker_id, settings, rows.get(offer.task), minutes_left=left.get(offer.task, 0), now=now
        )
        for offer in open_tasks(project, worker_id)
    ]


def _card(
    offer: TaskOffer,
    project_id: int,
    worker_id: int,
    settings: Settings,
    row: TrustStatus | None,
    *,
    minutes_left: int,
    now: datetime,
) -> TaskCard:
    task = Task(offer.task)
    failed = row.tests_failed if row else 0
    return TaskCard(
        offer,
        gettext(TASK_QUESTIONS[task]),
        minutes_left,
        needed_in_test(settings, task, settings.test_questions),
        gettext("try %(n)s of %(tests)s") % {"n": failed + 1, "tests": settings.tests} if failed else "",
        None if offer.state == State.TEST else _score(project_id, worker_id, task, settings, row, now=now),
        bool(row and offer.state == State.BARRED and not row.appealed),
        settings.reward_cents[offer.task],
        _why(project_id, worker_id, offer.task) if offer.state in EXCLUDED else [],
    )


def _score(
    project_id: int, worker_id: int, task: Task, settings: TrustSettings, row: TrustStatus | None, *, now: datetime
) -> ScoreCard | None:
    """Return the score; None if there is none. A worker without a trust status is measured by boxes alone."""
    shown = shown_score(worker_id, project_id, task, row.score_since if row else None, now)
    if shown == ShownScores() and (row is None or not row.passed_test):
        return None
    share, minimum = shown.scores.overall.share, settings.minimum[task.value]
    percent = None if share is None else round(100 * share)
    return ScoreCard(score_in_words(shown, minimum), percent, round(100 * minimum))


def _why(project_id: int, worker_id: int, task: str) -> list[TrustNews]:
    causes = [event.value for event in CAUSES]
    rows = TrustChange.objects.filter(project_id=project_id, worker=worker_id, task=task, event__in=causes)
    return [in_words(row) for row in rows.order_by("-id")[:1]]
