"""The one writer of workers' trust: each change is one row of its history, with a reason and the figures behind it.

Two other columns of `TrustStatus` rows are kept elsewhere and decide nothing about trust: what a worker was shown
(`pipeline.asking.draw_items`), and when scores were last looked at (`pipeline.trust.review_trust`).
"""

from collections.abc import Callable, Iterable
from dataclasses import asdict, fields, replace
from datetime import datetime
from typing import Any, NamedTuple

from django.db import transaction

from runtime import clock
from workers.models import TrustChange, TrustStatus, Worker, WorkerSignal
from workers.rules.trust import Decision, TrustRules, act
from workers.rules.trust_states import Trust, TrustEvent, TrustStart, TrustState

BY_HAND = Trust(TrustState.TRUSTED, passed_test=True)
"""The trust of a worker without a row: being given access made them trusted."""


def from_row(row: TrustStatus | None) -> Trust:
    """Return the trust that the row holds."""
    if row is None:
        return BY_HAND
    names = (field.name for field in fields(Trust) if field.name not in ("state", "resumes"))
    values: dict[str, Any] = {name: getattr(row, name) for name in names}
    return Trust(TrustState(row.state), resumes=TrustState(row.resumes) if row.resumes else None, **values)


def to_columns(trust: Trust) -> dict[str, Any]:
    """Return the row's columns for this trust, without the worker, the project and the task."""
    values = asdict(trust)
    return values | {"state": trust.state.value, "resumes": trust.resumes.value if trust.resumes else ""}


def trust_of(worker_id: int, project_id: int, task: str) -> Trust:
    """Read the worker's trust on the task."""
    return from_row(TrustStatus.objects.filter(worker=worker_id, project_id=project_id, task=task).first())


COUNTS_ANEW = frozenset(
    {TrustEvent.PASS_TEST, TrustEvent.WAIVE_TEST, TrustEvent.PASS_PROBATION, TrustEvent.TRUST, TrustEvent.REINSTATE}
)
"""Events after which another share of verification questions applies, counted from zero."""


class WorkerTask(NamedTuple):
    """The key of a trust status: a worker on one task of one project."""

    worker_id: int
    project_id: int
    task: str


def begin_trust(
    *,
    worker_id: int,
    project_id: int,
    tasks: Iterable[str],
    start: TrustStart,
    because: str,
    now: datetime | None = None,
) -> None:
    """Write the worker's first trust status on each task. Tasks that have one already keep it."""
    now = now or clock.now()
    first = Trust(TrustState.INVITED) if start is TrustStart.INVITED else replace(BY_HAND, trusted_since=now)
    with transaction.atomic():
        _lock(worker_id)
        rows = TrustStatus.objects.filter(worker=worker_id, project_id=project_id)
        had = set(rows.values_list("task", flat=True))
        new = [WorkerTask(worker_id, project_id, task) for task in tasks if task not in had]
        TrustStatus.objects.bulk_create(TrustStatus(**of._asdict(), **to_columns(first)) for of in new)
        TrustChange.objects.bulk_create(
            TrustChange(**of._asdict(), event=start.value, new=first.state.value, reason=because, created_at=now)
            for of in new
        )


def change_trust(
    *,
    worker_id: int,
    project_id: int,
    task: str,
    event: TrustEvent,
    because: str,
    actor: str = "",
    until: datetime | None = None,
    rules: TrustRules | None = None,
    now: datetime | None = None,
) -> TrustChange:
    """Write what a person, a test or a signal does to a worker's trust. `until`: the end of a suspension.

    Raises IllegalMoveError if the event cannot happen to a worker in this state; nothing is written then.
    """
    now = now or clock.now()

    def decided(old: Trust) -> Decision:
        return act(old, event, rules or TrustRules(), now, because=because, until=until)

    change = apply_decision(worker_id=worker_id, project_id=project_id, task=task, decide=decided, actor=actor, now=now)
    assert change is not None
    return change


@transaction.atomic
def apply_decision(
    *,
    worker_id: int,
    project_id: int,
    task: str,
    decide: Callable[[Trust], Decision | None],
    actor: str = "",
    now: datetime,
) -> TrustChange | None:
    """Write what `decide` makes of the worker's present trust. Returns None if it decides nothing.

    Locks the worker's row, so that the trust cannot change between being read and being written.
    """
    _lock(worker_id)
    of = WorkerTask(worker_id, project_id, task)
    old = from_row(TrustStatus.objects.filter(**of._asdict()).first())
    decision = decide(old)
    if decision is None:
        return None
    columns: dict[str, Any] = to_columns(decision.trust)
    if decision.event in COUNTS_ANEW:
        columns |= {"asked": 0, "verified": 0}
    if decision.voids:
        columns |= {"take_back": True}
    row, _ = TrustStatus.objects.update_or_create(**of._asdict(), defaults=columns)
    if decision.event in COUNTS_ANEW:
        TrustStatus.objects.filter(id=row.id).update(rounds=row.rounds + 1)
    return TrustChange.objects.create(
        **of._asdict(),
        event=decision.event.value,
        old=old.state.value,
        new=decision.trust.state.value,
        reason=decision.reason[:1000],
        figures=decision.figures(),
        actor=actor[:150],
        created_at=now,
    )


def _lock(worker_id: int) -> None:
    Worker.objects.select_for_update(no_key=True).values_list("id").get(id=worker_id)


def dismiss_signal(*, signal_id: int, by: str, note: str, now: datetime | None = None) -> bool:
    """Dismiss the signal for good: finding it again does not reopen it.

    Returns False, and changes nothing, if the signal does not exist or was dismissed already. Raises ValueError
    without a note or a name.
    """
    if not note.strip() or not by:
        raise ValueError("To dismiss a signal, give the reason and your name.")
    open_one = WorkerSignal.objects.filter(id=signal_id, dismissed_at=None)
    return bool(open_one.update(dismissed_at=now or clock.now(), dismissed_by=by[:150], note=note.strip()[:500]))
