"""What happened to a worker's trust, in words for the worker.

Figures are left out: they are exact, and would tell what `labelling.pages.scores` keeps back. So is the end of
probation,
from when on only a few questions are checked; and losing trust reads like not passing probation.
"""

from dataclasses import dataclass
from datetime import datetime

from pipeline.rules.tasks.task import Task
from workers.models import TrustChange
from workers.rules.trust_states import TrustEvent

BELOW = (
    "Your score was below what is needed. Please read the instructions and look at the examples again: your next "
    "answers decide whether you can go on."
)
GO_ON = "You may go on."
IN_WORDS = {
    TrustEvent.WAIVE_TEST: "You need not take the qualification test.",
    TrustEvent.PASS_TEST: "You passed the qualification test.",
    TrustEvent.FAIL_TEST: "You did not pass the qualification test.",
    TrustEvent.FAIL_LAST_TEST: "You did not pass the qualification test for the last time.",
    TrustEvent.FAIL_PROBATION: BELOW,
    TrustEvent.LOSE_TRUST: BELOW,
    TrustEvent.FAIL_AGAIN: "Your score was below what is needed once more. Your answers are no longer asked for.",
    TrustEvent.TRUST: "The requester trusts you. Your score begins anew.",
    TrustEvent.SUSPEND: "You were suspended for a while.",
    TrustEvent.RESUME_TEST: GO_ON,
    TrustEvent.RESUME_PROBATION: GO_ON,
    TrustEvent.RESUME_TRUST: GO_ON,
    TrustEvent.BAR: "The requester no longer asks for your answers.",
    TrustEvent.APPEAL: "You appealed.",
    TrustEvent.REFUSE_APPEAL: "Your appeal was refused.",
    TrustEvent.REINSTATE: "You may work again. Your score begins anew.",
    TrustEvent.REINSTATE_TO_TEST: "You may take the qualification test anew.",
}
WITH_REASON = frozenset({TrustEvent.PASS_TEST, TrustEvent.FAIL_TEST, TrustEvent.FAIL_LAST_TEST})
"""What followed by itself, and has a reason that the worker was told already."""
LAST = 50


@dataclass(frozen=True, slots=True)
class TrustNews:
    task: str
    at: datetime
    words: str
    reason: str


def trust_story(project_id: int, worker_id: int) -> list[TrustNews]:
    """At most the last `LAST` changes, the newest first. A person's act is told with the reason they gave."""
    told = [event.value for event in IN_WORDS]
    rows = TrustChange.objects.filter(project_id=project_id, worker=worker_id, event__in=told).order_by("-id")[:LAST]
    return [in_words(row) for row in rows]


def in_words(row: TrustChange) -> TrustNews:
    event = TrustEvent(row.event)
    reason = row.reason if row.actor or event in WITH_REASON else ""
    return TrustNews(Task(row.task).label, row.created_at, IN_WORDS[event], reason)
