"""Sweeps that virtual workers answer."""

import pytest
from django.db.models import Sum

from annotation.models import Image
from belief.links.link_seconds import LINK_SECONDS
from pipeline.models import Judgment
from pipeline.protocol.tasks.task import Task
from pipeline.record.replay import replay
from pipeline.settings.policy_names import LinkStrategy
from pipeline.settings.settings import Settings
from projects.quality.program_work import seconds_of_people
from simulation.score import score
from simulation.simulate import load_gold, simulate
from tests.support.projects import phrases, project_of


@pytest.mark.django_db
def test_virtual_workers_answer_sweeps_which_take_their_seconds_and_are_one_judgment_each() -> None:
    texts = ("a man", "a boy", "the man", "he", "the boy", "someone")
    image = phrases(*(f"people: {text}" for text in texts), chains=["man", "boy", "man", "man", "boy", "girl"])
    settings = Settings(strategy=LinkStrategy.ADAPTIVE, sweeps=True)
    project = project_of(image, name="men", gold=True, pictures=False, settings=settings)
    outcome = simulate(project=project, crowd="perfect")
    links = Judgment.objects.filter(question__task=Task.COREFERENCE_LINK.value)
    rows = list(links.values_list("seconds", "question__subject"))
    assert any(len(subject) > 2 for _, subject in rows)
    assert [seconds for seconds, _ in rows] == [LINK_SECONDS.of(len(subject) - 1) for _, subject in rows]
    assert outcome.worker_seconds == pytest.approx(Judgment.objects.aggregate(all=Sum("seconds"))["all"])
    assert seconds_of_people(project.pk)[Task.COREFERENCE_LINK] == LINK_SECONDS.pair
    assert score(project, load_gold(project)).links.judgments == len(rows)
    assert set(Image.objects.values_list("state", flat=True)) == {"merged"} and list(replay(project)) == []
