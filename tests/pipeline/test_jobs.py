"""Jobs in a real worker process, on real PostgreSQL and Redis."""

from pathlib import Path

import pytest

from annotation.models import Image
from pipeline.jobs import advance_questions_job, merge_images_job, schedule_links_job, tick_job
from pipeline.models import Question
from pipeline.replay import replay
from pipeline.rules.task import Task
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
        advance_questions_job()
    assert Image.objects.get().state == "boxing"
    merge_images_job()
    assert Image.objects.get().state == "merged"


@pytest.mark.services
def test_a_worker_process_folds_answers_and_merges(celery_worker_process: Path) -> None:
    project = project_of(phrases("animals: a dog", "animals: a cat"))
    submit(lease(project, worker(project, "ada"), LINK), "different")
    assert states(project) == ["answered"]
    schedule_links_job.delay()
    log = celery_worker_process.read_text
    assert wait_until(lambda: states(project) == ["closed", "open", "open"], seconds=30), log()
    for name in ("ada", "bob"):
        submit(lease(project, worker(project, name), ASK), 3, 3)
        for _ in range(3):  # safe to run at once and too often
            advance_questions_job.delay()
        assert wait_until(lambda: not Question.objects.filter(state="answered").exists(), seconds=30), log()
    tick_job.delay()
    assert wait_until(lambda: Image.objects.get().state == "merged", seconds=30), log()
    assert list(replay(project)) == []
