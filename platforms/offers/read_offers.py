"""Read from a platform which offers are open, and what became of their sessions."""

from datetime import datetime, timedelta
from typing import NamedTuple

from django.db import transaction
from django.db.models import Exists, F, OuterRef, Q, QuerySet

from pipeline.models import Assignment
from pipeline.money.ledger import unpaid_of
from pipeline.money.refuse_pay import refuse_pay
from platforms.contract import ListedSession, Platform
from platforms.errors import Patience, PlatformError
from platforms.models import Offer, Payment, Session
from platforms.sessions import identity_of, session_quota
from platforms.settling.plan_payments import APPROVALS
from platforms.settling.send_payments import mark_done
from runtime import clock
from workers.models import Worker

PlatformState = Session.PlatformState
FOLLOWS = {
    PlatformState.UNKNOWN: (
        PlatformState.SUBMITTED,
        PlatformState.APPROVED,
        PlatformState.REJECTED,
        PlatformState.RETURNED,
    ),
    PlatformState.RETURNED: (PlatformState.SUBMITTED, PlatformState.APPROVED, PlatformState.REJECTED),
    PlatformState.SUBMITTED: (PlatformState.APPROVED, PlatformState.REJECTED, PlatformState.RETURNED),
    PlatformState.REJECTED: (PlatformState.APPROVED, PlatformState.SUBMITTED),
    PlatformState.APPROVED: (),
}
"""States that may follow each state."""
OUTSIDE = "Approved on the platform's own pages, or by itself."
REFUSED_OUTSIDE = "Rejected on the platform's own pages."


def update_session(offer: Offer, listed: ListedSession, *, now: datetime | None = None) -> Session | None:
    """Return the session if its state changed.

    A session that is listed again, late or in another order ends in the same state.
    """
    now = now or clock.now()
    session = _find_or_make(offer, listed, now)
    if listed.platform_state not in FOLLOWS[PlatformState(session.platform_state)]:
        return None
    with transaction.atomic():
        Worker.objects.select_for_update(no_key=True).get(id=session.worker_id)
        session = Session.objects.select_for_update(no_key=True).select_related("offer").get(id=session.id)
        if listed.platform_state not in FOLLOWS[PlatformState(session.platform_state)]:
            return None
        is_paid = offer.kind != Offer.Kind.TEST
        if is_paid and listed.platform_state is PlatformState.APPROVED:
            _take_over_approval(session, now)
        elif is_paid and listed.platform_state is PlatformState.REJECTED:
            _take_over_rejection(session, now)
        session.platform_state = listed.platform_state
        if listed.platform_state is PlatformState.RETURNED and session.state == Session.State.OPEN:
            session.state = Session.State.LEFT
        if (
            listed.platform_state is PlatformState.SUBMITTED
            and session.state != Session.State.FINISHED
            and _is_whole(session)
        ):
            # All work arrived; only the request that hands the session in was lost.
            session.state, session.finished_at = Session.State.FINISHED, now
        session.save(update_fields=["platform_state", "state", "finished_at"])
    return session


def _find_or_make(offer: Offer, listed: ListedSession, now: datetime) -> Session:
    """Return the session, new if its worker never opened our page: its pay must be in the ledger, too."""
    worker = identity_of(offer.platform, listed.external_worker).worker
    session, _ = Session.objects.get_or_create(
        offer=offer,
        worker=worker,
        external_id=listed.external_id,
        defaults={"opened_at": now, "ends_at": now},
    )
    return session


def _is_whole(session: Session) -> bool:
    quota = session_quota(session.id)
    return quota.done >= quota.least


def _take_over_approval(session: Session, now: datetime) -> None:
    """Mark our own approval as done, if one was planned or sent; otherwise record one made on the platform's pages."""
    approvals = Payment.objects.filter(session=session, kind__in=APPROVALS)
    if approvals.filter(state=Payment.State.DONE).exists():
        return
    payment = approvals.exclude(state=Payment.State.DONE).first() or Payment.objects.create(
        session=session,
        kind=Payment.Kind.APPROVE,
        cents=session.offer.reward_cents,
        reason=OUTSIDE,
        created_at=now,
    )
    mark_done(payment.id, now=now)


