"""Jobs in a real worker process, on real PostgreSQL and Redis."""

from pathlib import Path
from typing import Any

import pytest
from django.core.cache import cache

from annotation.models import Image
from pipeline.jobs import advance_questions_job, hint, schedule_links_job, tick_job
from pipeline.models import Question
from pipeline.record.fold_judgments import AFTER_LINKING, fold_judgments
from pipeline.record.replay import replay
from pipeline.rules.tasks.task import Task
from tests.support.projects import lease, phrases, project_of, states, submit, worker
from tests.support.services import wait_until

ASK, LINK = Task.BOX_REQUIREMENT, Task.COREFERENCE_LINK


@pytest.mark.django_db
def test_each_job_calls_its_verb() -> None:
    project = project_of(phrases("animals: a dog", "animals: a cat"))
    submit(lease(project, worker(project, "ada"), LINK), "different")
    advance_questions_job()
    assert states(project) == ["answered"]
    schedule_links_job()
    assert states(project) == ["closed", "open", "open"]
    for name in ("ada", "bob"):
        submit(lease(project, worker(project, name), ASK), 3, 3)
        fold_judgments(AFTER_LINKING)
    assert Image.objects.get().state == "boxing"
    tick_job()
    assert Image.objects.get().state == "merged"


@pytest.mark.django_db
def test_the_job_that_settles_an_image_merges_it() -> None:
    project = project_of(phrases("animals: a dog"))
    for name in ("ada", "bob"):
        submit(lease(project, worker(project, name), ASK), 3)
        advance_questions_job(project.id)
    assert Image.objects.get().state == "merged"


@pytest.mark.django_db(transaction=True)
def test_a_hint_starts_the_job_of_its_task_and_its_project_only(monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[tuple[str, int]] = []
    for job in (schedule_links_job, advance_questions_job):
        monkeypatch.setattr(job, "apply_async", lambda args, *_, job=job, **__: started.append((job.name, args[0])))
    cache.clear()
    for task in (LINK, LINK, ASK):
        hint(task, 7)
    hint(ASK, 8)
    wanted = [("pipeline.schedule_links", 7), ("pipeline.advance_questions", 7), ("pipeline.advance_questions", 8)]
    assert started == wanted  # the second hint about links found the first one waiting


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    ("job", "task", "captions", "said"),
    [
        (advance_questions_job, ASK, ("animals: a dog",), 1),
        (schedule_links_job, LINK, ("animals: a dog", "animals: a cat"), "same"),
    ],
    ids=["boxes", "links"],
)
def test_a_job_gives_way_to_others_while_answers_go_on_coming(
    job: Any, task: Task, captions: tuple[str, ...], said: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    started = list[int]()
    monkeypatch.setattr(job, "apply_async", lambda args, *_, **__: started.append(args[0]))
    monkeypatch.setattr("pipeline.jobs.ROUNDS", 1)
    monkeypatch.setattr("pipeline.record.fold_judgments.PAIRS_AT_ONCE", 1)  # a round folds one image
    cache.clear()
    project = project_of(phrases(*captions), phrases(*captions, name="2"))
    submit(lease(project, worker(project, "ada"), task), said, said)
    job(project.id)
    assert states(project, task).count("answered") == 1 and started == [project.id]
    job(project.id)
    assert "answered" not in states(project, task) and started == [project.id], "nothing waits"


@pytest.mark.django_db(transaction=True)
def test_a_sweep_that_leaves_answers_leaves_them_to_the_jobs(monkeypatch: pytest.MonkeyPatch) -> None:
    started = list[str]()
    for job in (schedule_links_job, advance_questions_job):
        monkeypatch.setattr(job, "apply_async", lambda args, *_, job=job, **__: started.append(job.name))
    monkeypatch.setattr("pipeline.jobs.ROUNDS", 1)
    monkeypatch.setattr("pipeline.record.fold_judgments.PAIRS_AT_ONCE", 1)  # a round folds one image
    cache.clear()
    project = project_of(phrases("animals: a dog"), phrases("animals: a cat", name="2"))
    submit(lease(project, worker(project, "ada"), ASK), 1, 1)
    tick_job()
    assert states(project, ASK).count("answered") == 1
    assert started == ["pipeline.schedule_links", "pipeline.advance_questions"]


@pytest.mark.django_db(transaction=True)
def test_a_job_that_fails_does_not_fail_the_answers_that_hinted_at_it(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def no_broker(*_: object, **__: object) -> None:
        raise ConnectionError("no broker")

    monkeypatch.setattr(advance_questions_job, "apply_async", no_broker)
    cache.clear()
    hint(ASK, 7)
    assert "no broker" in caplog.text


@pytest.mark.django_db(transaction=True)
def test_a_hint_given_while_the_job_runs_starts_another_one() -> None:
    project = project_of(phrases("animals: a dog", "animals: a cat"))
    cache.clear()
    for name, answer, left in (("ada", "different", ["closed", "open", "open"]),):
        submit(lease(project, worker(project, name), LINK), answer)
        hint(LINK, project.id)
        assert states(project) == left
    submit(lease(project, worker(project, "ada"), ASK), 1, 1)
    hint(ASK, project.id)
    assert "answered" not in states(project)


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
