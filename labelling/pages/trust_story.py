"""The history of a worker's trust, in words for the worker.

The history contains no figures: they are exact and would reveal what `labelling.pages.scores` keeps back. The end of
probation is left out too, because from then on few questions are checked. Losing trust reads like failing probation.
"""

from dataclasses import dataclass
from datetime import datetime

from django.utils.translation import gettext, gettext_noop

from pipeline.asking.receipt import TestResult
from pipeline.asking.submit_assignment import test_result
from pipeline.models import Assignment
from workers.models import TrustChange
from workers.rules.trust_states import TrustEvent
from workers.task_words import task_name, text_in_language

BELOW = gettext_noop(
    "Your score was below what is needed. Please read the instructions and look at the examples again: your next "
    "answers decide whether you can go on."
)
GO_ON = gettext_noop("You may go on.")
IN_WORDS = {
    TrustEvent.WAIVE_TEST: gettext_noop("You do not need to take the qualification test."),
    TrustEvent.PASS_TEST: gettext_noop("You passed the qualification test."),
    TrustEvent.FAIL_TEST: gettext_noop("You did not pass the qualification test."),
    TrustEvent.FAIL_LAST_TEST: gettext_noop("You did not pass your last try at the qualification test."),
    TrustEvent.FAIL_PROBATION: BELOW,
    TrustEvent.LOSE_TRUST: BELOW,
    TrustEvent.FAIL_AGAIN: gettext_noop(
        "Your score was below what is needed once more. You get no more questions of this task."
    ),
    TrustEvent.TRUST: gettext_noop("The requester trusts you. Your score starts anew."),
    TrustEvent.SUSPEND: gettext_noop("You were suspended for a while."),
    TrustEvent.RESUME_TEST: GO_ON,
    TrustEvent.RESUME_PROBATION: GO_ON,
    TrustEvent.RESUME_TRUST: GO_ON,
    TrustEvent.BAR: gettext_noop("The requester gives you no more questions of this task."),
    TrustEvent.APPEAL: gettext_noop("You appealed."),
    TrustEvent.REFUSE_APPEAL: gettext_noop("Your appeal was refused."),
    TrustEvent.REINSTATE: gettext_noop("You may work again. Your score starts anew."),
    TrustEvent.REINSTATE_TO_TEST: gettext_noop("You may take the qualification test again."),
}
AFTER_TEST = frozenset({TrustEvent.PASS_TEST, TrustEvent.FAIL_TEST, TrustEvent.FAIL_LAST_TEST})
"""Changes whose figures the worker has already read."""
LAST = 50
"""Changes that the page shows at most."""


@dataclass(frozen=True, slots=True)
class TrustNews:
    task: str
    at: datetime
    words: str
    reason: str


def trust_story(project_id: int, worker_id: int, most: int = LAST) -> list[TrustNews]:
    """Return at most the last `most` changes, the newest first. Changes made by a person carry that person's reason."""
    shown = [event.value for event in IN_WORDS]
    rows = TrustChange.objects.filter(project_id=project_id, worker=worker_id, event__in=shown).order_by("-id")[:most]
    return [in_words(row) for row in rows]


def in_words(row: TrustChange) -> TrustNews:
    event = TrustEvent(row.event)
    reason = row.reason if row.actor else _figures(row) if event in AFTER_TEST else ""
    return TrustNews(task_name(row.task), row.created_at, gettext(IN_WORDS[event]), reason)


def _figures(row: TrustChange) -> str:
    """Return the result of the test that changed the trust, from its receipt."""
    of = {"worker": row.worker_id, "project": row.project_id, "task": row.task, "ended_at": row.created_at}
    kept = Assignment.objects.filter(**of, kind=Assignment.Kind.TEST).values_list("receipt__test", flat=True).first()
    return text_in_language(test_result(TestResult(*kept))) if kept else row.reason
