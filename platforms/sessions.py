"""A worker's session: open, hold and finish it; the figures by which it is settled; test results for the platform."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from django.db import IntegrityError, transaction
from django.db.models import F, Sum
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext, gettext_noop, ngettext

from pipeline.errors import NoAccessError, NotFinishedError, SessionOverError
from pipeline.models import Assignment, LedgerEntry
from pipeline.protocol.tasks.task import Task
from platforms.contract import Platform, RecruitmentTerms
from platforms.errors import OpenedElsewhereError, UnknownVisitorError
from platforms.models import Identity, Offer, Screening, Session
from platforms.rules.settling import SessionFacts, still_missing
from runtime import clock
from workers.invitations import grant_access
from workers.models import TrustStatus, Worker
from workers.rules.trust_states import TrustState
from workers.task_words import task_name

State, PlatformState = Session.State, Session.PlatformState
FORGOTTEN = "deleted "
"""The beginning of the digest that takes the place of a deleted worker's id."""
ELSEWHERE = gettext_noop(
    "This was opened in another browser or on another network, and goes on only there. If that was not you, or you "
    "cannot go back, write to the requester: they can let you open it again."
)
DELETED = gettext_noop("You had your data here deleted, so you cannot work here any more. Please give this place back.")


def forget_identities(worker_id: int) -> None:
    """Replace the platforms' ids of the worker by digests, and end their sessions.

    A digest only answers whether a given id is the deleted one: the platform goes on listing what was done and paid
    there, and without it those sessions would be taken for a new worker's, and paid again.
    """
    for identity in Identity.objects.filter(worker=worker_id).exclude(external_id__startswith=FORGOTTEN):
        identity.external_id = forgotten_id(identity.platform, identity.external_id)
        identity.save(update_fields=["external_id"])
    sessions = Session.objects.filter(worker=worker_id)
    sessions.update(visitor="")
    sessions.filter(state=State.OPEN).update(state=State.LEFT)


def forgotten_id(platform: str, external_id: str) -> str:
    """Return the digest that takes the place of a platform's id. It cannot be made without the service's secret key."""
    digest = salted_hmac("platforms.forgotten", f"{platform}\n{external_id}", algorithm="sha256")
    return f"{FORGOTTEN}{digest.hexdigest()}"


def open_session(
    *,
    offer: Offer,
    external_worker: str,
    external_id: str,
    seconds: int | None = None,
    visitor: str = "",
) -> Session:
    """Return the session of this visit; a repeated visit returns the same session.

    A newcomer becomes a worker, who starts with the test. `seconds`: time for the session, if the platform gives
    another time than the offer says. `visitor`: a digest of the browser, where the platform does not sign its visits:
    the first one holds the session. Raises UnknownVisitorError if the session was settled or the worker
    deleted, and OpenedElsewhereError for another browser, whose visit is noted.
    """
    now = clock.now()
    ends_at = now + timedelta(seconds=seconds or offer.seconds)
    identity = identity_of(offer.platform, external_worker)
    if identity.worker.closed_at:
        raise UnknownVisitorError(DELETED)
    try:
        session = _open(offer, identity.worker, external_id, visitor, now=now, ends_at=ends_at)
    except IntegrityError:  # another tab has just opened the same session
        session = _open(offer, identity.worker, external_id, visitor, now=now, ends_at=ends_at)
    if session.visitor != visitor:
        Session.objects.filter(id=session.id).update(strangers=F("strangers") + 1, stranger_at=now)
        raise OpenedElsewhereError(ELSEWHERE)
    return session


