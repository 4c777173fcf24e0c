"""Take over what a platform lists of an offer: sessions that were handed in, given back, approved or rejected there."""

from datetime import datetime

from django.db import transaction
from django.utils import timezone

from pipeline.models import Assignment
from pipeline.money.ledger import unpaid_of
from pipeline.money.refuse_pay import refuse_pay
from platforms.contract.platform import Seen
from platforms.models import Offer, Payment, Session
from platforms.sessions.hold_session import session_quota
from platforms.sessions.open_session import identity_of
from platforms.settling.note_done import note_done
from workers.models import Worker

State, PlatformState = Session.State, Session.PlatformState
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
OUTSIDE = "Approved on the platform's own pages, or by itself."
REFUSED_OUTSIDE = "Rejected on the platform's own pages."


def note_seen(offer: Offer, seen: Seen, *, now: datetime | None = None) -> Session | None:
    """The session, if something about it is new. Told again, late or in another order it comes to the same end."""
    now = now or timezone.now()
    session = _session(offer, seen, now)
    if seen.platform_state not in FOLLOWS[PlatformState(session.platform_state)]:
        return None
    with transaction.atomic():
        Worker.objects.select_for_update(no_key=True).get(id=session.worker_id)
        session = Session.objects.select_for_update(no_key=True).select_related("offer").get(id=session.id)
        if seen.platform_state not in FOLLOWS[PlatformState(session.platform_state)]:
            return None
        if seen.platform_state is PlatformState.APPROVED:
            _paid_there(session, now)
        elif seen.platform_state is PlatformState.REJECTED:
            _rejected_there(session, now)
        session.platform_state = seen.platform_state
        if seen.platform_state is PlatformState.RETURNED and session.state == State.OPEN:
            session.state = State.LEFT
        if seen.platform_state is PlatformState.SUBMITTED and session.state != State.FINISHED and _is_whole(session):
            # All the work is here, and only the last word to us was lost.
            session.state, session.finished_at = State.FINISHED, now
        session.save(update_fields=["platform_state", "state", "finished_at"])
    return session


def _session(offer: Offer, seen: Seen, now: datetime) -> Session:
    """One that never opened our page is written down too: what is paid for it must be in the ledger."""
    worker = identity_of(offer.platform, seen.external_worker).worker
    session, _ = Session.objects.get_or_create(
        offer=offer,
        worker=worker,
        external_id=seen.external_id,
        defaults={"opened_at": now, "ends_at": now},
    )
    return session


def _is_whole(session: Session) -> bool:
    facts = session_quota(session.id)
    return facts.done >= facts.least


def _paid_there(session: Session, now: datetime) -> None:
    """What we said without hearing an answer was heard; or somebody else approved it."""
    verdicts = Payment.objects.filter(session=session, kind__in=[Payment.Kind.APPROVE, Payment.Kind.OVERRIDE])
    if verdicts.filter(state=Payment.State.DONE).exists():
        return
    payment = verdicts.exclude(state=Payment.State.DONE).first() or Payment.objects.create(
        session=session,
        kind=Payment.Kind.APPROVE,
        cents=session.offer.reward_cents,
        reason=OUTSIDE,
        created_at=now,
    )
    note_done(payment.id, now=now)


def _rejected_there(session: Session, now: datetime) -> None:
    """The requester rejected it elsewhere: the ledger refuses the pay, or we would approve it again."""
    rejected = Payment.objects.filter(session=session, kind=Payment.Kind.REJECT).first()
    if rejected:
        note_done(rejected.id, now=now)
        return
    who = session.offer.platform
    for assignment in Assignment.objects.filter(session=session, state=Assignment.State.SUBMITTED).order_by("id"):
        # What a bonus has paid of it stays paid.
        if cents := unpaid_of(assignment):
            refuse_pay(assignment_id=assignment.id, reason=REFUSED_OUTSIDE, actor=who, cents=cents, now=now)
