"""What a project has committed itself to pay, held under its spend cap, however many workers ask at once."""

from django.db import IntegrityError, transaction
from django.db.models import F, Q, Sum
from django.db.models.functions import Coalesce

from pipeline.models import Assignment, LedgerEntry, Spending
from pipeline.settings_versions import current_settings

Kind, State = LedgerEntry.Kind, Assignment.State


def commit(project_id: int, cents: int, cap_cents: int) -> bool:
    """Reserve so much. False: the total would go beyond the cap; nothing is reserved. Without a cap (0) none is kept.

    Call it in the transaction that promises the money: the total's row stays locked until that ends, and what it
    wrote and the total come and go together.
    """
    if cents < 0:
        raise ValueError(f"Only an amount from 0 can be committed, not {cents}.")
    if not cap_cents:
        return True
    if _add(project_id, cents, cap_cents):
        return True
    _begin(project_id)
    return _add(project_id, cents, cap_cents)


def release(project_id: int, cents: int) -> None:
    """Take off what was reserved and is not to be paid. Where no total is kept it does nothing."""
    Spending.objects.filter(project_id=project_id).update(committed_cents=F("committed_cents") - cents)


def charge(project_id: int, cents: int) -> None:
    """Add what is owed whatever the cap says: work that came after its reservation was given back, pay restored."""
    release(project_id, -cents)


def recount(project_id: int) -> int | None:
    """Set the total right by what the assignments and the ledger say, and return it; drop it where there is no cap."""
    _, settings = current_settings(project_id)
    if settings.spend_cap_cents:
        return _count(project_id)
    if Spending.objects.filter(project_id=project_id).exists():
        Spending.objects.filter(project_id=project_id).delete()
    return None


def committed(project_id: int) -> int:
    """What was earned and may be earned yet, and bonuses, less what was refused. In cents; reads every assignment."""
    earned = Coalesce(Sum("earned_cents", filter=Q(state=State.SUBMITTED)), 0)
    promised = Coalesce(Sum("reward_cents", filter=Q(state=State.ACTIVE)), 0)
    work = Assignment.objects.filter(project=project_id).aggregate(cents=earned + promised)["cents"]
    rows = LedgerEntry.objects.filter(project_id=project_id).exclude(kind=Kind.PAID)
    less = Coalesce(Sum("cents", filter=Q(kind=Kind.REFUSED)), 0)
    more = Coalesce(Sum("cents", filter=~Q(kind=Kind.REFUSED)), 0)
    return work + rows.aggregate(cents=more - less)["cents"]


def _add(project_id: int, cents: int, cap_cents: int) -> bool:
    room = Spending.objects.filter(project_id=project_id, committed_cents__lte=cap_cents - cents)
    return room.update(committed_cents=F("committed_cents") + cents) == 1


def _begin(project_id: int) -> None:
    """Make the total, unless it is there. Who makes it at the same time is waited for: it counts once."""
    if Spending.objects.filter(project_id=project_id).exists():
        return
    try:
        with transaction.atomic():
            Spending(project_id=project_id).save(force_insert=True)
            _count(project_id)
    except IntegrityError:
        pass  # another has just made it


@transaction.atomic
def _count(project_id: int) -> int:
    """The row is locked before anything is counted: who holds it has not yet written what it stands for."""
    Spending.objects.bulk_create([Spending(project_id=project_id)], ignore_conflicts=True)
    list(Spending.objects.select_for_update().filter(project_id=project_id))
    cents = committed(project_id)
    Spending.objects.filter(project_id=project_id).update(committed_cents=cents)
    return cents
