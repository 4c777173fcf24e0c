"""The spend cap: a total of what a project has committed itself to pay, however many workers ask at once."""

from django.db import IntegrityError, transaction
from django.db.models import F, Q, Sum
from django.db.models.functions import Coalesce

from pipeline.errors import BudgetSpentError
from pipeline.models import Assignment, LedgerEntry, Spending
from pipeline.project.settings_versions import current_settings
from pipeline.rules.settings.protocol import ProtocolSettings

Kind, State = LedgerEntry.Kind, Assignment.State


def reserve_reward(project_id: int, cents: int, settings: ProtocolSettings) -> None:
    """Reserve the reward of an assignment that is about to be leased.

    Raises BudgetSpentError if the project's total would exceed its cap; nothing is reserved then.
    """
    if cents and settings.spend_cap_cents and not commit(project_id, cents, settings.spend_cap_cents):
        raise BudgetSpentError


def release_reward(project_id: int, cents: int) -> None:
    """Release what was reserved for an assignment and is not earned. Free when the whole reward was earned.

    A negative amount adds to the total: it is for work that came after its reservation was released.
    """
    if cents:
        release(project_id, cents)


def commit(project_id: int, cents: int, cap_cents: int) -> bool:
    """Add an amount to the project's total, and return False if that would exceed the cap; nothing is added then.

    Projects without a cap (0) keep no total. Call it in the transaction that promises the money: the total's row
    stays locked until that ends, so the promise and the total are stored together or not at all.
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
    """Take an amount that will not be paid off the total. Does nothing if the project keeps no total."""
    Spending.objects.filter(project_id=project_id).update(committed_cents=F("committed_cents") - cents)


def charge(project_id: int, cents: int) -> None:
    """Add an amount that is owed whatever the cap says, such as pay that was restored."""
    release(project_id, -cents)


def recount(project_id: int) -> int | None:
    """Set the total to what assignments and ledger add up to, and return it. Drops it if the project has no cap."""
    _, settings = current_settings(project_id)
    if settings.spend_cap_cents:
        return _count(project_id)
    if Spending.objects.filter(project_id=project_id).exists():
        Spending.objects.filter(project_id=project_id).delete()
    return None


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


def _add(project_id: int, cents: int, cap_cents: int) -> bool:
    below = Spending.objects.filter(project_id=project_id, committed_cents__lte=cap_cents - cents)
    return below.update(committed_cents=F("committed_cents") + cents) == 1


def _begin(project_id: int) -> None:
    """Create the total if there is none. Waits for a concurrent transaction that creates the same row."""
    if Spending.objects.filter(project_id=project_id).exists():
        return
    try:
        with transaction.atomic():
            Spending(project_id=project_id).save(force_insert=True)
            _count(project_id)
    except IntegrityError:
        pass  # a concurrent transaction has created it


@transaction.atomic
def _count(project_id: int) -> int:
    """Lock the row, then count: a transaction that still holds the row has not yet written what it committed."""
    Spending.objects.bulk_create([Spending(project_id=project_id)], ignore_conflicts=True)
    list(Spending.objects.select_for_update().filter(project_id=project_id))
    cents = committed(project_id)
    Spending.objects.filter(project_id=project_id).update(committed_cents=cents)
    return cents
