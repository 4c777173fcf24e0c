"""Jobs in a real worker process, on real PostgreSQL and Redis."""

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.core.cache import cache

from annotation.models import Box, Chain, Image, Mention, MergedBox
from pipeline.jobs import advance_questions_job, enqueue_questions, schedule_links_job, tick_job
from pipeline.models import Assignment, Entry, Judgment, Progress, Question, Transition
from pipeline.protocol.tasks.task import Task
from pipeline.record.apply_judgments import AFTER_LINKING, LINKS, apply_judgments
from pipeline.record.due_images import start_images
from pipeline.record.read_record import replay
from pipeline.settings.of_belief import LinkStrategy
from pipeline.settings.settings import Settings
from pipeline.tick import tick
from tests.support.projects import answer, box, lease, phrases, project_of, states, submit, worker
from tests.support.services import wait_until
from tests.support.table import case

pytestmark = pytest.mark.django_db

ASK, LINK = Task.BOX_REQUIREMENT, Task.COREFERENCE_LINK
DRAW = Task.BOX_DRAWING


def test_each_job_calls_its_verb_and_the_one_that_settles_an_image_merges_it() -> None:
    project = project_of(phrases("animals: a dog", "animals: a cat"))
    submit(lease(project, worker(project, "ada"), LINK), "different")
    advance_questions_job()
    assert states(project) == ["answered"]
    schedule_links_job()
    assert states(project) == ["closed", "open", "open"]
    for name in ("ada", "bob"):
        submit(lease(project, worker(project, name), ASK), 3, 3)
        apply_judgments(AFTER_LINKING)
    assert Image.objects.get().state == "boxing"
    tick_job()
    assert Image.objects.get().state == "merged"
    project = project_of(phrases("animals: a dog"), name="other")
    for name in ("ada", "bob"):
        submit(lease(project, worker(project, name), ASK), 3)
        advance_questions_job(project.id)
    assert project.images.get().state == "merged"


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, Any]]:
    """The jobs that were started, which do not run, and their projects. A round folds one image, and is the last."""
    started: list[tuple[str, Any]] = []
    for job in (schedule_links_job, advance_questions_job):
        record = lambda args=(None,), *_, job=job, **__: started.append((job.name, *args))  # noqa: E731
        monkeypatch.setattr(job, "apply_async", record)
    monkeypatch.setattr("pipeline.jobs.ROUNDS", 1)
    monkeypatch.setattr("pipeline.record.apply_judgments.PAIRS_AT_ONCE", 1)
    cache.clear()
    return started


@pytest.mark.django_db(transaction=True)
def test_a_hint_starts_the_job_of_its_task_and_its_project_only(started: list[tuple[str, Any]]) -> None:
    for task in (LINK, LINK, ASK):
        enqueue_questions(task, 7)
    enqueue_questions(ASK, 8)
    wanted = [("pipeline.schedule_links", 7), ("pipeline.advance_questions", 7), ("pipeline.advance_questions", 8)]
    assert started == wanted  # the second hint about links found the first one waiting


@pytest.mark.django_db(transaction=True)
@case("boxes", advance_questions_job, ASK, ("animals: a dog",), 1)
@case("links", schedule_links_job, LINK, ("animals: a dog", "animals: a cat"), "same")
def test_a_job_and_a_tick_give_way_to_others_while_answers_go_on_coming(job: Any, task: Task, captions, said, started):
    project = project_of(*(phrases(*captions, name=str(number)) for number in range(3)))
    submit(lease(project, worker(project, "ada"), task), said, said, said)
    job(project.id)
    assert states(project, task).count("answered") == 2 and started == [(job.name, project.id)]
    cache.clear()  # that job has begun
    tick_job()
    assert states(project, task).count("answered") == 1
    assert [name for name, _ in started[1:]] == ["pipeline.schedule_links", "pipeline.advance_questions"]
    del started[:]
    job(project.id)
    assert "answered" not in states(project, task) and started == [], "nothing waits"


@pytest.mark.django_db(transaction=True)
def test_a_job_that_fails_does_not_fail_the_answers_that_hinted_at_it(monkeypatch: Any, caplog: Any):
    def no_broker(*_: object, **__: object) -> None:
        raise ConnectionError("no broker")

    monkeypatch.setattr(advance_questions_job, "apply_async", no_broker)
    cache.clear()
    enqueue_questions(ASK, 7)
    assert "no broker" in caplog.text


@pytest.mark.django_db(transaction=True)
def test_a_hint_given_while_the_job_runs_starts_another_one() -> None:
    project = project_of(phrases("animals: a dog", "animals: a cat"))
    cache.clear()
    for task, answers, left in ((LINK, ["different"], ["closed", "open", "open"]), (ASK, [1, 1], ["closed"] * 3)):
        submit(lease(project, worker(project, "ada"), task), *answers)
        enqueue_questions(task, project.id)
        assert states(project)[: len(left)] == left


