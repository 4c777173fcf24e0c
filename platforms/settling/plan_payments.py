"""Plan payments: which sessions are approved or rejected, which workers get a bonus, and whether that still holds."""

import re
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import NamedTuple

from django.db import IntegrityError, transaction
from django.db.models import Q, Sum

from pipeline.models import Assignment, LedgerEntry
from pipeline.money.ledger import account_of, accounts
from platforms.errors import PlatformError
from platforms.models import Offer, Payment, Session
from platforms.rules.settling import (
    SessionFacts,
    Settlement,
    bonus_cents,
    is_paid_by_bonus,
    settlement_of,
    without_paid_by_bonus,
)
from platforms.sessions import session_facts
from runtime import clock
from workers.models import Worker

Kind, State, PlatformState = Payment.Kind, Payment.State, Session.PlatformState
PENDING = (State.PLANNED, State.SENT)
APPROVALS = (Kind.APPROVE, Kind.PART, Kind.OVERRIDE)
PAYABLE = (PlatformState.SUBMITTED, PlatformState.APPROVED)
BONUS_REASON = "For what you earned beyond the reward."
MAX_NAMED = 5
PART = re.compile(r"(?P<session>[0-9]{1,18})-(?P<kind>[a-z]+)-[0-9]+")


class DueChangedError(PlatformError):
    """Other payments are due than were shown."""


class DuePayment(NamedTuple):
    """A payment to plan."""

    session: Session
    kind: Payment.Kind
    cents: int
    reason: str

    @property
    def part(self) -> str:
        """Return the part of a digest that stands for this payment."""
        return f"{self.session.pk}-{self.kind.value}-{self.cents}"


class PaymentPlan(NamedTuple):
    """The payments that are due, and the pay that no payment can carry."""

    due: list[DuePayment]
    stranded: dict[int, int]
    """Cents owed by worker id, for workers without a session that a bonus could be attached to."""


def digest_of(due: Sequence[DuePayment]) -> str:
    """Return the payments as one text: equal texts are the same payments of the same amounts."""
    return ",".join(sorted(payment.part for payment in due)) or "nothing"


def plan_payments(
    platform: str, project_id: int, now: datetime | None = None, *, shown: str | None = None
) -> list[Payment]:
    """Store the payments that are due, and return them.

    Two runs at once plan each payment once: the workers who are owed something stay locked while they are planned, as
    they are while they are paid. `shown`: the digest of the only payments to store; raises DueChangedError, which names
    the differences, if others are due.
    """
    now = now or clock.now()
    with transaction.atomic():
        owed = [worker for worker, account in accounts(project_id).items() if account.owed > 0]
        list(Worker.objects.select_for_update(no_key=True).filter(id__in=owed).order_by("id"))
        # A worker who is owed something only since then is not locked, and waits for the next round.
        due = payment_plan(platform, project_id, now, among=set(owed)).due
        if shown is not None and shown != digest_of(due):
            raise DueChangedError(_changes(due, shown))
        planned = [_write(payment, now) for payment in due]
    return [payment for payment in planned if payment is not None]


def payments_to_make(platform: str, project_id: int, now: datetime | None = None) -> list[DuePayment]:
    """Return the payments that are due, bonuses first: an approval settles a session, and by then all is paid.

    Leaves out pending payments, and those that the platform refused, which wait for the requester.
    """
    return payment_plan(platform, project_id, now).due


def payment_plan(
    platform: str, project_id: int, now: datetime | None = None, *, among: Collection[int] | None = None
) -> PaymentPlan:
    """Return what is due, without writing it. `among`: plan bonuses for these workers alone."""
    now = now or clock.now()
    owed = {worker: account.owed for worker, account in accounts(project_id).items() if account.owed > 0}
    if among is not None:
        owed = {worker: cents for worker, cents in owed.items() if worker in among}
    of_project = Session.objects.filter(offer__platform=platform, offer__project_id=project_id)
    of_project = of_project.exclude(offer__kind=Offer.Kind.TEST)
    chosen = of_project.filter(
        Q(platform_state__in=[PlatformState.SUBMITTED, PlatformState.REJECTED]) | Q(worker__in=owed)
    )
    sessions = list(chosen.select_related("offer", "worker").order_by("id"))
    facts = session_facts(sessions, now)
    pending = pending_bonuses(sessions)
    expected = expected_facts(sessions, facts, owed, pending)
    undone = Payment.objects.filter(session__in=sessions).exclude(state=State.DONE)
    known = set(undone.values_list("session", "kind"))
    decisions = [
        due
        for session in sessions
        if (due := _decision(session, facts[session.id]))
        and (session.id, due.kind) not in known
        # Nothing is left to pay for a session that was rejected elsewhere after a bonus had paid for it.
        and (due.kind is not Kind.OVERRIDE or settlement_of(expected[session.id]) is Settlement.OVERRIDE)
    ]
    bonuses, stranded = _bonuses(owed, sessions, expected, pending, known)
    return PaymentPlan([*bonuses, *decisions], stranded)


