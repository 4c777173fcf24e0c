"""Send offers to a platform: make the planned ones and withdraw those that are to end, each once, whatever fails."""

from django.db.models import F, Q

from annotation.rules.states import ProjectState
from platforms.contract import Platform
from platforms.errors import Patience, PlatformError, RefusedError
from platforms.models import Offer
from platforms.offers.read_offers import Failure
from platforms.settling.send_payments import CLAIM_LASTS
from runtime import clock

State = Offer.State


def send_offers(platform: Platform, project_id: int, patience: Patience | None = None) -> list[Failure]:
    """Return the failures; an offer that failed is sent again by the next round."""
    failures, patience = [], patience or Patience()
    rows = Offer.objects.filter(platform=platform.name, project_id=project_id)
    # Planned before the project was paused: `adjust_offers` ends them, and must not have failed before.
    stopped = Q(state=State.PLANNED) & ~Q(project__state=ProjectState.RUNNING.value)
    for offer in rows.filter(state__in=[State.PLANNED, State.ENDING]).exclude(stopped).order_by("id"):
        if patience.is_exhausted:
            break
        try:
            if offer.state == State.PLANNED:
                _publish(platform, offer)
            else:
                _withdraw(platform, offer)
            patience.note_call()
        except PlatformError as error:
            patience.note_call(error)
            _note_failure(offer, error)
            failures.append(Failure(str(offer), error))
    return failures


def _publish(platform: Platform, offer: Offer) -> None:
    if not _claim(offer):
        return
    made = platform.publish(offer)
    expires = made.expires_at or offer.expires_at
    named = {
        "external_id": made.external_id,
        "expires_at": expires,
        "recruited_in": made.recruited_in,
        "last_error": "",
    }
    if not Offer.objects.filter(id=offer.id, state=State.PLANNED).update(state=State.OPEN, **named):
        Offer.objects.filter(id=offer.id).update(**named)  # it was ended meanwhile; now it can be withdrawn


def _withdraw(platform: Platform, offer: Offer) -> None:
    """Withdraw an offer. If it may exist without our knowing its id, publish it once more to learn the id."""
    if not offer.external_id:
        if not _claim(offer):
            return
        offer.external_id = platform.publish(offer).external_id
        Offer.objects.filter(id=offer.id).update(external_id=offer.external_id)
    platform.withdraw(offer)
    Offer.objects.filter(id=offer.id).update(state=State.ENDED, last_error="")


def _claim(offer: Offer) -> bool:
    """Claim the offer by raising its count of tries, which only one run can do; not while another may be sending it."""
    now = clock.now()
    free = Q(sent_at=None) | Q(sent_at__lte=now - CLAIM_LASTS)
    if not Offer.objects.filter(free, id=offer.id, tries=offer.tries).update(tries=F("tries") + 1, sent_at=now):
        return False
    offer.tries += 1
    return True


def _note_failure(offer: Offer, error: PlatformError) -> None:
    Offer.objects.filter(id=offer.id).update(last_error=str(error)[:500])
    if isinstance(error, RefusedError) and not offer.external_id:
        # An adapter looks for the offer before it makes it, so a refused offer does not exist.
        unmade = Offer.objects.filter(id=offer.id, external_id="")
        unmade.filter(state__in=[State.PLANNED, State.ENDING]).update(state=State.ENDED)
