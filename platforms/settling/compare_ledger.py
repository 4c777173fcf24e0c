"""Compare what the ledger and a platform say was paid, worker by worker, to the cent."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from django.db.models import QuerySet, Sum

from pipeline.models import LedgerEntry
from platforms.contract import OfferCharge, Platform
from platforms.models import Identity, Offer, Payment, Session
from platforms.sessions import forgotten_id


@dataclass(frozen=True, slots=True)
class WorkerPayments:
    """One worker's payments through a platform."""

    worker: str
    platform_cents: int
    """Paid according to the platform."""
    ledger_cents: int
    """Paid according to our ledger."""

    @property
    def agrees(self) -> bool:
        return self.platform_cents == self.ledger_cents


def compare_ledger(platform: Platform, project_id: int) -> list[WorkerPayments]:
    """Read all payments that were ever made, and return a line for each worker; writes nothing.

    Raises PlatformError if the platform cannot be read.
    """
    names = _names(platform.name)
    on_platform: Counter[str] = Counter()
    for offer in offers_to_compare(platform.name, project_id):
        for external_worker, cents in _paid_on(platform, offer):
            known_as = {external_worker, forgotten_id(platform.name, external_worker)} & names.keys()
            name = names[known_as.pop()] if known_as else f"{platform.name} {external_worker}"
            on_platform[name] += cents
    paid = LedgerEntry.objects.filter(
        project_id=project_id, kind=LedgerEntry.Kind.PAID, reference__startswith=f"{platform.name}/"
    )
    in_ledger = dict(paid.order_by().values_list("worker__name").annotate(Sum("cents")))
    workers = sorted(on_platform.keys() | in_ledger.keys())
    return [WorkerPayments(name, on_platform[name], in_ledger.get(name, 0)) for name in workers]


def project_cost(platform: Platform, project_id: int) -> OfferCharge | None:
    """Return what a platform has charged for all offers of a project; None: the platform does not list it.

    Raises PlatformError if the platform cannot be read.
    """
    costs = [cost for offer in offers_to_compare(platform.name, project_id) if (cost := platform.cost(offer))]
    return OfferCharge(sum(cost.paid for cost in costs), sum(cost.fees for cost in costs)) if costs else None


def offers_to_compare(platform: str, project_id: int) -> QuerySet[Offer]:
    """Return the offers that the platform knows and that cost money."""
    of_project = Offer.objects.filter(platform=platform, project_id=project_id)
    return of_project.exclude(external_id="").exclude(kind=Offer.Kind.TEST)


def _names(platform: str) -> dict[str, str]:
    identities = Identity.objects.filter(platform=platform)
    return dict(identities.values_list("external_id", "worker__name"))


def _paid_on(platform: Platform, offer: Offer) -> Iterator[tuple[str, int]]:
    """Yield the external worker and the cents of each payment."""
    sessions = platform.sessions(offer)
    # A list that grows while its pages are read may repeat a session.
    approved = {session[:2] for session in sessions if session.platform_state is Session.PlatformState.APPROVED}
    # A platform lists no amounts of partial approvals; what it charged for the offer is compared as a whole.
    parts = dict(
        Payment.objects.filter(session__offer=offer, kind=Payment.Kind.PART, state=Payment.State.DONE).values_list(
            "session__external_id", "cents"
        )
    )
    for session, external_worker in sorted(approved):
        yield external_worker, parts.get(session, offer.reward_cents)
    for bonus in platform.bonuses(offer):
        yield bonus.external_worker, bonus.cents
