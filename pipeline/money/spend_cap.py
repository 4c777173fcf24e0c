"""The spend cap: totals of what a project has committed itself to pay and to ask, however many workers ask at once.

The total of money is exact at any moment. That of answers counts a leased assignment as answered until the tables are
added up again: once an hour, and in each sweep that finds the cap near, as it takes a while in large projects. So it
may be too high, and nobody is asked beyond the cap.
"""

from datetime import datetime, timedelta

from django.db import IntegrityError, transaction
from django.db.models import BigIntegerField, F, Q, Sum
from django.db.models.fields.json import KT
from django.db.models.functions import Cast, Coalesce

from pipeline.errors import BudgetSpentError
from pipeline.models import Assignment, LedgerEntry, Spending
from pipeline.project.settings_versions import current_settings
from pipeline.settings.of_work import MoneySettings
from runtime import clock
from workers.models import Worker

Kind, State = LedgerEntry.Kind, Assignment.State
COUNTED_ANEW = timedelta(hours=1)
NEAR_CAP_SHARE, NEAR_CAP_ANSWERS = 0.01, 100
"""The cap on answers is near if less than this share of it is left, or fewer answers than that."""


def reserve_reward(project_id: int, cents: int, settings: MoneySettings, *, answers: int = 0) -> None:
    """Reserve the reward of an assignment that is about to be leased, and the answers that it asks of a person.

    Raises BudgetSpentError if one of the project's totals would exceed its cap; nothing is reserved then.
    """
    if not commit(project_id, cents, settings.spend_cap_cents, answers=answers, answer_cap=settings.answer_cap):
        raise BudgetSpentError


def release_reward(project_id: int, cents: int) -> None:
    """Release what was reserved for an assignment and is not earned. Free when the whole reward was earned.

    A negative amount adds to the total: it is for work that came after its reservation was released.
    """
    if cents:
        release(project_id, cents)


def commit(project_id: int, cents: int, cap_cents: int, *, answers: int = 0, answer_cap: int = 0) -> bool:
    """Add amounts to the project's totals, and return False if that would exceed a cap; nothing is added then.

    Projects without a cap (0) keep no totals. Call it in the transaction that promises the money: the totals' row
    stays locked until that ends, so the promise and the totals are stored together or not at all.
    """
    if cents < 0:
        raise ValueError(f"Only an amount from 0 can be committed, not {cents}.")
    if not (cap_cents or answer_cap) or not (cents or answers):
        return True
    room = Q(project_id=project_id)
    if cents and cap_cents:
        room &= Q(committed_cents__lte=cap_cents - cents)
    if answers and answer_cap:
        room &= Q(committed_answers__lte=answer_cap - answers)
    if _add(room, cents, answers):
        return True
    _begin(project_id)
    return _add(room, cents, answers)


def release(project_id: int, cents: int) -> None:
    """Take an amount that will not be paid off the total. Does nothing if the project keeps no total."""
    Spending.objects.filter(project_id=project_id).update(committed_cents=F("committed_cents") - cents)


def charge(project_id: int, cents: int) -> None:
    """Add an amount that is owed whatever the cap says, such as pay that was restored."""
    release(project_id, -cents)


def keep_up(project_id: int, now: datetime | None = None) -> None:
    """Add the tables up again if that is due. Drops the totals if the project has no cap."""
    _, settings = current_settings(project_id)
    kept = Spending.objects.filter(project_id=project_id).first()
    if not (settings.spend_cap_cents or settings.answer_cap):
        if kept:
            kept.delete()
        return
    left = settings.answer_cap - kept.committed_answers if kept and settings.answer_cap else NEAR_CAP_ANSWERS
    is_near = settings.answer_cap and left < max(NEAR_CAP_SHARE * settings.answer_cap, NEAR_CAP_ANSWERS)
    if is_near or not kept or not kept.counted_at or kept.counted_at + COUNTED_ANEW <= (now or clock.now()):
        recount(project_id)


def committed(project_id: int) -> int:
    """Add up what was earned, what running assignments may earn, and bonuses, less refusals. Returns cents.

    Reads every assignment of the project.
    """
    earned = Coalesce(Sum("earned_cents", filter=Q(state=State.SUBMITTED)), 0)
    promised = Coalesce(Sum("reward_cents", filter=Q(state=State.ACTIVE)), 0)
    work = Assignment.objects.filter(project=project_id).aggregate(cents=earned + promised)["cents"]
    rows = LedgerEntry.objects.filter(project_id=project_id).exclude(kind=Kind.PAID)
    less = Coalesce(Sum("cents", filter=Q(kind=Kind.REFUSED)), 0)
    more = Coalesce(Sum("cents", filter=~Q(kind=Kind.REFUSED)), 0)
    return work + rows.aggregate(cents=more - less)["cents"]


def answers_of_people(project_id: int) -> int:
    """Add up the answers that people gave and those that running assignments may bring. Tests are left out.

    Reads every assignment of the project.
    """
    asked = Assignment.objects.filter(project=project_id, kind=Assignment.Kind.WORK)
    asked = asked.exclude(worker__kind=Worker.Kind.PROGRAM)
    given = Coalesce(Sum(Cast(KT("receipt__answered"), BigIntegerField())), 0)
    running = asked.filter(state=State.ACTIVE).only("questions", "known")
    return asked.filter(state=State.SUBMITTED).aggregate(answers=given)["answers"] + sum(
        assignment.size for assignment in running
    )


def _add(room: Q, cents: int, answers: int) -> bool:
    added = {"committed_cents": F("committed_cents") + cents, "committed_answers": F("committed_answers") + answers}
    return Spending.objects.filter(room).update(**added) == 1


def _begin(project_id: int) -> None:
    """Create the total if there is none. Waits for a concurrent transaction that creates the same row."""
    if Spending.objects.filter(project_id=project_id).exists():
        return
    try:
        with transaction.atomic():
            Spending(project_id=project_id).save(force_insert=True)
            recount(project_id)
    except IntegrityError:
        pass  # a concurrent transaction has created it


@transaction.atomic
def recount(project_id: int) -> int:
    """Set the totals to what the tables add up to, and return that of money.

    Locks the row first: a transaction that still holds it has not yet written what it committed.
    """
    Spending.objects.bulk_create([Spending(project_id=project_id)], ignore_conflicts=True)
    list(Spending.objects.select_for_update().filter(project_id=project_id))
    cents = committed(project_id)
    Spending.objects.filter(project_id=project_id).update(
        committed_cents=cents, committed_answers=answers_of_people(project_id), counted_at=clock.now()
    )
    return cents
