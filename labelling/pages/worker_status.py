"""A worker on the own pages: what was done and earned, the score, and how far the worker is trusted."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import QuerySet
from django.utils.translation import gettext, gettext_noop

from labelling.open_tasks import MIN_ASSIGNMENTS
from pipeline.asking.receipt import TestResult
from pipeline.asking.submit_assignment import test_result
from pipeline.models import Assignment
from pipeline.money.ledger import Pay, WorkerBalance, account_of, hourly_pay, rough_cents
from pipeline.project.settings_versions import current_settings
from pipeline.protocol.tasks.task import Task
from pipeline.trust.review_trust import judged_boxes, known_judgments
from runtime.words import percent
from workers.models import TrustChange
from workers.rules.score import Score, Scores
from workers.rules.trust_states import TrustEvent
from workers.task_words import task_name, text_in_language

ENDINGS = {
    Assignment.State.SUBMITTED: "",
    Assignment.State.RETURNED: gettext_noop("returned"),
    Assignment.State.EXPIRED: gettext_noop("ran out of time"),
}


@dataclass(frozen=True, slots=True)
class Done:
    """One assignment that has ended."""

    task: str
    at: datetime | None
    outcome: str
    """The end of the assignment in words; empty if it was submitted and used."""
    stored: str
    """The number of its answers that count, in words."""
    earned_cents: int
    refused_cents: int
    """The part of it that the requester refused to pay."""
    token: UUID
    """Names the assignment, for a message about it."""


def ended_assignments(project_id: int, worker_id: int) -> QuerySet[Assignment]:
    """Return the ended assignments, newest first. `done` makes a row of the page from each.

    Those that were leased ahead of time and never begun are none of the worker's doing.
    """
    ended = [state.value for state in ENDINGS]
    rows = Assignment.objects.filter(worker=worker_id, project_id=project_id, state__in=ended)
    return rows.exclude(ahead=True, state=Assignment.State.RETURNED).order_by("-id")


def done(assignment: Assignment, refused_cents: int = 0) -> Done:
    return Done(
        task=task_name(assignment.task),
        at=assignment.ended_at,
        outcome=", ".join(part for part in _parts(assignment) if part),
        stored=_stored(assignment.receipt or {}),
        earned_cents=assignment.earned_cents,
        refused_cents=refused_cents,
        token=assignment.token,
    )


def _parts(assignment: Assignment) -> tuple[str, str, str]:
    """Return the kind, the end and the use of an assignment, in words.

    The reason why work is not used stays secret: it may rest on exact figures of trust.
    """
    kind = gettext("qualification test") if assignment.kind == Assignment.Kind.TEST else ""
    used = ""
    if assignment.acceptance == Assignment.Acceptance.REFUSED:
        used = gettext("paid, but not used") if assignment.earned_cents else gettext("not used")
    end = ENDINGS[Assignment.State(assignment.state)]
    return kind, gettext(end) if end else "", used


def _stored(receipt: dict[str, Any]) -> str:
    if test := receipt.get("test"):
        result = TestResult(*test)
        return gettext("%(right)s of %(asked)s right") % {"right": result.right, "asked": result.questions}
    given = receipt.get("answered", 0) + len(receipt.get("late", ()))
    return gettext("%(stored)s of %(given)s") % {"stored": receipt.get("stored", 0), "given": given}


@dataclass(frozen=True, slots=True)
class Earnings:
    """Amounts in hundredths of the project's currency."""

    account: WorkerBalance
    currency: str
    hourly_cents: int
    """The pay by the hour, without refused pay and bonuses; 0: unpaid, or too few assignments to tell."""


def earnings(project_id: int, worker_id: int) -> Earnings:
    """Return the worker's earnings. Hours run from taking an assignment to handing it in, tests included."""
    _, settings = current_settings(project_id)
    account = account_of(worker_id, project_id)
    return Earnings(
        account, settings.currency, _by_hour(sum(hourly_pay(project_id, [worker_id]).values(), Pay()), account)
    )


