"""Write down what the platform is to be told: who is approved, who is rejected, who gets a bonus."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import NamedTuple

from django.db import IntegrityError, transaction
from django.db.models import Q, Sum
from django.utils import timezone

from pipeline.models import Assignment, LedgerEntry
from pipeline.money.ledger import accounts
from platforms.models import Payment, Session
from platforms.rules.settle import SessionFacts, Settlement, bonus, settlement_of, without_carried
from platforms.sessions.session_facts import session_facts
from workers.models import Worker

State, PlatformState = Payment.State, Session.PlatformState
ON_THEIR_WAY = (State.PLANNED, State.SENT)
APPROVALS = (Payment.Kind.APPROVE, Payment.Kind.OVERRIDE)
PAYABLE = (PlatformState.SUBMITTED, PlatformState.APPROVED)
BONUS_REASON = "For what you earned beyond the reward."


class Due(NamedTuple):
    """A payment that is to be."""

    session: Session
    kind: Payment.Kind
    cents: int
    reason: str


class PaymentPlan(NamedTuple):
    """What is to be said now, and what can't be."""

    due: list[Due]
    stranded: dict[int, int]
    """Cents that are owed to workers, by id, with no session to which a bonus could be attached."""


def payments_to_make(platform: str, project_id: int, now: datetime | None = None) -> list[Due]:
    """Bonuses come first: a session is settled when it is approved, and then everything has been paid.

    What is on its way is left out, and so is what the platform has refused: that waits for the requester.
    """
    return payment_plan(platform, project_id, now).due


def payment_plan(
    platform: str, project_id: int, now: datetime | None = None, *, among: Collection[int] | None = None
) -> PaymentPlan:
    """Reads only. `among`: bonuses for these workers alone."""
    now = now or timezone.now()
    owed = {worker: account.owed for worker, account in accounts(project_id).items() if account.owed > 0}
    if among is not None:
        owed = {worker: cents for worker, cents in owed.items() if worker in among}
    of_project = Session.objects.filter(offer__platform=platform, offer__project_id=project_id)
    chosen = of_project.filter(
        Q(platform_state__in=[PlatformState.SUBMITTED, PlatformState.REJECTED]) | Q(worker__in=owed)
    )
    sessions = list(chosen.select_related("offer", "worker").order_by("id"))
    all_facts = session_facts(sessions, now)
    said = bonuses_said(sessions)
    expected = to_come(sessions, all_facts, owed, said)
    undone = Payment.objects.filter(session__in=sessions).exclude(state=State.DONE)
    known = set(undone.values_list("session", "kind"))
    verdicts = [
        Due(session, kind, cents, reason)
        for session in sessions
        for kind, cents, reason in _verdict(session, all_facts[session.id])
        if (session.id, kind) not in known
        # One that was rejected elsewhere after a bonus had paid for it has nothing to come.
        and (kind is not Payment.Kind.OVERRIDE or settlement_of(expected[session.id]) is Settlement.OVERRIDE)
    ]
    bonuses, stranded = _bonuses(owed, sessions, expected, said, known)
    return PaymentPlan([*bonuses, *verdicts], stranded)


def plan_payments(platform: str, project_id: int, now: datetime | None = None) -> list[Payment]:
    """Write them down. Two runs at once plan each once: who is owed something is held while it is planned, and so is
    whoever is just being paid."""
    now = now or timezone.now()
    with transaction.atomic():
        owed = [worker for worker, account in accounts(project_id).items() if account.owed > 0]
        list(Worker.objects.select_for_update(no_key=True).filter(id__in=owed).order_by("id"))
        # Who began to be owed something after that is not held, and has the next round.
        planned = [_write(due, now) for due in payment_plan(platform, project_id, now, among=set(owed)).due]
    return [payment for payment in planned if payment is not None]


def to_come(
    sessions: Sequence[Session], all_facts: Mapping[int, SessionFacts], owed: Mapping[int, int], said: Mapping[int, int]
) -> dict[int, SessionFacts]:
    """For what comes of them, by session id: what the platform will not approve never comes, nor what a bonus has paid
    already. `owed`, and `said` of it in bonuses on their way: cents by worker."""
    approvals = Payment.objects.filter(session__in=all_facts, kind__in=APPROVALS).exclude(state=State.DONE)
    rows = list(approvals.values_list("session", "kind", "state"))
    gone = {session for session, _, state in rows if state == State.REFUSED}
    overriding = {session for session, kind, _ in rows if kind == Payment.Kind.OVERRIDE}
    expected = {
        number: replace(one, platform_state=PlatformState.RETURNED) if number in gone else one
        for number, one in all_facts.items()
    }
    for worker, own in _by_worker(sessions).items():
        theirs = {session.id: expected[session.id] for session in own}
        expected |= without_carried(theirs, owed.get(worker, 0), said.get(worker, 0), overriding)
    return expected


def bonuses_said(sessions: Sequence[Session]) -> dict[int, int]:
    """Cents of bonuses on their way, by worker."""
    under_way = Payment.objects.filter(session__in=sessions, kind=Payment.Kind.BONUS, state__in=ON_THEIR_WAY)
    return dict(under_way.order_by().values_list("session__worker").annotate(Sum("cents")))


def _write(due: Due, now: datetime) -> Payment | None:
    """None: another run has just planned it."""
    values = {"session": due.session, "kind": due.kind, "cents": due.cents, "reason": due.reason}
    try:
        with transaction.atomic():
            return Payment.objects.create(created_at=now, **values)
    except IntegrityError:
        return None


def _verdict(session: Session, facts: SessionFacts) -> list[tuple[Payment.Kind, int, str]]:
    match settlement_of(facts):
        case Settlement.APPROVE:
            return [(Payment.Kind.APPROVE, facts.reward, "Thank you.")]
        case Settlement.REJECT:
            return [(Payment.Kind.REJECT, 0, _why_refused(session))]
        case Settlement.OVERRIDE:
            return [(Payment.Kind.OVERRIDE, facts.reward, "The refusal was taken back. We are sorry.")]
    return []


def _why_refused(session: Session) -> str:
    of_session = Assignment.objects.filter(session=session).values("id")
    refusals = LedgerEntry.objects.filter(assignment_id__in=of_session, kind=LedgerEntry.Kind.REFUSED)
    return " ".join(dict.fromkeys(refusals.order_by("id").values_list("reason", flat=True)))[:1000]


def _bonuses(
    owed: dict[int, int],
    sessions: list[Session],
    expected: dict[int, SessionFacts],
    said: dict[int, int],
    known: set[tuple[int, str]],
) -> tuple[list[Due], dict[int, int]]:
    """One for each worker to whom more is owed than the rewards that are to come; and who can't get theirs."""
    by_worker = _by_worker(sessions)
    found, stranded = [], {}
    for worker, cents_owed in owed.items():
        own = by_worker.get(worker, [])
        cents = bonus(cents_owed, said.get(worker, 0), [expected[session.id] for session in own])
        payable = [one for one in own if one.platform_state in PAYABLE and (one.id, Payment.Kind.BONUS) not in known]
        if cents and payable:
            found.append(Due(payable[-1], Payment.Kind.BONUS, cents, BONUS_REASON))
        elif cents and own:
            stranded[worker] = cents
    return found, stranded


def _by_worker(sessions: Sequence[Session]) -> dict[int, list[Session]]:
    found: dict[int, list[Session]] = defaultdict(list)
    for session in sessions:
        found[session.worker_id].append(session)
    return found
