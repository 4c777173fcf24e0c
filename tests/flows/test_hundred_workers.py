"""A hundred workers at once on twenty-five open questions, over HTTP, against the processes that run on a server."""

import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from django.db import connection

from annotation.models import Image
from pipeline.models import Assignment, Judgment, Question
from pipeline.protocol.tasks.task import Task
from pipeline.record.read_record import replay
from pipeline.settings.settings import Settings
from studies.http_load.http_workers import Connection
from studies.http_load.measure import admit
from studies.http_load.running_service import running
from tests.support.projects import phrases, project_of
from tests.support.services import wait_until

pytestmark = [pytest.mark.services, pytest.mark.django_db(transaction=True)]

WORKERS, QUESTIONS = 100, 25
ASK = Task.BOX_REQUIREMENT.value
SMALL = Settings(batch={**Settings().batch, ASK: 3})
PAUSE = 4.0
"""Seconds before a worker who found nothing open asks again."""
VOTES_NEEDED = 2
"""Judgments that settle a question if every worker says that no box can be drawn."""


@pytest.mark.slow
def test_no_question_gets_more_judgments_than_it_needs_and_no_lease_is_lost(
    real_services: None, tmp_path: Path
) -> None:
    images = [phrases("animals: a dog", name=str(number)) for number in range(QUESTIONS)]
    project = project_of(*images, settings=SMALL)
    with running(tmp_path, web_processes=2) as stack:
        said: Counter[Any] = Counter()
        with ThreadPoolExecutor(WORKERS) as pool:
            list(
                pool.map(lambda bearer: work(stack.ports[0], project.name, bearer, said), admit(project.name, WORKERS))
            )
        connection.close()  # the processes' writes are seen in a new transaction
        merged = Image.objects.filter(state="merged")
        assert wait_until(lambda: merged.count() == QUESTIONS), (tmp_path / "worker.log").read_text()
    votes = Counter(Judgment.objects.values_list("question__image", flat=True))
    assert set(votes.values()) == {VOTES_NEEDED} and len(votes) == QUESTIONS
    assert not Question.objects.exclude(state="closed").exists()
    assert not Assignment.objects.filter(state="active").exists()
    assert said["stored"] == VOTES_NEEDED * QUESTIONS and not said["too late"]
    assert list(replay(project)) == []


def work(port: int, project: str, bearer: str, said: Counter[Any]) -> None:
    """Ask and answer until everything is finished. Raises for any response that is not a success."""
    with Connection(port, bearer) as link:
        while True:
            _, given = link.post(f"projects/{project}/assignments/", {"task": ASK})
            if given["assignment"] is None:
                if "finished" in given["message"] and f"{QUESTIONS} images" in given["message"]:
                    return
                if "Only other people" in given["message"]:
                    return
                time.sleep(PAUSE)
                continue
            answers = [{"answer": 3, "seconds": 1.0}] * len(given["assignment"]["questions"])
            _, receipt = link.post(f"assignments/{given['assignment']['token']}/submit/", {"answers": answers})
            said["stored"] += receipt["stored"]
            said["too late"] += receipt["too_late"]
