from dataclasses import replace
from datetime import datetime, timedelta
from uuid import uuid4

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from annotation.models import Project
from exchange.dataset import DatasetImage
from pipeline.asking.draw_items import NEXT_IN_TURN, FreeQuestions
from pipeline.asking.end_lease import expire_assignments, return_assignment
from pipeline.asking.keep_lease import keep_lease
from pipeline.asking.lease_assignment import lease_assignment
from pipeline.asking.receipt import Skipped
from pipeline.asking.submit_assignment import submit_assignment
from pipeline.errors import NoAccessError, NoSuchAssignmentError, NotYoursError
from pipeline.models import Assignment, Question
from pipeline.project.settings_versions import change_settings
from pipeline.protocol.tasks.task import Task
from pipeline.record.read_record import replay
from pipeline.settings.of_belief import LinkStrategy
from pipeline.settings.settings import Settings
from pipeline.settings.table_3 import BATCH
from pipeline.tick import tick
from tests.support.projects import lease, phrases, project_of, submit, worker
from workers.models import Worker

pytestmark = [pytest.mark.both_engines, pytest.mark.smoke, pytest.mark.django_db]

ASK = Task.BOX_REQUIREMENT
LINK = Task.COREFERENCE_LINK
ADAPTIVE = Settings(strategy=LinkStrategy.ADAPTIVE, link_stop=0.02, reask_rate=0.0)
WORDS = ("a man", "the man", "a tall man", "a player", "someone")


def many(count: int):
    """Images that open one question of box requirement each."""
    return [phrases("animals: a dog", name=str(number)) for number in range(count)]


def of_ada(count: int) -> tuple[Project, Worker]:
    project = project_of(*many(count))
    return project, worker(project, "ada")


def test_the_oldest_questions_are_leased_first() -> None:
    project = project_of(*many(7))
    oldest = list(Question.objects.order_by("opened_at", "id").values_list("id", flat=True))
    first = lease(project, worker(project, "ada"), ASK, size=3)
    second = lease(project, worker(project, "bob"), ASK, size=3)
    assert (first.questions, second.questions) == (oldest[:3], oldest[3:6])
    assert [Question.objects.get(id=q).assignment_id for q in oldest] == [first.id] * 3 + [second.id] * 3 + [None]


def test_an_assignment_has_as_many_questions_and_lasts_as_long_as_the_settings_say() -> None:
    project, now = project_of(*many(BATCH[ASK] + 2)), timezone.now()
    assert len(lease(project, worker(project, "ada"), ASK).questions) == BATCH[ASK]
    settings = Settings(batch={**Settings().batch, ASK: 2}, lease_minutes=7.5)
    small = project_of(*many(5), name="other", settings=settings)
    given = lease(small, worker(small, "ada"), ASK, now=now)
    assert (len(given.questions), given.expires_at) == (2, now + timedelta(minutes=7.5))


def test_asking_again_returns_the_assignment_that_the_worker_holds_and_a_new_one_after_it_ended() -> None:
    project, ada = of_ada(8)
    returned = lease(project, ada, ASK, size=2)
    assert lease(project, ada, ASK, size=4) == returned and Assignment.objects.count() == 1
    return_assignment(assignment_id=returned.id, worker_id=ada.id)
    again = lease(project, ada, ASK, size=2)
    assert again != returned and again.questions == returned.questions
    submit(again, 1, 1)
    assert not set(lease(project, ada, ASK, size=2).questions) & set(again.questions)


def test_an_expired_lease_is_returned_while_nobody_else_has_its_questions() -> None:
    project, ada = of_ada(8)
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
    taken, again = lease(project, bob, ASK, size=1, now=after), lease(project, ada, ASK, size=2, now=after)
    assert again != first and not set(again.questions) & set(taken.questions)
    assert Assignment.objects.get(id=first.id).state == "expired"


@pytest.mark.parametrize("swept", [True, False])
def test_a_lease_that_expired_long_ago_is_not_returned(*, swept: bool) -> None:
    project, ada = of_ada(8)
    first = lease(project, ada, ASK, size=2)
    after = first.expires_at + timedelta(hours=25)
    if swept:
        expire_assignments(now=after)
    assert lease(project, ada, ASK, size=2, now=after) != first
    assert Assignment.objects.get(id=first.id).state == "expired"


def test_a_question_that_a_worker_skipped_is_not_given_to_them_again() -> None:
    project, ada = of_ada(3)
    first = lease(project, ada, ASK, size=1)
    submit_assignment(assignment_id=first.id, worker_id=ada.id, answers=[Skipped("unclear")])
    assert first.questions[0] not in lease(project, ada, ASK).questions
    assert lease(project, worker(project, "bob"), ASK).questions == first.questions


def test_a_full_assignment_pays_its_reward_and_a_smaller_one_its_share() -> None:
    paid = Settings(reward_cents={**Settings().reward_cents, ASK: 25})
    project = project_of(*many(13), settings=paid)
    assert lease(project, worker(project, "ada"), ASK).reward_cents == 25
    assert lease(project, worker(project, "bob"), ASK).reward_cents == 8  # 7.5, rounded half up


