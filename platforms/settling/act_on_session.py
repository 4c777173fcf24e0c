"""Acts of a requester on one session. Each returns what was done, in words."""

from django.db.models import QuerySet

from pipeline.models import Assignment
from pipeline.money.errors import NothingRefusedError, NothingToRefuseError
from pipeline.money.ledger import unpaid_of
from pipeline.money.refuse_pay import refuse_pay
from pipeline.money.restore_pay import restore_pay
from pipeline.trust.soft_reject import soft_reject
from platforms.models import Payment, Session
from platforms.settling.settle_by_hand import settle_by_hand
from reports.worker_money import amount


def pay_without_use(session: Session, *, reason: str, actor: str) -> str:
    """Leave the answers of the session out, and pay for them."""
    work = _submitted(session).exclude(kind=Assignment.Kind.TEST)
    done = [soft_reject(assignment_id=one.pk, reason=reason, actor=actor) for one in work]
    in_effect = sum(len(one.resolved) for one in done)
    return f"assignments not used: {len(done)}; {in_effect} of their judgments had taken effect already."


def refuse_session(session: Session, *, reason: str, actor: str) -> str:
    """Refuse all that the session earned and that is not paid yet. Raises NothingToRefuseError."""
    refused = 0
    for one in _submitted(session):
        if cents := unpaid_of(one):
            refused += refuse_pay(assignment_id=one.pk, cents=cents, reason=reason, actor=actor).cents
    if not refused:
        raise NothingToRefuseError("Nothing that it earned is unpaid.")
    return f"{amount(refused)} refused."


def restore_session(session: Session, *, reason: str, actor: str) -> str:
    """Take back every refusal of the session's pay. Raises NothingRefusedError."""
    cents = 0
    for one in _submitted(session):
        try:
            cents += restore_pay(assignment_id=one.pk, reason=reason, actor=actor).cents
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
