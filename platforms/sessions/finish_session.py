"""The worker hands a session in on our page; from then on it can be settled with the platform."""

from datetime import datetime

from django.db import transaction
from django.utils.translation import gettext, gettext_noop, ngettext

from pipeline.errors import NotFinishedError, SessionOverError
from pipeline.models import Assignment
from platforms.models import Session
from platforms.rules.session_end import still_missing
from platforms.sessions.hold_session import session_quota
from upkeep import clock


@transaction.atomic
def finish_session(*, session_id: int, worker_id: int, now: datetime | None = None) -> Session:
    """Mark the session as finished; a repetition changes nothing.

    Raises NotFinishedError, which says what is missing, and SessionOverError if the worker has no such session, or has
    given it back.
    """
    session = Session.objects.select_for_update(no_key=True).filter(id=session_id, worker=worker_id).first()
    if session is None or session.state == Session.State.LEFT:
        raise SessionOverError(gettext_noop("This session was given back, or its time ran out."))
    if session.state == Session.State.FINISHED:
        return session
    tests = Assignment.objects.filter(
        session=session, kind=Assignment.Kind.TEST, state=Assignment.State.SUBMITTED
    ).values_list("receipt__test", flat=True)
    results = [test for test in tests if test]
    quota = session_quota(session.id)
    missing = still_missing(
        done=quota.done,
        least=quota.least,
        passed=any(passed for *_, passed in results),
        tested=bool(results),
        pays_tests=session.offer.pays_tests,
        nothing_open=session.nothing_open,
    )
    if missing is not None:
        raise NotFinishedError(_in_words(missing))
    session.state, session.finished_at = Session.State.FINISHED, now or clock.now()
    session.save(update_fields=["state", "finished_at"])
    return session


def _in_words(missing: int) -> str:
    if not missing:
        return gettext("You have nothing to hand in. Give this place back: that does not count against you.")
    words = ngettext("Hand in {left} more assignment first.", "Hand in {left} more assignments first.", missing)
    return words.format(left=missing)