def test_a_worker_without_access_to_the_task_is_refused_and_gets_questions_of_their_project_only() -> None:
    project, other = project_of(*many(1)), project_of(*many(1), name="other")
    ada = worker(project, "ada", Task.BOX_DRAWING)
    worker(other, "ada", ASK)
    with pytest.raises(NoAccessError, match="no access to this task"):
        lease_assignment(project_id=project.id, worker_id=ada.id, task=ASK)
    assert lease(other, ada, ASK).questions == list(other.questions.values_list("id", flat=True))


def test_without_open_questions_there_is_no_assignment_and_nobody_is_asked_the_same_twice() -> None:
    project = project_of(*many(1))
    ada, bob = worker(project, "ada"), worker(project, "bob")
    assert lease_assignment(project_id=project.id, worker_id=ada.id, task=Task.BOX_DRAWING) is None
    held = lease(project, ada, ASK)
    assert lease_assignment(project_id=project.id, worker_id=bob.id, task=ASK) is None
    assert Assignment.objects.count() == 1
    submit(held, 3)  # a vote for no box: one more is asked
    tick(project_id=project.id)
    assert lease_assignment(project_id=project.id, worker_id=ada.id, task=ASK) is None
    assert lease(project, bob, ASK).questions == [Question.objects.get().id]


def test_a_barred_worker_still_finds_the_questions_behind_many_that_are_barred() -> None:
    project, ada = of_ada(60)
    ids = list(Question.objects.order_by("id").values_list("id", flat=True))
    Question.objects.filter(id__in=ids[:55]).update(barred=[ada.id], barred_count=1)
    assert lease(project, ada, ASK, size=3).questions == ids[55:58]


def test_images_without_pixels_are_leased_to_virtual_workers_only() -> None:
    project = project_of(*many(2), pictures=False)
    for kind in (Worker.Kind.PERSON, Worker.Kind.PROGRAM):
        someone = worker(project, str(kind), kind=kind)
        assert lease_assignment(project_id=project.id, worker_id=someone.id, task=ASK) is None
    assert len(lease(project, worker(project, "virtual", kind=Worker.Kind.VIRTUAL), ASK).questions) == 2


def pairs(number: int) -> list[DatasetImage]:
    """Return images of two phrases."""
    return [phrases("people: a man", "people: someone", name=str(one)) for one in range(number)]


def with_values(*values: float, settings: Settings = ADAPTIVE) -> tuple[Project, list[int]]:
    """Return a project whose links have these values, and the ids of the links, the oldest first."""
    project = project_of(*pairs(len(values)), settings=settings)
    ids = list(Question.objects.order_by("id").values_list("id", flat=True))
    assert len(ids) == len(values)
    for number, value in zip(ids, values, strict=True):
        Question.objects.filter(id=number).update(value=value)
    return project, ids


def test_links_are_leased_by_value_and_of_equal_value_the_oldest_first_unless_the_worker_may_not_answer() -> None:
    project, (a, b, c, d, e) = with_values(0.2, 0.9, 0.2, 0.0, 0.5)
    ada, bob, cleo = (worker(project, name) for name in ("ada", "bob", "cleo"))
    free = FreeQuestions(project.id, LINK, ada.id, True)
    assert [number for number, _ in free.window(NEXT_IN_TURN)] == [b, e, a, c, d] and NEXT_IN_TURN == 300
    assert [number for number, _ in free.window(2)] == [b, e], "known questions are mixed among the most telling"
    Question.objects.filter(id=b).update(barred=[cleo.id], barred_count=1)
    assert lease(project, cleo, LINK, size=1).questions == [e]
    assert lease(project, ada, LINK, size=2).questions == [b, a]
    assert lease(project, bob, LINK, size=3).questions == [c, d], "little is better than nothing"


@pytest.mark.parametrize("strategy", [LinkStrategy.GREEDY_PLUS, LinkStrategy.EXHAUSTIVE])
def test_links_of_the_paper_s_strategies_have_no_value_and_go_by_age(strategy: LinkStrategy) -> None:
    project = project_of(*pairs(4), settings=replace(ADAPTIVE, strategy=strategy))
    ids = list(Question.objects.order_by("id").values_list("id", flat=True))
    assert set(Question.objects.values_list("value", flat=True)) == {0.0}
    assert lease(project, worker(project, "ada"), LINK, size=4).questions == ids


def test_the_value_of_a_link_is_kept_with_its_row_through_answers_changes_and_replay() -> None:
    project = project_of(phrases(*(f"people: {one}" for one in WORDS)), settings=ADAPTIVE)
    ada, bob = worker(project, "ada"), worker(project, "bob")
    seen = set()
    for who, said in ((ada, "same"), (bob, "different"), (ada, "same")):
        seen.add(Question.objects.get(state="open").value)
        submit(lease(project, who, LINK, size=1), said)
        tick(project_id=project.id)
        assert list(replay(project)) == []
    assert len(seen) == 3 and min(seen) > 0.02
    change_settings(project_id=project.id, settings=replace(ADAPTIVE, most_informative_first=False))
    submit(lease(project, bob, LINK, size=1), "same")
    tick(project_id=project.id)
    assert Question.objects.get(state="open").value == 0.0 and list(replay(project)) == []


