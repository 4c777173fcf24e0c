"""Take over what a platform lists of an offer: sittings that were handed in, given back, approved or rejected there."""

from datetime import datetime

from django.db import transaction
from django.utils import timezone

from pipeline.hold_session import sitting_of
from pipeline.ledger import unpaid_of
from pipeline.models import Assignment
from pipeline.refuse_pay import refuse_pay
from platforms.note_done import note_done
from platforms.open_session import identity_of
from platforms.platform import Seen
from workers.models import Movement, Offer, Session, Worker

State, There = Session.State, Session.There
FOLLOWS = {
    There.UNKNOWN: (There.SUBMITTED, There.APPROVED, There.REJECTED, There.RETURNED),
    There.RETURNED: (There.SUBMITTED, There.APPROVED, There.REJECTED),
    There.SUBMITTED: (There.APPROVED, There.REJECTED, There.RETURNED),
    There.REJECTED: (There.APPROVED, There.SUBMITTED),
    There.APPROVED: (),
}
OUTSIDE = "Approved on the platform's own pages, or by itself."
REFUSED_OUTSIDE = "Rejected on the platform's own pages."


def note_seen(offer: Offer, seen: Seen, *, now: datetime | None = None) -> Session | None:
    """The session, if something about it is new. Told again, late or in another order it comes to the same end."""
    now = now or timezone.now()
    session = _session(offer, seen, now)
    if seen.there not in FOLLOWS[There(session.there)]:
        return None
    with transaction.atomic():
        Worker.objects.select_for_update(no_key=True).get(id=session.worker_id)
        session = Session.objects.select_for_update(no_key=True).select_related("offer").get(id=session.id)
        if seen.there not in FOLLOWS[There(session.there)]:
            return None
        if seen.there is There.APPROVED:
            _paid_there(session, now)
        elif seen.there is There.REJECTED:
            _rejected_there(session, now)
        session.there = seen.there
        if seen.there is There.RETURNED and session.state == State.OPEN:
            session.state = State.LEFT
        if seen.there is There.SUBMITTED and session.state != State.FINISHED and _is_whole(session):
            # All the work is here, and only the last word to us was lost.
            session.state, session.finished_at = State.FINISHED, now
        session.save(update_fields=["there", "state", "finished_at"])
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
    sitting = sitting_of(session.id)
    return sitting.done >= sitting.least


def _paid_there(session: Session, now: datetime) -> None:
    """What we said without hearing an answer was heard; or somebody else approved it."""
    verdicts = Movement.objects.filter(session=session, kind__in=[Movement.Kind.APPROVE, Movement.Kind.OVERRIDE])
    if verdicts.filter(state=Movement.State.DONE).exists():
        return
    movement = verdicts.exclude(state=Movement.State.DONE).first() or Movement.objects.create(
        session=session,
        kind=Movement.Kind.APPROVE,
        cents=session.offer.reward_cents,
        reason=OUTSIDE,
        created_at=now,
    )
    note_done(movement.id, now=now)


def _rejected_there(session: Session, now: datetime) -> None:
    """The requester rejected it elsewhere: the ledger refuses the pay, or we would approve it again."""
    rejected = Movement.objects.filter(session=session, kind=Movement.Kind.REJECT).first()
    if rejected:
        note_done(rejected.id, now=now)
        return
    who = session.offer.platform
    for assignment in Assignment.objects.filter(session=session, state=Assignment.State.SUBMITTED).order_by("id"):
        # What a bonus has paid of it stays paid.
        if cents := unpaid_of(assignment):
            refuse_pay(assignment_id=assignment.id, reason=REFUSED_OUTSIDE, actor=who, cents=cents, now=now)