def expected_facts(
    sessions: Sequence[Session],
    facts: Mapping[int, SessionFacts],
    owed: Mapping[int, int],
    pending: Mapping[int, int],
) -> dict[int, SessionFacts]:
    """Return the facts by session id, with sessions marked as returned whose reward will never be paid.

    These are the sessions whose approval the platform refused, and those that a bonus has paid. `owed` and `pending`
    (bonuses that are planned or sent): cents by worker id.
    """
    approvals = Payment.objects.filter(session__in=facts, kind__in=APPROVALS).exclude(state=State.DONE)
    rows = list(approvals.values_list("session", "kind", "state"))
    refused = {session for session, _, state in rows if state == State.REFUSED}
    overriding = {session for session, kind, _ in rows if kind == Kind.OVERRIDE}
    expected = {
        number: replace(fact, platform_state=PlatformState.RETURNED) if number in refused else fact
        for number, fact in facts.items()
    }
    for worker, worker_sessions in _by_worker(sessions).items():
        theirs = {session.id: expected[session.id] for session in worker_sessions}
        expected |= without_paid_by_bonus(theirs, owed.get(worker, 0), pending.get(worker, 0), overriding)
    return expected


def pending_bonuses(sessions: Sequence[Session]) -> dict[int, int]:
    """Return the cents of bonuses that are planned or sent, by worker id."""
    pending = Payment.objects.filter(session__in=sessions, kind=Kind.BONUS, state__in=PENDING)
    return dict(pending.order_by().values_list("session__worker").annotate(Sum("cents")))


def _changes(due: Sequence[DuePayment], shown: str) -> str:
    """Return which payments are due and were not shown, and which were shown and are not due, in words."""
    before, now = set(shown.split(",")), {payment.part for payment in due}
    words = ["Something has changed since this was shown: look again before you settle."]
    for title, parts in (("Due now, not shown", now - before), ("Shown, not due now", before - now)):
        if named := _named(parts):
            words.append(f"{title}: {', '.join(named[:MAX_NAMED])}{' and others' if named[MAX_NAMED:] else ''}.")
    return " ".join(words)


def _named(parts: Collection[str]) -> list[str]:
    """Return the payments of a digest in words. Parts that no digest of ours has are left out."""
    found = [match for part in sorted(parts) if (match := PART.fullmatch(part))]
    sessions = Session.objects.select_related("worker").in_bulk([int(match["session"]) for match in found])
    return [f"{match['kind']} {sessions[pk]}" for match in found if (pk := int(match["session"])) in sessions]


def _write(due: DuePayment, now: datetime) -> Payment | None:
    """Store the payment; None: another run has just planned it."""
    try:
        with transaction.atomic():
            return Payment.objects.create(created_at=now, **due._asdict())
    except IntegrityError:
        return None


def _decision(session: Session, facts: SessionFacts) -> DuePayment | None:
    match settlement_of(facts):
        case Settlement.APPROVE:
            return DuePayment(session, Kind.APPROVE, facts.reward, "Thank you.")
        case Settlement.REJECT:
            return DuePayment(session, Kind.REJECT, 0, _why_refused(session))
        case Settlement.OVERRIDE:
            return DuePayment(session, Kind.OVERRIDE, facts.reward, "The refusal was taken back. We are sorry.")
    return None


def _why_refused(session: Session) -> str:
    of_session = Assignment.objects.filter(session=session).values("id")
    refusals = LedgerEntry.objects.filter(assignment_id__in=of_session, kind=LedgerEntry.Kind.REFUSED)
    return " ".join(dict.fromkeys(refusals.order_by("id").values_list("reason", flat=True)))[:1000]


