"""A session on a platform as a right to ask: how many assignments it had, and whether another may follow."""

from dataclasses import dataclass
from typing import NamedTuple

from pipeline.errors import NoAccessError, SessionOverError
from pipeline.models import Assignment
from pipeline.rules.tasks.task import Task
from platforms.models import Offer, Session


class SessionQuota(NamedTuple):
    """How far a session is, in assignments; tests are no part of it."""

    done: int
    least: int
    quota: int

    @property
    def goes_on(self) -> bool:
        return self.done < self.quota


def session_quota(session_id: int) -> SessionQuota:
    offer = Offer.objects.get(sessions=session_id)
    return SessionQuota(_done(session_id), offer.least, offer.quota)


@dataclass(frozen=True, slots=True)
class HeldSession:
    """A session as `pipeline.asking.lease_assignment.SessionHold`."""

    session_id: int

    def hold(self, *, worker_id: int, project_id: int, task: Task) -> None:
        hold_session(self.session_id, worker_id, project_id, task)

    def note_given(self, assignment: Assignment | None) -> None:
        note_given(self.session_id, assignment)


def hold_session(session_id: int, worker_id: int, project_id: int, task: Task) -> None:
    """Lock the session's row, so that two tabs of the session ask one after the other.

    Raises SessionOverError, NoAccessError.
    """
    held = Session.objects.select_for_update(no_key=True).filter(id=session_id, worker=worker_id).first()
    if held is None or held.state == Session.State.LEFT:
        raise SessionOverError("This session was given back, or its time ran out. Take another one.")
    offer = Offer.objects.get(id=held.offer_id)
    if (offer.project_id, offer.task) != (project_id, task.value):
        raise NoAccessError(f"This session is for {Task(offer.task).label}, and for nothing else.")
    if held.state == Session.State.FINISHED or _done(session_id) >= offer.quota:
        raise SessionOverError("This session has had all its assignments: hand it in.")


def note_given(session_id: int, assignment: Assignment | None) -> None:
    """What was asked for in this session belongs to it; None: nothing was open."""
    if assignment is not None and assignment.session_id != session_id:
        Assignment.objects.filter(id=assignment.id).update(session=session_id)
    Session.objects.filter(id=session_id).update(dry=assignment is None)


def _done(session_id: int) -> int:
    handed_in = {"kind": Assignment.Kind.WORK, "state": Assignment.State.SUBMITTED}
    return Assignment.objects.filter(session=session_id, **handed_in).count()
