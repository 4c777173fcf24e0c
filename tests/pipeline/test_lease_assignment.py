from datetime import timedelta

import pytest
from django.utils import timezone

from pipeline.end_assignment import return_assignment
from pipeline.errors import NoAccessError
from pipeline.lease_assignment import lease_assignment
from pipeline.models import Assignment, Question
from pipeline.rules.settings import BATCH, ProtocolSettings
from pipeline.rules.task import Task
from tests.support.projects import answer, lease, phrases, project_of, submit, worker
from workers.models import Worker

pytestmark = pytest.mark.django_db

ASK = Task.BOX_REQUIREMENT


def many(count: int):
    """Images that open one question of box requirement each."""
    return [phrases("animals: a dog", name=str(number)) for number in range(count)]


def test_it_leases_the_oldest_questions_first() -> None:
    project = project_of(*many(7))
    oldest = list(Question.objects.order_by("opened_at", "id").values_list("id", flat=True))
    first = lease(project, worker(project, "ada"), ASK, size=3)
    second = lease(project, worker(project, "bob"), ASK, size=3)
    assert (first.questions, second.questions) == (oldest[:3], oldest[3:6])
    assert [Question.objects.get(id=q).assignment_id for q in oldest] == [first.id] * 3 + [second.id] * 3 + [None]


def test_it_gives_the_number_of_questions_that_the_settings_say() -> None:
    project = project_of(*many(BATCH[ASK] + 2))
    assert len(lease(project, worker(project, "ada"), ASK).questions) == BATCH[ASK]
    small = project_of(*many(5), name="other", settings=ProtocolSettings(batch={**ProtocolSettings().batch, ASK: 2}))
    assert len(lease(small, worker(small, "ada"), ASK).questions) == 2


def test_it_gives_the_assignment_that_the_worker_holds_again() -> None:
    project = project_of(*many(8))
    ada = worker(project, "ada")
    first = lease(project, ada, ASK, size=2)
    assert lease(project, ada, ASK, size=4) == first
    assert Assignment.objects.count() == 1


def test_it_gives_a_new_assignment_after_the_held_one_ended() -> None:
    project = project_of(*many(8))
    ada = worker(project, "ada")
    returned = lease(project, ada, ASK, size=2)
    return_assignment(assignment_id=returned.id, worker_id=ada.id)
    again = lease(project, ada, ASK, size=2)
    assert again != returned and again.questions == returned.questions
    submit(again, 1, 1)
    assert not set(lease(project, ada, ASK, size=2).questions) & set(again.questions)


def test_a_held_assignment_whose_time_ran_out_is_not_given_again() -> None:
    project = project_of(*many(8))
    ada = worker(project, "ada")
    first = lease(project, ada, ASK, size=2)
    after = first.expires_at + timedelta(seconds=1)
    assert lease(project, ada, ASK, size=2, now=first.expires_at - timedelta(seconds=1)) == first
    assert lease(project, ada, ASK, size=2, now=after) != first


def test_the_lease_lasts_as_long_as_the_settings_say() -> None:
    project = project_of(*many(1), settings=ProtocolSettings(lease_minutes=7.5))
    now = timezone.now()
    assert lease(project, worker(project, "ada"), ASK, now=now).expires_at == now + timedelta(minutes=7.5)


def test_a_worker_without_access_to_the_task_is_refused() -> None:
    project, other = project_of(*many(1)), project_of(*many(1), name="other")
    ada = worker(project, "ada", Task.BOX_DRAWING)
    worker(other, "ada", ASK)
    with pytest.raises(NoAccessError, match="no access to this task"):
        lease_assignment(project_id=project.id, worker=ada, task=ASK)
    assert lease_assignment(project_id=other.id, worker=ada, task=ASK) is not None


def test_nothing_open_gives_nothing() -> None:
    project = project_of(*many(1))
    ada, bob = worker(project, "ada"), worker(project, "bob")
    assert lease_assignment(project_id=project.id, worker=ada, task=Task.BOX_DRAWING) is None
    lease(project, ada, ASK)
    assert lease_assignment(project_id=project.id, worker=bob, task=ASK) is None
    assert Assignment.objects.count() == 1


def test_nobody_is_asked_the_same_question_twice() -> None:
    project = project_of(*many(1))
    ada, bob = worker(project, "ada"), worker(project, "bob")
    answer(project, ada, ASK, 3)  # a vote for no box: one more is asked
    assert lease_assignment(project_id=project.id, worker=ada, task=ASK) is None
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
        assert lease_assignment(project_id=project.id, worker=someone, task=ASK) is None
    virtual = worker(project, "virtual", kind=Worker.Kind.VIRTUAL)
    assert len(lease(project, virtual, ASK).questions) == 2


def test_only_questions_of_the_project_are_leased() -> None:
    project, other = project_of(*many(2)), project_of(*many(2), name="other")
    ada = worker(project, "ada")
    worker(other, "ada")
    assert set(lease(other, ada, ASK).questions) == set(other.questions.values_list("id", flat=True))