def _bonuses(
    owed: dict[int, int],
    sessions: list[Session],
    expected: dict[int, SessionFacts],
    pending: dict[int, int],
    known: set[tuple[int, str]],
) -> tuple[list[DuePayment], dict[int, int]]:
    """Return a bonus for each worker who is owed more than the expected rewards, and the cents that are stranded."""
    by_worker = _by_worker(sessions)
    found, stranded = [], {}
    for worker, cents_owed in owed.items():
        own = by_worker.get(worker, [])
        cents = bonus_cents(cents_owed, pending.get(worker, 0), [expected[session.id] for session in own])
        payable = [
            session for session in own if session.platform_state in PAYABLE and (session.id, Kind.BONUS) not in known
        ]
        if cents and payable:
            found.append(DuePayment(payable[-1], Kind.BONUS, cents, BONUS_REASON))
        elif cents and own:
            stranded[worker] = cents
    return found, stranded


def _by_worker(sessions: Sequence[Session]) -> dict[int, list[Session]]:
    found: dict[int, list[Session]] = defaultdict(list)
    for session in sessions:
        found[session.worker_id].append(session)
    return found


STATE_BEFORE = {
    Kind.APPROVE: PlatformState.SUBMITTED,
    Kind.PART: PlatformState.SUBMITTED,
    Kind.REJECT: PlatformState.SUBMITTED,
    Kind.OVERRIDE: PlatformState.REJECTED,
}


def why_invalid(payment: Payment, now: datetime) -> str:
    """Return why the payment must not be sent; empty: it may. Load `payment.session.offer` beforehand."""
    return _why_no_bonus(payment, now) if payment.kind == Kind.BONUS else _why_no_decision(payment, now)


def why_paid_already(payment: Payment, now: datetime) -> str:
    """Return why an approval that the platform once refused would pay twice: a bonus has replaced it. Empty: it would
    not."""
    owed, pending, expected = _prospects(payment, now)
    others = [session for number, session in expected.items() if number != payment.session_id]
    facts = session_facts([payment.session], now)[payment.session_id]
    if not is_paid_by_bonus(facts, owed, pending, others):
        return ""
    return "What the session earned was paid by a bonus meanwhile, or is about to be: an approval would pay it twice."


def _why_no_decision(payment: Payment, now: datetime) -> str:
    session, kind = payment.session, Kind(payment.kind)
    if session.platform_state != STATE_BEFORE[kind]:
        return f"The session is {session.platform_state or 'not handed in'} on the platform by now."
    facts = session_facts([session], now)[session.id]
    if kind is Kind.REJECT and facts.net > 0:
        return "The session's pay is owed: refuse that first."
    if kind is Kind.PART and facts.net < payment.cents:
        return "A part of the session's pay is refused by now."
    if kind is not Kind.REJECT and facts.is_all_refused:
        return "The session's pay is refused: take that back first."
    return ""


def _why_no_bonus(payment: Payment, now: datetime) -> str:
    """Since it was planned, the bonus may have been paid with another session of the worker, or refused in part."""
    owed, pending, expected = _prospects(payment, now)
    possible = bonus_cents(owed, pending, list(expected.values()))
    if payment.cents <= possible:
        return ""
    return (
        f"{possible} cents are owed beyond the expected rewards, not {payment.cents}: the rest was paid, or is on its "
        "way."
    )


def _prospects(payment: Payment, now: datetime) -> tuple[int, int, dict[int, SessionFacts]]:
    """Return what the worker is owed in cents, their other pending bonuses in cents, and their sessions' facts."""
    offer, worker = payment.session.offer, payment.session.worker_id
    of_project = {"offer__platform": offer.platform, "offer__project_id": offer.project_id}
    sessions = list(Session.objects.filter(**of_project, worker=worker).select_related("offer").order_by("id"))
    owed = account_of(worker, offer.project_id).owed
    this = payment.cents if payment.kind == Kind.BONUS and payment.state in PENDING else 0
    pending = pending_bonuses(sessions).get(worker, 0) - this
    return owed, pending, expected_facts(sessions, session_facts(sessions, now), {worker: owed}, {worker: pending})
