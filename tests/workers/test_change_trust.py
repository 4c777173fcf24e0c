"""Changing a worker's trust: one writer, a reason for every change, and no change ever edited."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from django.db import DatabaseError, transaction
from django.utils import timezone

from annotation.models import Project
from tests.support.rows import make_project, make_worker
from workers.change_trust import BY_HAND, begin_trust, change_trust, trust_of
from workers.invitations import grant_access
from workers.models import TrustChange, TrustStatus, Worker
from workers.rules.trust_states import IllegalMoveError, Trust, TrustEvent, TrustStart, TrustState

pytestmark = pytest.mark.django_db
NOW = timezone.now()


@pytest.fixture(autouse=True)
def project() -> Project:
    return make_project()


@pytest.fixture
def ada() -> Worker:
    return make_worker(name="ada")


def change(who: Worker, event: TrustEvent, **options: object) -> TrustChange:
    place = {"worker_id": who.id, "project_id": Project.objects.get().id, "task": "box_drawing"}
    return change_trust(event=event, because="too fast", actor="requester", now=NOW, **place, **options)  # type: ignore[arg-type]


def begin(who: Worker, project: Project) -> Trust:
    place: dict[str, Any] = {"worker_id": who.id, "project_id": project.id, "tasks": ["box_drawing"]}
    begin_trust(start=TrustStart.TRUSTED, because="access", now=NOW, **place)
    return trust_of(who.id, project.id, "box_drawing")


def test_a_worker_with_access_and_no_row_is_trusted_by_hand(ada: Worker, project: Project) -> None:
    assert trust_of(ada.id, project.id, "box_drawing") == BY_HAND


def test_a_suspension_is_kept_with_its_end_and_what_comes_after_it(ada: Worker, project: Project) -> None:
    until = NOW + timedelta(days=7)
    made = change(ada, TrustEvent.SUSPEND, until=until)
    assert (made.old, made.new, made.reason, made.actor) == ("trusted", "suspended", "too fast", "requester")
    trust = trust_of(ada.id, project.id, "box_drawing")
    assert (trust.state, trust.suspended_until, trust.resumes) == (TrustState.SUSPENDED, until, TrustState.TRUSTED)


def test_a_change_on_one_task_leaves_other_tasks_and_projects_alone(ada: Worker, project: Project) -> None:
    change(ada, TrustEvent.BAR)
    assert trust_of(ada.id, project.id, "box_quality") == trust_of(ada.id, project.id + 1, "box_drawing") == BY_HAND


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


def test_inviting_a_worker_begins_the_history_of_each_new_task(ada: Worker, project: Project) -> None:
    assert grant_access(ada, project.id, ["box_drawing"], trusted=False) == 1
    assert grant_access(ada, project.id, ["box_drawing", "box_quality"], trusted=False) == 1
    rows = TrustChange.objects.order_by("id")
    begun = ("was invited", "", "invited")
    assert list(rows.values_list("task", "event", "old", "new")) == [("box_drawing", *begun), ("box_quality", *begun)]
    assert all(row.reason for row in rows)
    assert trust_of(ada.id, project.id, "box_drawing") == Trust(TrustState.INVITED)


def test_trust_that_has_begun_does_not_begin_again(ada: Worker, project: Project) -> None:
    change(ada, TrustEvent.BAR)
    assert begin(ada, project).state is TrustState.BARRED
    assert TrustChange.objects.count() == 1


def test_a_worker_trusted_by_hand_is_measured_from_the_moment_that_begins_it(ada: Worker, project: Project) -> None:
    assert begin(ada, project) == replace(BY_HAND, trusted_since=NOW)
    begun = ("was given access as a trusted worker", "trusted", "access")
    assert TrustChange.objects.values_list("event", "new", "reason").get() == begun