def _take_over_rejection(session: Session, now: datetime) -> None:
    """Mark our own rejection as done; otherwise refuse the pay in the ledger, so that it is not approved again."""
    rejection = Payment.objects.filter(session=session, kind=Payment.Kind.REJECT).first()
    if rejection:
        mark_done(rejection.id, now=now)
        return
    actor = session.offer.platform
    for assignment in Assignment.objects.filter(session=session, state=Assignment.State.SUBMITTED).order_by("id"):
        # What a bonus has paid of the assignment stays paid.
        if cents := unpaid_of(assignment):
            refuse_pay(assignment_id=assignment.id, reason=REFUSED_OUTSIDE, actor=actor, cents=cents, now=now)


State = Offer.State
LIVE = (State.OPEN, State.ENDING)
GRACE = timedelta(minutes=5)
"""A session may be handed in so long after its deadline, because clocks differ."""
LISTED_WITHIN = timedelta(days=1)
"""A platform may list a session so long after its deadline, because it is slow or accepts late workers."""


class Failure(NamedTuple):
    """Something that a platform did not do; the next round tries it again."""

    what: str
    error: PlatformError

    def __str__(self) -> str:
        return f"{self.what}: {self.error}"


def read_offers(
    platform: Platform,
    project_id: int,
    *,
    everything: bool = False,
    now: datetime | None = None,
    patience: Patience | None = None,
) -> list[Failure]:
    """Read the offers that are open or have sessions that may change; `everything`: all that were ever made.

    A failure with one offer leaves its sessions as they are, and does not stop the others. Returns the failures.
    """
    now, patience = now or clock.now(), patience or Patience()
    offers = list(_to_read(platform.name, project_id, everything=everything).order_by("id"))
    failures = []
    for offer in offers:
        if patience.is_exhausted:
            break
        try:
            _read(platform, offer, now)
        except PlatformError as error:
            patience.note_call(error)
            failures.append(Failure(str(offer), error))
        else:
            patience.note_call()
            Offer.objects.filter(id=offer.id).update(looked_at=now)
            leave_overdue(offer, now)
    return failures


def leave_overdue(offer: Offer, now: datetime) -> int:
    """Mark open sessions as left whose time ran out. Returns how many."""
    overdue = Session.objects.filter(offer=offer, state=Session.State.OPEN, ends_at__lte=now - GRACE)
    return overdue.update(state=Session.State.LEFT)


def _to_read(platform: str, project_id: int, *, everything: bool) -> QuerySet[Offer]:
    offers = Offer.objects.filter(platform=platform, project_id=project_id).exclude(external_id="")
    if everything:
        return offers
    waits = Q(platform_state=Session.PlatformState.SUBMITTED) | Q(platform_state="", state=Session.State.OPEN)
    # Each session is looked for once more after it could last have been listed, however long we were away.
    unread = Q(offer__looked_at=None) | Q(ends_at__gt=F("offer__looked_at") - LISTED_WITHIN)
    may_be_listed = Q(platform_state__in=["", Session.PlatformState.RETURNED]) & unread
    sessions = Session.objects.filter(waits | may_be_listed, offer=OuterRef("pk"))
    return offers.filter(Q(state__in=LIVE) | Exists(sessions))


def _read(platform: Platform, offer: Offer, now: datetime) -> None:
    status = platform.offer_status(offer)
    offer.taken = min(status.taken, offer.places)
    if offer.state == State.OPEN and not status.open:
        offer.state = State.ENDED
    Offer.objects.filter(id=offer.id, state__in=[*LIVE, State.ENDED]).update(taken=offer.taken)
    if offer.state == State.ENDED:
        Offer.objects.filter(id=offer.id, state=State.OPEN).update(state=State.ENDED)
    known = _known_states(offer)
    for listed in platform.sessions(offer):
        if known.get((listed.external_id, listed.external_worker)) != listed.platform_state:
            update_session(offer, listed, now=now)


def _known_states(offer: Offer) -> dict[tuple[str, str], str]:
    """Return the platform states that we know, by the platform's ids of session and worker."""
    sessions = Session.objects.filter(offer=offer, worker__identities__platform=offer.platform)
    rows = sessions.values_list("external_id", "worker__identities__external_id", "platform_state")
    return {(session, worker): state for session, worker, state in rows}
