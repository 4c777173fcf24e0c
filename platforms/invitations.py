"""Our own invitation links as a platform, named "links" in rows and commands.

Anyone who has a link can join, and is paid by hand. May import the contract, models and rules of platforms, and what
lies below platforms.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from django.conf import settings
from django.urls import reverse

from platforms.contract import Bonus, ListedSession, Marketplace, OfferStatus, Platform, Published
from platforms.errors import RefusedError
from platforms.models import Offer, Payment, Session
from runtime import clock
from runtime.installed import COMMAND
from workers.models import Invitation

NAME = "links"
MOST_PLACES = 10_000
BY_HAND = f"Workers who joined by a link are paid by hand: see `{COMMAND} ledger`."


@dataclass(frozen=True, slots=True)
class InvitationPlatform(Platform):
    """An offer is an invitation to one task. Its workers have an account here, and no sessions."""

    name: str = NAME

    def marketplace(self) -> Marketplace:
        """Any currency, no fee. Work is offered to newcomers alone: everyone who joined sees it on their own page."""
        return Marketplace(
            "", 0.0, live=False, most_places={Offer.Kind.ENTRY.value: MOST_PLACES, Offer.Kind.WORK.value: 0}
        )

    def balance_cents(self) -> int | None:
        return None

    def publish(self, offer: Offer) -> Published:
        terms = {"most": offer.places, "expires_at": offer.expires_at, "note": offer.terms.get("title", "")[:200]}
        work = {"project_id": offer.project_id, "tasks": [offer.task]}
        made, _ = Invitation.objects.get_or_create(code=offer.key, defaults=terms | work)
        return Published(f"{settings.ADDRESS}{reverse('join', args=[made.code])}")

    def withdraw(self, offer: Offer) -> None:
        Invitation.objects.filter(code=offer.key).update(expires_at=clock.now())

    def offer_status(self, offer: Offer) -> OfferStatus:
        invitation = Invitation.objects.filter(code=offer.key).first()
        if invitation is None:
            return OfferStatus(open=False, taken=offer.taken)
        ended = invitation.expires_at is not None and invitation.expires_at <= clock.now()
        return OfferStatus(open=not ended, taken=invitation.joined)

    def sessions(self, offer: Offer) -> Iterator[ListedSession]:
        return iter(())

    def bonuses(self, offer: Offer) -> Iterator[Bonus]:
        return iter(())

    def send_payment(self, payment: Payment) -> str:
        raise RefusedError(BY_HAND)

    def was_done(self, payment: Payment) -> bool | None:
        return None

    def request_return(self, session: Session, reason: str) -> None:
        raise RefusedError(BY_HAND)

    def screen(self, *, project_id: int, task: str, passed: dict[str, bool | None]) -> None:
        """Does nothing: what these workers may do is decided when they ask for work."""
