"""A project fits its prior of links and its crowd's errors to its own answers while it runs."""

from dataclasses import replace
from typing import Any

import pytest

from annotation.models import Image, Project
from annotation.rules.states import ImageState
from pipeline.learning import refit_due
from pipeline.learning.refit_links import given_prior, judged_groups, refit_links
from pipeline.models import Progress, Question, SettingsVersion
from pipeline.project.settings_versions import change_settings, current_settings
from pipeline.record.replay import replay
from pipeline.rules.linking.link_strategy import Strategy
from pipeline.rules.linking.prior.link_prior import DEFAULT, WORDLESS, LinkPrior
from pipeline.rules.settings.protocol import ProtocolSettings
from pipeline.rules.tasks.task import Task
from pipeline.tick import tick
from tests.support.projects import lease, phrases, project_of, submit, worker

pytestmark = pytest.mark.django_db

LINK = Task.COREFERENCE_LINK
ADAPTIVE = ProtocolSettings(strategy=Strategy.ADAPTIVE, link_stop=0.02)
WORDS = ("a man", "the man", "a tall boy")


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two finished images are enough for a refit."""
    monkeypatch.setattr(refit_due, "FIRST", 2)


def men(number: int, settings: ProtocolSettings = ADAPTIVE) -> Project:
    """Images of three captions each."""
    images = [phrases(*(f"people: {one}" for one in WORDS), name=str(one)) for one in range(number)]
    return project_of(*images, settings=settings)


def answer_all(project: Project, most: int = 1000, sweep: Any = tick) -> int:
    """Answer links until none is open, or `most`, and sweep now and then: everybody is somebody else."""
    crew, given = [worker(project, f"{name}", LINK) for name in range(16)], 0
    while given < most and Question.objects.filter(project=project, task=LINK.value, state="open").exists():
        before = given
        for who in crew:
            if given == most or (mine := take(project, who)) is None:
                continue
            given += len(submit(mine, *("different" for _ in mine.questions)).stored)
            if given % 4 == 0:
                sweep(project_id=project.id)
        sweep(project_id=project.id)
        assert given > before, "nobody may answer what is open"
    return given


def take(project: Project, who: Any) -> Any:
    try:
        return lease(project, who, LINK, size=1)
    except AssertionError:
        return None


def reasons(project: Project) -> list[str]:
    return list(SettingsVersion.objects.filter(project=project).order_by("version").values_list("reason", flat=True))


@pytest.mark.slow
def test_a_running_project_refits_whenever_its_finished_images_have_doubled_and_its_record_replays() -> None:
    project = men(9)
    answer_all(project)
    assert Image.objects.filter(project=project, state=ImageState.LINKING).count() == 0
    refits = [reason for reason in reasons(project) if "refitted" in reason]
    assert 2 <= len(refits) <= 3 and refits[0].endswith("groups of own answers")
    prior = current_settings(project.id)[1].prior()
    assert prior.refitted_on >= 4
    assert prior.pairs["same head"] < DEFAULT.pairs["same head"]
    assert list(replay(project)) == []


def test_what_it_learns_of_the_crowd_weighs_the_next_answers() -> None:
    project = men(3)
    answer_all(project)
    _, settings = current_settings(project.id)
    assert settings.errors() != ProtocolSettings().errors()
    assert 0.005 <= settings.errors().false_positive < 0.049 < 0.06


def test_links_on_loan_when_it_refits_stay_and_their_answers_count() -> None:
    project = men(6)
    ada, bob = worker(project, "ada", LINK), worker(project, "bob", LINK)
    first, second = lease(project, ada, LINK, size=1), lease(project, bob, LINK, size=1)
    answer_all(project, most=8)
    assert refit_links(project.id, only_if_due=False)
    before = votes(project)
    for mine in (first, second):
        assert len(submit(mine, "different").stored) == 1
    tick(project_id=project.id)
    assert votes(project) == before + 2
    answer_all(project)
    assert list(replay(project)) == []


def votes(project: Project) -> int:
    states = Progress.objects.filter(project=project).values_list("state", flat=True)
    return sum(len(cast) for state in states for *_, cast in state["votes"])


def test_every_refit_is_pulled_towards_the_prior_that_the_project_was_given() -> None:
    given = LinkPrior(WORDLESS.sizes, {"same head": 3.0}, fitted_on=200)
    project = men(3, replace(ADAPTIVE, link_prior=given.to_json()))
    assert given_prior(project.id) == given
    answer_all(project)
    assert current_settings(project.id)[1].prior().refitted_on and given_prior(project.id) == given
    refit_links(project.id, only_if_due=False)
    assert given_prior(project.id) == given
    _, settings = current_settings(project.id)
    change_settings(project_id=project.id, settings=replace(settings, link_prior={}))
    assert given_prior(project.id) == DEFAULT


def test_answers_are_read_in_their_order_and_from_a_sample_of_many_images(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    project = men(3, replace(ADAPTIVE, refit_links=False))
    answer_all(project)
    every = list(judged_groups(project.id, ProtocolSettings()))
    assert len(every) == 3 and all(len(group.mentions) == len(WORDS) for group in every)
    assert sum(len(said) for group in every for said in group.heard.values()) == votes(project)
    monkeypatch.setattr(refit_due, "MOST_IMAGES", 2)
    assert len(list(judged_groups(project.id, ProtocolSettings()))) == 2
