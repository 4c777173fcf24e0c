from datetime import timedelta

import pytest
from django.utils import timezone

from pipeline.asking.end_lease import expire_assignments, return_assignment
from pipeline.asking.lease_assignment import lease_assignment
from pipeline.asking.receipt import Skipped
from pipeline.asking.submit_assignment import submit_assignment
from pipeline.errors import NoAccessError
from pipeline.models import Assignment, Question
from pipeline.rules.settings.protocol import BATCH, ProtocolSettings
from pipeline.rules.tasks.task import Task
from tests.support.projects import answer, lease, phrases, project_of, submit, worker
from workers.models import Worker

pytestmark = [pytest.mark.both_engines, pytest.mark.django_db]

ASK = Task.BOX_REQUIREMENT


def many(count: int):
    """Images that open one question of box requirement each."""
    return [phrases("animals: a dog", name=str(number)) for number in range(count)]


def test_the_oldest_questions_are_leased_first() -> None:
    project = project_of(*many(7))
    oldest = list(Question.objects.order_by("opened_at", "id").values_list("id", flat=True))
    first = lease(project, worker(project, "ada"), ASK, size=3)
    second = lease(project, worker(project, "bob"), ASK, size=3)
    assert (first.questions, second.questions) == (oldest[:3], oldest[3:6])
    assert [Question.objects.get(id=q).assignment_id for q in oldest] == [first.id] * 3 + [second.id] * 3 + [None]


def test_an_assignment_has_as_many_questions_as_the_settings_say() -> None:
    project = project_of(*many(BATCH[ASK] + 2))
    assert len(lease(project, worker(project, "ada"), ASK).questions) == BATCH[ASK]
    small = project_of(*many(5), name="other", settings=ProtocolSettings(batch={**ProtocolSettings().batch, ASK: 2}))
    assert len(lease(small, worker(small, "ada"), ASK).questions) == 2


def test_asking_again_returns_the_assignment_that_the_worker_holds() -> None:
    project = project_of(*many(8))
    ada = worker(project, "ada")
    first = lease(project, ada, ASK, size=2)
    assert lease(project, ada, ASK, size=4) == first
    assert Assignment.objects.count() == 1


def test_a_worker_gets_a_new_assignment_after_the_held_one_ended() -> None:
    project = project_of(*many(8))
    ada = worker(project, "ada")
    returned = lease(project, ada, ASK, size=2)
    return_assignment(assignment_id=returned.id, worker_id=ada.id)
    again = lease(project, ada, ASK, size=2)
    assert again != returned and again.questions == returned.questions
    submit(again, 1, 1)
    assert not set(lease(project, ada, ASK, size=2).questions) & set(again.questions)


def test_an_expired_lease_is_returned_while_nobody_else_has_its_questions() -> None:
    project = project_of(*many(8))
    ada = worker(project, "ada")
    first = lease(project, ada, ASK, size=2)
    after = first.expires_at + timedelta(hours=1)
    for sweep in (False, True):
        if sweep:
            expire_assignments(now=after)
        again = lease(project, ada, ASK, size=2, now=after)
        assert (again, again.state, again.expires_at > after) == (first, "active", True)
        assert list(again.held.order_by("id").values_list("id", flat=True)) == first.questions
        after = again.expires_at


def test_an_expired_lease_is_not_returned_once_others_have_some_of_its_questions() -> None:
    project = project_of(*many(8))
    ada, bob = worker(project, "ada"), worker(project, "bob")
    first = lease(project, ada, ASK, size=2)
    after = first.expires_at + timedelta(seconds=1)
    expire_assignments(now=after)
    taken = lease(project, bob, ASK, size=1, now=after)
    again = lease(project, ada, ASK, size=2, now=after)
    assert again != first and not set(again.questions) & set(taken.questions)
    first.refresh_from_db()
    assert first.state == "expired"