def identity_of(platform: str, external_worker: str) -> Identity:
    """Return the identity, created together with a worker if it is new. A deleted worker keeps theirs, as a digest."""
    key = {"platform": platform, "external_id": external_worker}
    names = [external_worker, forgotten_id(platform, external_worker)]
    found = Identity.objects.select_related("worker").filter(platform=platform, external_id__in=names).first()
    if found:
        return found
    try:
        with transaction.atomic():
            worker = Worker.objects.create(name=f"{platform} {external_worker}"[:100])
            return Identity.objects.create(worker=worker, **key)
    except IntegrityError:  # a concurrent request has just created the identity
        return Identity.objects.select_related("worker").get(**key)


@transaction.atomic
def _open(offer: Offer, worker: Worker, external_id: str, visitor: str, *, now: datetime, ends_at: datetime) -> Session:
    """Return the session. One that another visitor holds stays as it is."""
    grant_access(worker, offer.project_id, [offer.task], trusted=False)
    same_id = Session.objects.select_for_update(no_key=True).filter(offer=offer, external_id=external_id)
    # If another worker arrives under the same id, the first one has given the session back.
    same_id.filter(state=State.OPEN).exclude(worker=worker).update(state=State.LEFT)
    session = same_id.filter(worker=worker).first()
    if session is None:
        return Session.objects.create(
            offer=offer, worker=worker, external_id=external_id, opened_at=now, ends_at=ends_at, visitor=visitor
        )
    if visitor and not session.visitor:
        session.visitor = visitor
        session.save(update_fields=["visitor"])
    if session.visitor != visitor:
        return session
    if session.platform_state in (PlatformState.APPROVED, PlatformState.REJECTED):
        raise UnknownVisitorError(gettext_noop("This was handed in and settled. Take another one."))
    if session.state == State.LEFT:
        session.state, session.platform_state = State.OPEN, PlatformState.UNKNOWN
        session.ends_at = ends_at
        session.save(update_fields=["state", "platform_state", "ends_at"])
    return session


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
            return_requested=session.return_asked_at is not None and session.return_asked_at + RETURNS_WITHIN > now,
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


PASSED = {
    TrustState.INVITED.value: None,
    TrustState.TESTING.value: None,
    TrustState.PROBATION.value: True,
    TrustState.TRUSTED.value: True,
    TrustState.SUSPENDED.value: False,
    TrustState.BARRED.value: False,
}
"""Test result by trust state; None: a newcomer, or a worker who failed the test and may take it again."""


def screen_workers(platform: Platform, project_id: int) -> int:
    """Report the results that changed since the last report. Returns how many.

    Results are stored after the platform has taken them, so a failed report is repeated, which changes nothing there.
    """
    changes = _changes(platform.name, project_id)
    for task, changed in changes.items():
        platform.screen(
            project_id=project_id,
            task=task,
            passed={identity.external_id: passed for identity, passed in changed},
        )
        for identity, passed in changed:
            key: dict[str, Any] = {"identity": identity, "project_id": project_id, "task": task}
            Screening.objects.update_or_create(**key, defaults={"passed": passed})
    return sum(len(changed) for changed in changes.values())


def _changes(platform: str, project_id: int) -> dict[str, list[tuple[Identity, bool | None]]]:
    """Return by task the identities whose result differs from the reported one."""
    identities = {identity.worker_id: identity for identity in Identity.objects.filter(platform=platform)}
    reported = {
        (screening.identity_id, screening.task): screening.passed
        for screening in Screening.objects.filter(identity__platform=platform, project_id=project_id)
    }
    changes: dict[str, list[tuple[Identity, bool | None]]] = defaultdict(list)
    of_platform = {"worker__identities__platform": platform, "worker__closed_at": None}
    statuses = TrustStatus.objects.filter(**of_platform, project_id=project_id)
    statuses = statuses.exclude(worker__sessions__offer__kind=Offer.Kind.TEST)
    rows = statuses.order_by("task", "worker").values_list("worker", "task", "state").distinct()
    for worker, task, state in rows:
        identity, passed = identities[worker], PASSED[state]
        if reported.get((identity.id, task)) != passed:
            changes[task].append((identity, passed))
    return dict(changes)
