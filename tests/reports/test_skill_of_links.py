"""A project that links adaptively weighs a spammer's answers down by itself: without gold, command or setting."""

import random
from collections.abc import Iterator
from statistics import fmean

import pytest
from django.conf import settings as django_settings

from annotation.models import Project
from config.celery import app
from pipeline.asking.lease_assignment import lease_assignment
from pipeline.models import Entry, Question
from pipeline.record.replay import replay
from pipeline.rules.linking.adaptive.answer_model import Heard, weigh
from pipeline.rules.linking.link_strategy import Strategy
from pipeline.rules.settings.protocol import ProtocolSettings
from pipeline.rules.tasks.task import Task
from pipeline.tick import tick
from reports.jobs import look_at_workers_job
from tests.support.projects import phrases, project_of, submit, worker
from workers.models import SkillEstimate, Worker

pytestmark = pytest.mark.django_db

LINK = Task.COREFERENCE_LINK
WORDS = ("a man", "the man", "a player", "the player")
IMAGES = 100


def project() -> Project:
    """Return a project with the default settings, but that it links adaptively."""
    images = [phrases(*(f"people: {one}" for one in WORDS), name=str(one)) for one in range(IMAGES)]
    return project_of(*images, settings=ProtocolSettings(strategy=Strategy.ADAPTIVE))


def truth(question: int) -> str:
    """The first two phrases of an image are one man, the other two another."""
    first, second = Question.objects.get(id=question).subject
    return "same" if first // 2 == second // 2 else "different"


def turns(made: Project, honest: list[Worker], spammer: Worker) -> Iterator[Worker]:
    """Let everybody answer four links in turn; the honest err in one of twenty, the spammer tosses a coin."""
    lot = random.Random(3)
    while True:
        for who in (*honest, spammer):
            mine = lease_assignment(project_id=made.pk, worker_id=who.pk, task=LINK, size=4)
            if mine is None:
                return
            right = 0.5 if who == spammer else 0.95
            other = {"same": "different", "different": "same"}
            said = [truth(one) if lot.random() < right else other[truth(one)] for one in mine.questions]
            submit(mine, *said)
            tick(project_id=made.pk)
            yield who


def shifts(who: Worker) -> list[float]:
    """Return the shifts of the worker's judgments in the record, the oldest first."""
    rows = Entry.objects.filter(kind="judgment", judgment__worker=who).order_by("id")
    return [data.get("shift", 0.0) for data in rows.values_list("data", flat=True)]


@pytest.mark.slow
def test_after_the_hourly_look_a_spammer_s_answers_weigh_less_than_those_of_the_others() -> None:
    made = project()
    honest, spammer = [worker(made, f"honest-{one}", LINK) for one in range(4)], worker(made, "spammer", LINK)
    at_work = turns(made, honest, spammer)
    for _ in range(80):
        next(at_work)
    assert not SkillEstimate.objects.exists() and set(shifts(spammer)) == {0.0}
    look_at_workers_job()
    for _ in range(5):
        next(at_work)
    of_spammer, of_honest = shifts(spammer)[-1], [shifts(one)[-1] for one in honest]
    assert of_spammer > 0.8 and of_spammer > max(of_honest) + 0.4
    assert fmean(of_honest) < 0.4, "other links check the answers to easy links, too"
    heeded, ignored = (weigh((Heard(True, shift),)).ratio for shift in (max(of_honest), of_spammer))
    assert 0 < ignored < 0.85 * heeded
    assert list(replay(made)) == []


def test_the_look_is_taken_every_hour_by_celery_s_clock() -> None:
    names = {entry["task"]: entry["schedule"] for entry in app.conf.beat_schedule.values()}
    assert names["reports.look_at_workers"] == django_settings.LOOK_SECONDS == 3600
