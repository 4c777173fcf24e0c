"""What the page of a project says of each task, beyond what the API tells."""

from dataclasses import dataclass, field
from datetime import datetime

from django.utils import timezone

from annotation.models import Project
from labelling.open_tasks import TaskOffer, held_assignments, open_tasks
from labelling.pages.scores import Shown, score_in_words, shown_score
from labelling.pages.trust_story import TrustNews, in_words
from labelling.task_status import TaskState as State
from labelling.task_words import TASK_WORDS
from pipeline.rules.settings.protocol import ProtocolSettings
from pipeline.rules.settings.quality_control import needed_in_test
from pipeline.rules.tasks.task import Task
from pipeline.settings_versions import current_settings
from workers.models import TrustChange, TrustStatus
from workers.rules.trust_states import TrustEvent

OUTCAST = (State.SUSPENDED.value, State.BARRED.value)
CAUSES = (
    TrustEvent.SUSPEND,
    TrustEvent.BAR,
    TrustEvent.FAIL_AGAIN,
    TrustEvent.FAIL_LAST_TEST,
    TrustEvent.REFUSE_APPEAL,
)


@dataclass(frozen=True, slots=True)
class ScoreCard:
    """A score against what is needed, in whole percent."""

    lines: list[str]
    share: int | None
    """None: nothing is known yet."""
    needed: int


@dataclass(frozen=True, slots=True)
class TaskCard:
    offer: TaskOffer
    words: str
    minutes_left: int
    """Of the assignment that can be gone on with; 0 where there is none."""
    needed: int
    """Right answers that pass the qualification test."""
    tries: str
    """Of the test, from the second on."""
    score: ScoreCard | None
    """None where nothing is measured."""
    may_appeal: bool
    work_cents: int
    """What an assignment pays after the test."""
    why: list[TrustNews] = field(default_factory=list)
    """What led to being suspended or barred, the newest first."""


def task_cards(project: Project, worker_id: int) -> list[TaskCard]:
    """In the order of the tasks."""
    now = timezone.now()
    _, settings = current_settings(project.id)
    held = held_assignments(project.id, worker_id).values_list("task", "expires_at")
    left = {task: max(1, int((until - now).total_seconds() // 60)) for task, until in held}
    rows = {row.task: row for row in TrustStatus.objects.filter(worker=worker_id, project_id=project.id)}
    return [
        _card(offer, project.id, worker_id, settings, rows.get(offer.task), left.get(offer.task, 0), now)
        for offer in open_tasks(project, worker_id)
    ]


def _card(
    offer: TaskOffer,
    project_id: int,
    worker_id: int,
    settings: ProtocolSettings,
    row: TrustStatus | None,
    minutes_left: int,
    now: datetime,
) -> TaskCard:
    task = Task(offer.task)
    failed = row.tests_failed if row else 0
    return TaskCard(
        offer,
        TASK_WORDS[task],
        minutes_left,
        needed_in_test(settings, task, settings.test_questions),
        f"try {failed + 1} of {settings.tests}" if failed else "",
        None if offer.state == State.TEST else _score(project_id, worker_id, task, settings, row, now),
        bool(row and offer.state == State.BARRED and not row.appealed),
        settings.reward_cents[offer.task],
        _why(project_id, worker_id, offer.task) if offer.state in OUTCAST else [],
    )


def _score(
    project_id: int, worker_id: int, task: Task, settings: ProtocolSettings, row: TrustStatus | None, now: datetime
) -> ScoreCard | None:
    """Of a worker without a trust, whom access made trusted, nothing but boxes is measured."""
    shown = shown_score(worker_id, project_id, task, row.score_since if row else None, now)
    if shown == Shown() and (row is None or not row.passed_test):
        return None
    share, minimum = shown.scores.overall.share, settings.minimum[task.value]
    percent = None if share is None else round(100 * share)
    return ScoreCard(score_in_words(shown, minimum), percent, round(100 * minimum))


def _why(project_id: int, worker_id: int, task: str) -> list[TrustNews]:
    causes = [event.value for event in CAUSES]
    rows = TrustChange.objects.filter(project_id=project_id, worker=worker_id, task=task, event__in=causes)
    return [in_words(row) for row in rows.order_by("-id")[:1]]