def _by_hour(pay: Pay, account: WorkerBalance) -> int:
    if pay.assignments < MIN_ASSIGNMENTS or not pay.seconds:
        return 0
    return rough_cents(3600 * max(pay.earned_cents - account.refused, 0) // pay.seconds)


# The score that a worker sees, and when it changes.
#
# A worker who sees the score change can find out which questions are checked: submit one assignment, look, submit the
# next. The score therefore lags behind in two ways:
#
# - Only answers of earlier days (UTC) count. A look right after an assignment tells the worker nothing.
# - Of these answers only the first 10, 20, 30 ... count. A step tells how many of ten answers were right, never which
#   ones. It shows that a tenth question was checked on the day before, not where.
#
# If 2 % of the questions are checked, a step stands for about five hundred answers. The shown score is true, only
# older: decisions use all answers at once (`pipeline.trust.review_trust`). Boxes count in the same steps. Otherwise a
# box that other workers never judge would stand out as one that was checked.
#
# The score alone shows that some earlier questions were checked. The protocol says so to everybody.

STEP = 10
"""The number of answers by which a shown score advances."""

Outcome = tuple[datetime, bool]


@dataclass(frozen=True, slots=True)
class ShownScores:
    """The scores that the worker may see now. For box drawing they include the judged boxes."""

    scores: Scores = field(default_factory=Scores)
    boxes: Score = field(default_factory=Score)
    """Box drawing: the approved boxes among those judged."""


def shown_score(worker_id: int, project_id: int, task: Task, since: datetime | None, now: datetime) -> ShownScores:
    """Return the score for the worker. `since`: when the score started anew; None: with the first answer."""
    judged = known_judgments(worker_id, project_id, task)
    if since:
        judged = judged.filter(created_at__gt=since)
    known: list[Outcome] = list(judged.filter(right__isnull=False).values_list("created_at", "right"))  # type: ignore[arg-type]
    boxes = judged_boxes(worker_id, project_id, since) if task is Task.BOX_DRAWING else []
    return ShownScores(Scores.of(_in_steps([*known, *boxes], now)), Score(*_count(_in_steps(boxes, now))))


def _in_steps(outcomes: Sequence[Outcome], now: datetime) -> list[bool]:
    """Return which outcomes were right, the oldest first: only those of earlier days, cut to whole steps."""
    today = now.replace(hour=0, minute=0, second=0, microsecond=0)
    earlier = [right for moment, right in sorted(outcomes, key=lambda one: one[0]) if moment < today]
    return earlier[: len(earlier) // STEP * STEP]


def _count(outcomes: Sequence[bool]) -> tuple[int, int]:
    return sum(outcomes), len(outcomes)


def score_in_words(shown: ShownScores, minimum: float) -> list[str]:
    """Return the score in sentences for the worker. `minimum`: the score needed, 0 to 1."""
    needed = gettext("Needed: %(share)s.") % {"share": _share(minimum)}
    overall, recent, boxes = shown.scores.overall, shown.scores.recent, shown.boxes
    if not overall.total:
        return [f"{gettext('No score yet.')} {needed}"]
    if boxes.total:
        said = gettext("You: %(right)s of %(total)s right on checked questions and judged boxes, %(share)s.")
    else:
        said = gettext("You: %(right)s of %(total)s right on checked questions, %(share)s.")
    lines = [f"{said % _values(overall)} {needed}"]
    if overall.total > recent.total:
        lines.append(gettext("The last %(total)s: %(right)s right, %(share)s.") % _values(recent))
    if boxes.total:
        lines.append(gettext("Your boxes: %(right)s of %(total)s approved, %(share)s.") % _values(boxes))
    return lines


LEAST_SHARE, MOST_SHARE = gettext_noop("below 1 %"), gettext_noop("over 99 %")
"""Two ways in which `percent` writes a share."""


def _values(score: Score) -> dict[str, str]:
    return {"right": str(score.right), "total": str(score.total), "share": _share(score.share or 0)}


def _share(share: float) -> str:
    return gettext(percent(share))


# The history of a worker's trust, in words for the worker.
#
# The history contains no figures: they are exact and would reveal what the shown score keeps back. The end of probation
# is left out too, because from then on few questions are checked. Losing trust reads like failing probation.

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
