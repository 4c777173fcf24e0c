"""Decisions of the requester by hand: on one session, on a payment without an answer, and on a refused payment."""

from datetime import datetime, timedelta

from django.db import IntegrityError, transaction
from django.db.models import QuerySet

from pipeline.models import Assignment
from pipeline.money.ledger import unpaid_of
from pipeline.money.refuse_pay import refuse_pay, restore_pay
from pipeline.money.write_entry import NothingRefusedError, NothingToRefuseError
from pipeline.trust.void_answers import soft_reject
from platforms.contract import Platform
from platforms.errors import PlatformError
from platforms.models import Offer, Payment, Session
from platforms.rules.settling import part_cents
from platforms.sessions import session_facts
from platforms.settling.plan_payments import APPROVALS, why_invalid, why_paid_already
from platforms.settling.send_payments import lock_payment, mark_done
from platforms.settling.worker_money import amount
from runtime import clock
from workers.models import Worker

Kind, State = Payment.Kind, Payment.State
DECISIONS = (Kind.APPROVE, Kind.PART, Kind.REJECT)
LISTED_WITHIN = timedelta(days=1)
"""A platform may take so long to list a payment."""


class CannotSettleError(PlatformError):
    """This cannot be decided by hand."""


@transaction.atomic
def settle_by_hand(*, session_id: int, kind: Payment.Kind, reason: str) -> Payment:
    """Plan an approval, which pays the whole reward or the part that was earned, or a rejection; a round sends it.

    Raises CannotSettleError if the session does not wait for a decision, was finished on our page, is being decided
    already, if a session that is to be rejected has earned something, or if no part of the reward was earned.
    """
    now = clock.now()
    rows = Session.objects.select_for_update(no_key=True, of=("self",)).select_related("offer", "worker")
    session = rows.get(id=session_id)
    earned = _check(session, kind, now)
    reward = session.offer.reward_cents
    cents = {Kind.APPROVE: reward, Kind.PART: part_cents(earned, reward), Kind.REJECT: 0}[kind]
    if kind is Kind.PART and not cents:
        raise CannotSettleError(f"{earned} cents were earned: no part of the reward of {reward} cents can be paid.")
    return Payment.objects.create(session=session, kind=kind, cents=cents, reason=reason.strip()[:1000], created_at=now)


def _check(session: Session, kind: Payment.Kind, now: datetime) -> int:
    """Return the cents that the session earned, without those refused."""
    if kind not in DECISIONS:
        raise CannotSettleError(f"A session is approved or rejected by hand; {kind.label} is neither.")
    if session.platform_state != Session.PlatformState.SUBMITTED:
        raise CannotSettleError("This session does not wait for a decision on the platform.")
    if session.offer.kind == Offer.Kind.TEST:
        raise CannotSettleError("This is a trial: nobody is paid.")
    if session.state == Session.State.FINISHED:
        raise CannotSettleError("This session was handed in here: it is settled by what it earned.")
    pending = Payment.objects.filter(session=session, state__in=[State.PLANNED, State.SENT])
    if pending.filter(kind__in=DECISIONS).exists():
        raise CannotSettleError("A decision on this session is on its way already.")
    earned = session_facts([session], now)[session.id].net
    if kind is Kind.REJECT and earned > 0:  # the pay would be owed, and the next round would approve the session
        raise CannotSettleError(f"{earned} cents were earned in this session: refuse that pay, and it is rejected.")
    return earned


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
    if not invalid and payment.kind in APPROVALS:
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


def approve_part(platform: Platform, session: Session, *, reason: str) -> str:
    """Approve a session that was handed in on the platform alone for what it earned. Raises CannotSettleError."""
    if not platform.pays_parts:
        raise CannotSettleError("This platform pays whole rewards only.")
    payment = settle_by_hand(session_id=session.pk, kind=Kind.PART, reason=reason)
    return f"the next round approves it, and pays {amount(payment.cents)}."


def ask_to_return(platform: Platform, session: Session, *, reason: str) -> str:
    """Ask the worker to give the session back, which counts neither for nor against them: a rejection waits for that.

    Raises CannotSettleError if the session does not wait for a decision, or has earned something.
    """
    now = clock.now()
    if session.platform_state != Session.PlatformState.SUBMITTED:
        raise CannotSettleError("This session does not wait for a decision on the platform.")
    if session.return_asked_at:
        raise CannotSettleError(f"The worker was asked on {session.return_asked_at:%d %B, %H:%M} UTC.")
    if (earned := session_facts([session], now)[session.pk].net) > 0:
        raise CannotSettleError(f"{earned} cents were earned in this session: refuse that pay first, or approve it.")
    platform.request_return(session, reason)
    Session.objects.filter(pk=session.pk).update(return_asked_at=now)
    return "the worker is asked to give it back."


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
