"""Have planned offers made on the platform, and those that are to end withdrawn: each once, whatever fails."""

from django.db.models import F, Q
from django.utils import timezone

from platforms.contract.errors import PlatformError, RefusedError
from platforms.contract.patience import Patience
from platforms.contract.platform import Platform
from platforms.models import Offer
from platforms.offers.look_at_offers import Failure
from platforms.settling.carry_out import CLAIM

State = Offer.State


def send_offers(platform: Platform, project_id: int, patience: Patience | None = None) -> list[Failure]:
    """What fails stays planned, and is tried again next time; returned as last_error."""
    failures, patience = [], patience or Patience()
    rows = Offer.objects.filter(platform=platform.name, project_id=project_id)
    for offer in rows.filter(state__in=[State.PLANNED, State.ENDING]).order_by("id"):
        if patience.gone:
            break
        try:
            if offer.state == State.PLANNED:
                _publish(platform, offer)
            else:
                _withdraw(platform, offer)
            patience.note()
        except PlatformError as error:
            patience.note(error)
            Offer.objects.filter(id=offer.id).update(last_error=str(error)[:500])
            if isinstance(error, RefusedError) and not offer.external_id:
                # It is looked for before it is asked for, so it is not there.
                unmade = Offer.objects.filter(id=offer.id, external_id="")
                unmade.filter(state__in=[State.PLANNED, State.ENDING]).update(state=State.ENDED)
            failures.append(Failure(str(offer), error))
    return failures


def _publish(platform: Platform, offer: Offer) -> None:
    if not _claim(offer):
        return
    made = platform.publish(offer)
    expires = made.expires_at or offer.expires_at
    named = {"external_id": made.external_id, "expires_at": expires, "last_error": ""}
    if not Offer.objects.filter(id=offer.id, state=State.PLANNED).update(state=State.OPEN, **named):
        Offer.objects.filter(id=offer.id).update(**named)  # it was ended meanwhile: now it can be withdrawn


def _withdraw(platform: Platform, offer: Offer) -> None:
    """One that may be there without our knowing its name is asked for once more, to be withdrawn by its name."""
    if not offer.external_id:
        if not _claim(offer):
            return
        offer.external_id = platform.publish(offer).external_id
        Offer.objects.filter(id=offer.id).update(external_id=offer.external_id)
    platform.withdraw(offer)
    Offer.objects.filter(id=offer.id).update(state=State.ENDED, last_error="")


def _claim(offer: Offer) -> bool:
    """Only one run asks for it: whoever raises the count of tries; and not while another may be asking still."""
    now = timezone.now()
    free = Q(sent_at=None) | Q(sent_at__lte=now - CLAIM)
    if not Offer.objects.filter(free, id=offer.id, tries=offer.tries).update(tries=F("tries") + 1, sent_at=now):
        return False
    offer.tries += 1
    return True
