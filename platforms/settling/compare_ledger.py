"""Whether the ledger and a platform say the same about the money that was paid, worker by worker, to the cent."""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from django.db.models import Sum

from pipeline.models import LedgerEntry
from platforms.contract.platform import Platform
from platforms.models import Identity, Offer, Session


@dataclass(frozen=True, slots=True)
class Line:
    """One worker's payments, in cents."""

    worker: str
    there: int
    """By the platform."""
    here: int
    """By our ledger, of payments through this platform."""

    @property
    def agrees(self) -> bool:
        return self.there == self.here


def compare_ledger(
    platform: Platform, project_id: int, done: Callable[[int, int], None] = lambda number, of: None
) -> list[Line]:
    """Everything that was ever paid, read to the end; writes nothing. PlatformError: it could not be read."""
    names = _names(platform.name)
    there: Counter[str] = Counter()
    offers = list(Offer.objects.filter(platform=platform.name, project_id=project_id).exclude(external_id=""))
    for number, offer in enumerate(offers):
        for external_worker, cents in _paid_there(platform, offer):
            there[names.get(external_worker, f"{platform.name} {external_worker}")] += cents
        done(number + 1, len(offers))
    paid = LedgerEntry.objects.filter(
        project_id=project_id, kind=LedgerEntry.Kind.PAID, reference__startswith=f"{platform.name}/"
    )
    here = dict(paid.order_by().values_list("worker__name").annotate(Sum("cents")))
    return [Line(name, there[name], here.get(name, 0)) for name in sorted(there.keys() | here.keys())]


def _names(platform: str) -> dict[str, str]:
    identities = Identity.objects.filter(platform=platform)
    return dict(identities.values_list("external_id", "worker__name"))


def _paid_there(platform: Platform, offer: Offer) -> Iterator[tuple[str, int]]:
    # A list that grows while its pages are read may name a session twice.
    approved = {seen[:2] for seen in platform.sessions(offer) if seen.platform_state is Session.PlatformState.APPROVED}
    for _, external_worker in sorted(approved):
        yield external_worker, offer.reward_cents
    for bonus in platform.bonuses(offer):
        yield bonus.external_worker, bonus.cents
