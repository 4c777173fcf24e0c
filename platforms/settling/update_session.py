"""Update our row of a session to what the platform lists: submitted, returned, approved or rejected there."""

from datetime import datetime

from django.db import transaction

from pipeline.models import Assignment
from pipeline.money.ledger import unpaid_of
from pipeline.money.refuse_pay import refuse_pay
from platforms.contract.platform import ListedSession
from platforms.models import Offer, Payment, Session
from platforms.sessions.hold_session import session_quota
from platforms.sessions.open_session import identity_of
from platforms.settling.plan_payments import APPROVALS
from platforms.settling.send_payments import mark_done
from runtime import clock
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
        if listed.platform_state is PlatformState.RETURNED and session.state == State.OPEN:
            session.state = State.LEFT
        if listed.platform_state is PlatformState.SUBMITTED and session.state != State.FINISHED and _is_whole(session):
            # All work arrived; only the request that hands the session in was lost.
            session.state, session.finished_at = State.FINISHED, now
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
