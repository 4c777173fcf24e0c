"""A session's right to ask for assignments: how many it had, and whether it may have another."""

from dataclasses import dataclass
from typing import NamedTuple

from django.utils.translation import gettext, gettext_noop

from pipeline.errors import NoAccessError, SessionOverError
from pipeline.models import Assignment
from pipeline.rules.tasks.task import Task
from platforms.models import Offer, Session


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
                gettext("This session is for {task}, and for nothing else.").format(
                    task=gettext(Task(offer.task).label)
                )
            )
        allowed = offer.least - 1 if ahead else offer.quota
        if held.state == Session.State.FINISHED or _done(self.session_id) >= allowed:
            raise SessionOverError(gettext_noop("This session has had all its assignments: hand it in."))

    def note_given(self, assignment: Assignment | None) -> None:
        """Attach the assignment that was leased to the session; None: there was nothing to do."""
        if assignment is not None and assignment.session_id != self.session_id:
            Assignment.objects.filter(id=assignment.id).update(session=self.session_id)
        Session.objects.filter(id=self.session_id).update(nothing_open=assignment is None)


def _done(session_id: int) -> int:
    submitted = {"kind": Assignment.Kind.WORK, "state": Assignment.State.SUBMITTED}
    return Assignment.objects.filter(session=session_id, **submitted).count()
