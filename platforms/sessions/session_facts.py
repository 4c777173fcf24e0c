"""The figures that decide how sessions are settled."""

from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime, timedelta

from django.db.models import Sum

from pipeline.models import Assignment, LedgerEntry
from platforms.contract.terms import RecruitmentTerms
from platforms.models import Session
from platforms.rules.settling import SessionFacts

LISTED_WITHIN = timedelta(hours=1)
"""A session that the platform does not list so long after its deadline is no longer expected there."""
RETURNS_WITHIN = timedelta(days=7)
"""Time that a worker has to give back a session before it is rejected."""
SIGN = {LedgerEntry.Kind.REFUSED: 1, LedgerEntry.Kind.RESTORED: -1}


def session_facts(sessions: Sequence[Session], now: datetime) -> dict[int, SessionFacts]:
    """Return the facts by session id. Takes three statements; load `session.offer` beforehand."""
    ids = [session.id for session in sessions]
    submitted = Assignment.objects.filter(session__in=ids, state=Assignment.State.SUBMITTED)
    rows = submitted.order_by().values_list("session").annotate(Sum("earned_cents"))
    earned = {session: cents for session, cents in rows if session is not None}
    refused = _refused(ids)
    return {
        session.id: SessionFacts(
            handed_in=session.state == Session.State.FINISHED,
            platform_state=session.platform_state,
            reward=session.offer.reward_cents,
            earned=earned.get(session.id, 0),
            refused=refused[session.id],
            due=_is_due(session, now),
            awaited=_is_awaited(session),
            asked_to_return=session.return_asked_at is not None and session.return_asked_at + RETURNS_WITHIN > now,
        )
        for session in sessions
    }


def _refused(ids: Sequence[int]) -> dict[int, int]:
    session_of = dict(Assignment.objects.filter(session__in=ids).values_list("id", "session"))
    refused: dict[int, int] = defaultdict(int)
    entries = LedgerEntry.objects.filter(assignment_id__in=session_of, kind__in=SIGN)
    for assignment, kind, cents in entries.values_list("assignment_id", "kind", "cents"):
        session = session_of[assignment] if assignment is not None else None
        if session is not None:
            refused[session] += SIGN[LedgerEntry.Kind(kind)] * cents
    return refused


def _is_awaited(session: Session) -> bool:
    """Whether the platform was not read since it could last have listed the session."""
    looked_at = session.offer.looked_at
    return looked_at is None or looked_at < session.ends_at + LISTED_WITHIN


def _is_due(session: Session, now: datetime) -> bool:
    waits = timedelta(hours=RecruitmentTerms(**session.offer.terms).approve_hours)
    return session.finished_at is None or session.finished_at + waits <= now
