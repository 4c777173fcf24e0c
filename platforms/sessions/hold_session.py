"""A session's right to ask for assignments, and its end: the worker hands it in once it has what it needs."""

from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from django.db import transaction
from django.utils.translation import gettext, gettext_noop, ngettext

from pipeline.errors import NoAccessError, NotFinishedError, SessionOverError
from pipeline.models import Assignment
from pipeline.protocol.tasks.task import Task
from platforms.models import Offer, Session
from platforms.rules.settling import still_missing
from runtime import clock
from workers.task_words import task_name

ALL_DONE = gettext_noop("This session has had all its assignments: hand it in.")


class SessionQuota(NamedTuple):
    """A session's assignments, without tests: submitted, needed, allowed."""

    done: int
    least: int
    quota: int


def session_quota(session_id: int) -> SessionQuota:
    offer = Offer.objects.get(sessions=session_id)
    return SessionQuota(_done(session_id), offer.least, offer.quota)


def is_open(session_id: int) -> bool:
    """Return whether the session is neither handed in nor given back."""
    return Session.objects.filter(id=session_id, state=Session.State.OPEN).exists()


@dataclass(frozen=True, slots=True)
class HeldSession:
    """Implements `pipeline.asking.lease_assignment.SessionHold` for a session on a platform."""

    session_id: int

    def hold(self, *, worker_id: int, project_id: int, task: Task, ahead: bool = False) -> None:
        """Lock the session's row, so that requests from two tabs of the session wait for each other.

        `ahead`: the worker still answers an assignment; the next one is certain only if the session needs it.
        Raises SessionOverError if the session may have no more assignments, NoAccessError if it is for another task.
        """
        held = Session.objects.select_for_update(no_key=True).filter(id=self.session_id, worker=worker_id).first()
        if held is None or held.state == Session.State.LEFT:
            raise SessionOverError(gettext_noop("This session was given back, or its time ran out. Take another one."))
        offer = Offer.objects.get(id=held.offer_id)
        if (offer.project_id, offer.task) != (project_id, task.value):
            raise NoAccessError(
                gettext("This session is for “{task}”, and for nothing else.").format(task=task_name(offer.task))
            )
        allowed = offer.least - 1 if ahead else offer.quota
        if held.state == Session.State.FINISHED or _done(self.session_id) >= allowed:
            raise SessionOverError(ALL_DONE)

    def note_given(self, assignment: Assignment | None) -> None:
        """Attach the assignment that was leased to the session; None: there was nothing to do.

        Raises SessionOverError if a trial would lease more than the test: its answers would count.
        """
        is_work = assignment is not None and assignment.kind == Assignment.Kind.WORK
        if is_work and Offer.objects.filter(sessions=self.session_id, kind=Offer.Kind.TEST).exists():
            raise SessionOverError(ALL_DONE)
        if assignment is not None and assignment.session_id != self.session_id:
            Assignment.objects.filter(id=assignment.id).update(session=self.session_id)
        Session.objects.filter(id=self.session_id).update(nothing_open=assignment is None)


def _done(session_id: int) -> int:
    submitted = {"kind": Assignment.Kind.WORK, "state": Assignment.State.SUBMITTED}
    return Assignment.objects.filter(session=session_id, **submitted).count()


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
