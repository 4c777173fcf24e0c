"""Decisions of the requester by hand: on one session, on a payment without an answer, and on a refused payment."""

from datetime import datetime, timedelta

from django.db import IntegrityError, transaction
from django.db.models import QuerySet

from pipeline.models import Assignment
from pipeline.money.ledger import unpaid_of
from pipeline.money.refuse_pay import refuse_pay, restore_pay
from pipeline.money.write_entry import NothingRefusedError, NothingToRefuseError
from pipeline.trust.void_answers import soft_reject
from platforms.contract.errors import PlatformError
from platforms.models import Payment, Session
from platforms.sessions.session_facts import session_facts
from platforms.settling.plan_payments import why_invalid, why_paid_already
from platforms.settling.send_payments import lock_payment, mark_done
from platforms.settling.worker_money import amount
from runtime import clock
from workers.models import Worker

Kind, State = Payment.Kind, Payment.State
LISTED_WITHIN = timedelta(days=1)
"""A platform may take so long to list a payment."""


class CannotSettleError(PlatformError):
    """This cannot be decided by hand."""


@transaction.atomic
def settle_by_hand(*, session_id: int, kind: Payment.Kind, reason: str) -> Payment:
    """Plan an approval, which pays the whole reward, or a rejection; the next round sends it.

    Raises CannotSettleError if the session does not wait for a decision, was finished on our page, is being decided
    already, or if a session that is to be rejected has earned something.
    """
    now = clock.now()
    rows = Session.objects.select_for_update(no_key=True, of=("self",)).select_related("offer", "worker")
    session = rows.get(id=session_id)
    _check(session, kind, now)
    cents = session.offer.reward_cents if kind is Kind.APPROVE else 0
    return Payment.objects.create(session=session, kind=kind, cents=cents, reason=reason.strip()[:1000], created_at=now)


def _check(session: Session, kind: Payment.Kind, now: datetime) -> None:
    if kind not in (Kind.APPROVE, Kind.REJECT):
        raise CannotSettleError(f"A session is approved or rejected by hand; {kind.label} is neither.")
    if session.platform_state != Session.PlatformState.SUBMITTED:
        raise CannotSettleError("This session does not wait for a decision on the platform.")
    if session.state == Session.State.FINISHED:
        raise CannotSettleError("This session was handed in here: it is settled by what it earned.")
    pending = Payment.objects.filter(session=session, state__in=[State.PLANNED, State.SENT])
    if pending.filter(kind__in=[Kind.APPROVE, Kind.REJECT]).exists():
        raise CannotSettleError("A decision on this session is on its way already.")
    earned = session_facts([session], now)[session.id].net
    if kind is Kind.REJECT and earned > 0:  # the pay would be owed, and the next round would approve the session
        raise CannotSettleError(f"{earned} cents were earned in this session: refuse that pay, and it is rejected.")


@transaction.atomic
def decide_unknown(payment_id: int, *, done: bool) -> None:
    """Mark the payment as paid, or plan it again for the next round.

    Raises CannotSettleError if the payment is not waiting for an answer, or the platform may still list it.
    """
    now = clock.now()
    lock_payment(payment_id)
    payment = Payment.objects.select_for_update(of=("self",)).get(id=payment_id)
    if payment.state != State.SENT:
        raise CannotSettleError(f"This is {payment.state}: only a payment without an answer is decided by hand.")
    if payment.sent_at is not None and payment.sent_at + LISTED_WITHIN > now:
        until = f"{payment.sent_at + LISTED_WITHIN:%d %B, %H:%M} UTC"
        raise CannotSettleError(
            f"The platform may still tell: every round asks whether the payment was made. Decide after {until}."
        )
    if done:
        mark_done(payment.id, now=now)
        return
    Payment.objects.filter(id=payment.id).update(state=State.PLANNED, last_error="Not done, as decided by hand.")


@transaction.atomic
def retry_payment(payment_id: int) -> None:
    """Plan the payment again; the next round sends it. Raises CannotSettleError if the payment is no longer valid."""
    now = clock.now()
    # The lock keeps a concurrent run from planning a bonus that pays what the refused approval did not.
    Worker.objects.select_for_update(no_key=True).get(sessions__payments=payment_id)
    rows = Payment.objects.select_for_update(of=("self",)).select_related("session__offer")
    payment = rows.get(id=payment_id)
    if payment.state != State.REFUSED:
        raise CannotSettleError(f"Only a refused payment can be sent again: this is {payment.state}.")
    invalid = why_invalid(payment, now)
    if not invalid and payment.kind in (Kind.APPROVE, Kind.OVERRIDE):
        invalid = why_paid_already(payment, now)
    if invalid:
        raise CannotSettleError(invalid)
    try:
        with transaction.atomic():
            Payment.objects.filter(id=payment.id).update(state=State.PLANNED, last_error="")
    except IntegrityError as error:
        raise CannotSettleError("The same payment is on its way already.") from error


def pay_without_use(session: Session, *, reason: str, actor: str) -> str:
    """Leave the answers of the session out, and pay for them."""
    work = _submitted(session).exclude(kind=Assignment.Kind.TEST)
    done = [soft_reject(assignment_id=assignment.pk, reason=reason, actor=actor) for assignment in work]
    in_effect = sum(len(rejection.resolved) for rejection in done)
    return f"assignments not used: {len(done)}; {in_effect} of their judgments had taken effect already."


def refuse_session(session: Session, *, reason: str, actor: str) -> str:
    """Refuse all that the session earned and that is not paid yet. Raises NothingToRefuseError."""
    refused = 0
    for assignment in _submitted(session):
        if cents := unpaid_of(assignment):
            refused += refuse_pay(assignment_id=assignment.pk, cents=cents, reason=reason, actor=actor).cents
    if not refused:
        raise NothingToRefuseError("Nothing that it earned is unpaid.")
    return f"{amount(refused)} refused."


def restore_session(session: Session, *, reason: str, actor: str) -> str:
    """Take back every refusal of the session's pay. Raises NothingRefusedError."""
    cents = 0
    for assignment in _submitted(session):
        try:
            cents += restore_pay(assignment_id=assignment.pk, reason=reason, actor=actor).cents
        except NothingRefusedError:
            continue
    if not cents:
        raise NothingRefusedError("No pay of it is refused.")
    return f"{amount(cents)} are owed again."


def approve_unfinished(session: Session, *, reason: str) -> str:
    """Approve a session that was handed in on the platform alone. Raises CannotSettleError."""
    settle_by_hand(session_id=session.pk, kind=Payment.Kind.APPROVE, reason=reason)
    return "the next round approves it."


def reject_unfinished(session: Session, *, reason: str) -> str:
    """Reject a session that was handed in on the platform alone. Raises CannotSettleError."""
    settle_by_hand(session_id=session.pk, kind=Payment.Kind.REJECT, reason=reason)
    return "the next round rejects it."


def open_elsewhere(session: Session) -> str:
    """Let the next browser that opens the session hold it."""
    Session.objects.filter(pk=session.pk).update(visitor="")
    return "the next browser that opens it holds it."


def _submitted(session: Session) -> QuerySet[Assignment]:
    return Assignment.objects.filter(session=session, state=Assignment.State.SUBMITTED).order_by("id")