def test_a_stored_value_that_the_record_does_not_make_is_found() -> None:
    project, _ = with_values(0.123)
    assert [one.what for one in replay(project)] == ["questions 0"]


def leased() -> tuple[Project, Assignment]:
    project, ada = of_ada(2)
    return project, lease(project, ada, ASK)


def test_a_returned_assignment_frees_its_questions_once_and_nobody_returns_that_of_another() -> None:
    project, assignment = leased()
    bob = worker(project, "bob")
    with pytest.raises(NotYoursError):
        return_assignment(assignment_id=assignment.id, worker_id=bob.id)
    assert Assignment.objects.get().state == "active"
    assert return_assignment(assignment_id=assignment.id, worker_id=assignment.worker_id)
    assert Assignment.objects.get().state == "returned" and Assignment.objects.get().ended_at is not None
    other = lease(project, bob, ASK)
    assert other.questions == assignment.questions
    assert not return_assignment(assignment_id=assignment.id, worker_id=assignment.worker_id)
    assert set(Question.objects.values_list("assignment_id", flat=True)) == {other.id}


def test_expiry_opens_the_questions_again_keeps_the_row_and_leaves_submitted_work_alone() -> None:
    project, assignment = leased()
    assert expire_assignments(now=assignment.expires_at - timedelta(seconds=1)) == 0
    assert expire_assignments(now=assignment.expires_at) == 1 and Assignment.objects.get().state == "expired"
    other = lease(project, worker(project, "bob"), ASK)
    assert other.questions == assignment.questions
    submit(other, 1, 1)
    assert expire_assignments(now=other.expires_at + timedelta(days=1)) == 0
    assert Assignment.objects.get(id=other.id).state == "submitted"


@pytest.fixture
def held() -> Assignment:
    project = project_of(phrases("people: a man", "people: a boy", "people: two men"))
    return lease(project, worker(project, "ada"), Task.COREFERENCE_LINK)


def keep(held: Assignment, draft: object = None, *, after: timedelta = timedelta(0)) -> tuple[Assignment, list[str]]:
    """Keep the lease so long after it began. Returns the assignment, and the statements that it took."""
    with CaptureQueriesContext(connection) as seen:
        kept = keep_lease(token=held.token, worker_id=held.worker_id, draft=draft, now=held.created_at + after)
    row = Assignment.objects.get(id=held.id)
    assert (kept.state, kept.expires_at) == (row.state, row.expires_at)
    return row, [one["sql"].split()[0] for one in seen.captured_queries]


def test_a_draft_each_ten_seconds_takes_one_statement_and_none_is_written_twice(held: Assignment) -> None:
    row, statements = keep(held, {"entries": [1]}, after=timedelta(seconds=10))
    assert (row.draft, statements) == ({"entries": [1]}, ["UPDATE"])
    row, statements = keep(held, {"entries": [1]}, after=timedelta(seconds=20))
    # The guarded UPDATE matches no row, so the lease is only read.
    assert (row.draft, statements) == ({"entries": [1]}, ["UPDATE", "SELECT"])


def test_work_extends_the_lease_once_that_gains_a_twentieth(held: Assignment) -> None:
    row, _ = keep(held, [1], after=timedelta(seconds=80))
    assert row.expires_at == held.expires_at
    row, statements = keep(held, [2], after=timedelta(seconds=90))
    assert row.expires_at == held.expires_at + timedelta(seconds=90)
    assert (row.draft, statements) == ([2], ["UPDATE", "UPDATE"])
    row, statements = keep(held, after=timedelta(seconds=300))
    assert row.expires_at == held.expires_at + timedelta(seconds=300) and statements == ["SELECT", "UPDATE"]


def test_the_last_seconds_of_the_longest_lease_are_given(held: Assignment) -> None:
    most = held.created_at + timedelta(minutes=120)
    Assignment.objects.update(expires_at=most - timedelta(seconds=1))
    row, _ = keep(held, after=timedelta(minutes=110))
    assert row.expires_at == most and keep(held, after=timedelta(minutes=111))[1] == ["SELECT"]


def test_a_lease_that_has_run_out_is_not_extended_but_its_draft_stored_and_answers_outlast_a_draft(held: Assignment):
    row, _ = keep(held, [1], after=timedelta(minutes=31))
    assert (row.draft, row.expires_at) == ([1], held.expires_at)
    submit(held, "same", "same")
    row, _ = keep(held, [1], after=timedelta(minutes=5))
    assert (row.state, row.draft, row.expires_at) == ("submitted", None, held.expires_at)


def test_nobody_keeps_the_assignment_of_another(held: Assignment) -> None:
    now: datetime = timezone.now()
    for draft in (None, [1]):
        with pytest.raises(NotYoursError):
            keep_lease(token=held.token, worker_id=held.worker_id + 1, draft=draft, now=now)
        with pytest.raises(NoSuchAssignmentError):
            keep_lease(token=uuid4(), worker_id=held.worker_id, draft=draft, now=now)
    assert Assignment.objects.get().draft is None
