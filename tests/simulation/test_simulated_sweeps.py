"""Sweeps that virtual workers answer."""

from dataclasses import replace

import pytest
from django.db.models import Sum

from annotation.models import Image
from belief.learned import LearnedState
from belief.links.link_prior import DEFAULT
from belief.links.link_seconds import LinkSeconds
from pipeline.learning.refit import refit_links
from pipeline.models import Judgment
from pipeline.policies.adaptive_links import LINK_SECONDS
from pipeline.project.settings_versions import current_settings
from pipeline.protocol.tasks.task import Task
from pipeline.record.read_record import replay
from pipeline.settings.of_belief import LinkStrategy
from pipeline.settings.settings import Settings
from projects.quality.program_work import seconds_of_people
from simulation.score import score
from simulation.simulate import load_gold, simulate
from tests.support.images import started
from tests.support.projects import phrases, project_of

TEXTS = [f"people: {text}" for text in ("a man", "a boy", "the man", "he", "the boy", "someone")]
CHAINS = ["man", "boy", "man", "man", "boy", "girl"]
SWEEPS = Settings(strategy=LinkStrategy.ADAPTIVE, sweeps=True)


@pytest.mark.django_db
def test_virtual_workers_answer_sweeps_which_take_their_seconds_and_are_one_judgment_each() -> None:
    image = phrases(*TEXTS, chains=CHAINS)
    project = project_of(image, name="men", gold=True, pictures=False, settings=SWEEPS)
    outcome = simulate(project=project, crowd="perfect")
    links = Judgment.objects.filter(question__task=Task.COREFERENCE_LINK.value)
    rows = list(links.values_list("seconds", "question__subject"))
    assert any(len(subject) > 2 for _, subject in rows)
    assert [seconds for seconds, _ in rows] == [LINK_SECONDS.of(len(subject) - 1) for _, subject in rows]
    assert outcome.worker_seconds == pytest.approx(Judgment.objects.aggregate(all=Sum("seconds"))["all"])
    assert seconds_of_people(project.pk)[Task.COREFERENCE_LINK] == LINK_SECONDS.pair
    assert score(project, load_gold(project)).links.judgments == len(rows)
    assert set(Image.objects.values_list("state", flat=True)) == {"merged"} and list(replay(project)) == []


@pytest.mark.django_db
def test_a_project_learns_how_long_lists_take_and_asks_shorter_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("simulation.simulate.LINK_SECONDS", LinkSeconds(7.5, 3.0))
    images = [phrases(*TEXTS, chains=CHAINS, name=str(number)) for number in range(10)]
    project = project_of(*images, gold=True, pictures=False, settings=SWEEPS)
    simulate(project=project, crowd="perfect")
    assert refit_links(project.pk, only_if_due=False)
    seconds = current_settings(project.pk)[1].learned.links.seconds
    assert seconds == pytest.approx((7.5, 3.0), abs=0.5) and list(replay(project)) == []
    captions = [[("people", text.removeprefix("people: "))] for text in TEXTS]
    policies = [replace(SWEEPS, learned=LearnedState(replace(DEFAULT, seconds=known))) for known in (None, seconds)]
    before, now = (started(*captions, settings=policy).question(Task.COREFERENCE_LINK).subject for policy in policies)
    assert len(now) < len(before)