@pytest.mark.slow
@pytest.mark.smoke
@pytest.mark.services
def test_a_worker_process_folds_answers_and_merges(celery_worker_process: Path) -> None:
    project = project_of(phrases("animals: a dog", "animals: a cat"))
    submit(lease(project, worker(project, "ada"), LINK), "different")
    assert states(project) == ["answered"]
    schedule_links_job.delay()
    log = celery_worker_process.read_text
    assert wait_until(lambda: states(project) == ["closed", "open", "open"]), log()
    for name in ("ada", "bob"):
        submit(lease(project, worker(project, name), ASK), 3, 3)
        for _ in range(3):  # safe to run at once and too often
            advance_questions_job.delay()
        assert wait_until(lambda: not Question.objects.filter(state="answered").exists()), log()
    tick_job.delay()
    assert wait_until(lambda: Image.objects.get().state == "merged"), log()
    assert list(replay(project)) == []


def everything() -> list[Any]:
    tables = (Image, Chain, Box, Mention, MergedBox, Question, Assignment, Progress, Entry, Transition, Judgment)
    return [sorted(map(repr, table.objects.values_list())) for table in tables]


def test_ticking_again_changes_nothing_at_any_moment() -> None:
    project = project_of(phrases("people: a man", "people: a boy"))
    people = [worker(project, name) for name in ("ada", "bob", "cleo", "dan", "eve")]
    answers: list[tuple[Task, Any]] = [
        (LINK, "same"), (Task.CHAIN_VERIFICATION, "true"), (DRAW, box(1, 1, 50, 50)), (Task.BOX_QUALITY, "good"),
        (Task.BOX_COVERAGE, "all there"), (Task.BOX_COVERAGE, "all there"),
    ]  # fmt: skip
    for number, (task, said) in enumerate(answers):
        submit(lease(project, people[number % 5], task), said)
        tick(project_id=project.id)
        before = everything()
        tick(project_id=project.id)
        tick()
        assert everything() == before, f"after {task}"
    assert Image.objects.get().state == "merged" and list(replay(project)) == []


def test_a_tick_brings_expired_work_back_and_one_of_a_project_leaves_the_others_alone() -> None:
    project, other = project_of(phrases("animals: a dog")), project_of(phrases("animals: a dog"), name="other")
    submit(lease(other, worker(other, "ada"), ASK), 1)
    tick(project_id=project.id)
    assert states(other) == ["answered"]
    tick()
    assert states(other) == ["closed", "open"]
    held = lease(project, worker(project, "ada"), ASK)
    tick(now=held.expires_at + timedelta(seconds=1))
    assert Assignment.objects.get(id=held.id).state == "expired"
    assert project.questions.get().assignment_id is None


@pytest.mark.both_engines
def test_images_begin_as_links_are_answered_so_that_some_are_finished_before_others_begin(monkeypatch: Any):
    monkeypatch.setattr("pipeline.record.due_images.AHEAD", 2)
    monkeypatch.setattr("pipeline.record.apply_judgments.PAIRS_AT_ONCE", 4)  # a transaction begins one image
    images = [phrases("people: a man", "people: a boy", name=str(number)) for number in range(4)]
    project = project_of(*images)
    assert states(project, LINK) == ["open", "open"]
    tick(project_id=project.id)
    assert states(project, LINK) == ["open", "open"], "enough is open"
    answer(project, worker(project, "ann"), LINK, "different")
    assert states(project, LINK) == ["closed", "open", "open"]
    unseen = project_of(*images, name="unseen", pictures=False)
    assert len(states(unseen, LINK)) == 4, "questions that nobody can be shown hold nothing up"
    for most_informative_first, begun in ((False, 2), (True, 4)):
        settings = Settings(strategy=LinkStrategy.ADAPTIVE, most_informative_first=most_informative_first)
        adaptive = project_of(*images, name=f"adaptive-{begun}", settings=settings)
        assert len(states(adaptive, LINK)) == begun, "the most telling links are sought in all images"


def test_no_image_begins_while_enough_answers_wait_to_be_folded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pipeline.record.due_images.AHEAD", 2)
    monkeypatch.setattr("pipeline.record.apply_judgments.PAIRS_AT_ONCE", 4)  # a transaction takes one image
    project = project_of(*(phrases("people: a man", "people: a boy", name=str(number)) for number in range(8)))
    submit(lease(project, worker(project, "ada"), LINK), "different", "different")
    assert start_images(project_id=project.id) == 0
    assert states(project, LINK) == ["answered"] * 2, "the runners are behind: more questions would wait, too"
    assert apply_judgments(LINKS, project_id=project.id).judgments == 2 and start_images(project_id=project.id) == 2
    assert states(project, LINK) == ["closed", "closed", "open", "open"]
