"""Changing where a worker stands: one writer, a reason for every change, and none of them edited."""

from datetime import timedelta

import pytest
from django.db import DatabaseError, transaction
from django.utils import timezone

from tests.support.rows import make_worker
from workers.change_trust import change_trust
from workers.models import TrustChange, TrustStatus, Worker
from workers.rules.trust_states import IllegalMoveError, TrustEvent, TrustState
from workers.trust_of import BY_HAND, trust_of

pytestmark = pytest.mark.django_db
NOW = timezone.now()


@pytest.fixture
def ada() -> Worker:
    return make_worker(name="ada")


def change(who: Worker, event: TrustEvent, **options: object) -> TrustChange:
    place = {"worker_id": who.id, "project_id": 1, "task": "box_drawing"}
    return change_trust(event=event, because="too fast", actor="requester", now=NOW, **place, **options)  # type: ignore[arg-type]


def test_who_has_access_and_no_row_is_trusted_by_hand(ada: Worker) -> None:
    assert trust_of(ada.id, 1, "box_drawing") == BY_HAND


def test_a_suspension_is_kept_with_its_end_and_what_comes_after_it(ada: Worker) -> None:
    until = NOW + timedelta(days=7)
    made = change(ada, TrustEvent.SUSPEND, until=until)
    assert (made.old, made.new, made.reason, made.actor) == ("trusted", "suspended", "too fast", "requester")
    trust = trust_of(ada.id, 1, "box_drawing")
    assert (trust.state, trust.suspended_until, trust.resumes) == (TrustState.SUSPENDED, until, TrustState.TRUSTED)


def test_a_task_says_nothing_of_another_task_or_project(ada: Worker) -> None:
    change(ada, TrustEvent.BAR)
    assert trust_of(ada.id, 1, "box_quality") == trust_of(ada.id, 2, "box_drawing") == BY_HAND


def test_every_change_is_a_line_of_its_own(ada: Worker) -> None:
    for event in (TrustEvent.BAR, TrustEvent.TRUST, TrustEvent.BAR):
        change(ada, event)
    assert list(TrustChange.objects.order_by("id").values_list("new", flat=True)) == ["barred", "trusted", "barred"]
    assert TrustStatus.objects.count() == 1


def test_what_cannot_happen_writes_nothing(ada: Worker) -> None:
    for event in (TrustEvent.REINSTATE, TrustEvent.SUSPEND, TrustEvent.PASS_PROBATION):
        with pytest.raises(IllegalMoveError):
            change(ada, event)
    assert not TrustStatus.objects.exists() and not TrustChange.objects.exists()


def test_a_written_change_is_never_edited(ada: Worker) -> None:
    change(ada, TrustEvent.BAR)
    with pytest.raises(DatabaseError, match="append-only"), transaction.atomic():
        TrustChange.objects.update(reason="other")