@pytest.mark.parametrize("swept", [True, False])
def test_a_lease_that_expired_long_ago_is_not_returned(*, swept: bool) -> None:
    project = project_of(*many(8))
    ada = worker(project, "ada")
    first = lease(project, ada, ASK, size=2)
    after = first.expires_at + timedelta(hours=25)
    if swept:
        expire_assignments(now=after)
    assert lease(project, ada, ASK, size=2, now=after) != first
    first.refresh_from_db()
    assert first.state == "expired"


def test_a_question_that_a_worker_skipped_is_not_given_to_them_again() -> None:
    project = project_of(*many(3))
    ada = worker(project, "ada")
    first = lease(project, ada, ASK, size=1)
    submit_assignment(assignment_id=first.id, worker_id=ada.id, answers=[Skipped("unclear")])
    assert first.questions[0] not in lease(project, ada, ASK).questions
    assert lease(project, worker(project, "bob"), ASK).questions == first.questions


def test_a_full_assignment_pays_its_reward_and_a_smaller_one_its_share() -> None:
    paid = ProtocolSettings(reward_cents={**ProtocolSettings().reward_cents, ASK: 25})
    project = project_of(*many(13), settings=paid)
    assert lease(project, worker(project, "ada"), ASK).reward_cents == 25
    assert lease(project, worker(project, "bob"), ASK).reward_cents == 8  # 7.5, rounded half up


def test_the_lease_lasts_as_long_as_the_settings_say() -> None:
    project = project_of(*many(1), settings=ProtocolSettings(lease_minutes=7.5))
    now = timezone.now()
    assert lease(project, worker(project, "ada"), ASK, now=now).expires_at == now + timedelta(minutes=7.5)


def test_a_worker_without_access_to_the_task_is_refused() -> None:
    project, other = project_of(*many(1)), project_of(*many(1), name="other")
    ada = worker(project, "ada", Task.BOX_DRAWING)
    worker(other, "ada", ASK)
    with pytest.raises(NoAccessError, match="no access to this task"):
        lease_assignment(project_id=project.id, worker_id=ada.id, task=ASK)
    assert lease_assignment(project_id=other.id, worker_id=ada.id, task=ASK) is not None


def test_without_open_questions_there_is_no_assignment() -> None:
    project = project_of(*many(1))
    ada, bob = worker(project, "ada"), worker(project, "bob")
    assert lease_assignment(project_id=project.id, worker_id=ada.id, task=Task.BOX_DRAWING) is None
    lease(project, ada, ASK)
    assert lease_assignment(project_id=project.id, worker_id=bob.id, task=ASK) is None
    assert Assignment.objects.count() == 1


def test_nobody_is_asked_the_same_question_twice() -> None:
    project = project_of(*many(1))
    ada, bob = worker(project, "ada"), worker(project, "bob")
    answer(project, ada, ASK, 3)  # a vote for no box: one more is asked
    assert lease_assignment(project_id=project.id, worker_id=ada.id, task=ASK) is None
    assert lease(project, bob, ASK).questions == [Question.objects.get().id]


def test_a_barred_worker_still_finds_the_questions_behind_many_that_are_barred() -> None:
    project = project_of(*many(60))
    ada = worker(project, "ada")
    ids = list(Question.objects.order_by("id").values_list("id", flat=True))
    Question.objects.filter(id__in=ids[:55]).update(barred=[ada.id], barred_count=1)
    assert lease(project, ada, ASK, size=3).questions == ids[55:58]


def test_images_without_pixels_are_leased_to_virtual_workers_only() -> None:
    project = project_of(*many(2), pictures=False)
    for kind in (Worker.Kind.PERSON, Worker.Kind.PROGRAM):
        someone = worker(project, str(kind), kind=kind)
        assert lease_assignment(project_id=project.id, worker_id=someone.id, task=ASK) is None
    virtual = worker(project, "virtual", kind=Worker.Kind.VIRTUAL)
    assert len(lease(project, virtual, ASK).questions) == 2


def test_only_questions_of_the_project_are_leased() -> None:
    project, other = project_of(*many(2)), project_of(*many(2), name="other")
    ada = worker(project, "ada")
    worker(other, "ada")
    assert set(lease(other, ada, ASK).questions) == set(other.questions.values_list("id", flat=True))
