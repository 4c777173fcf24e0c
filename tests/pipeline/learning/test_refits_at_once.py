"""Refits on the sweep: of a paused project, in two processes at once, and while a requester changes the settings."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import pytest

from annotation.models import Project
from annotation.rules.states import ProjectState
from pipeline.learning import refit_links as refitting
from pipeline.learning.refit_links import refit_links
from pipeline.models import SettingsVersion
from pipeline.project.settings_versions import change_settings, current_settings
from pipeline.record.fold_judgments import fold_judgments
from pipeline.record.replay import replay
from pipeline.rules.tasks.task import PROTOCOL_TASKS, Task
from pipeline.tick import tick
from tests.pipeline.learning.test_refit_links import answer_all, men
from tests.pipeline.test_concurrency import ANSWERS, Race, check
from tests.support.projects import worker

FIRST = 2


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two finished images are enough for a refit."""
    monkeypatch.setattr(refitting, "FIRST", FIRST)


def due(images: int = 3) -> Project:
    """A project whose links are all answered, and that nothing has swept since."""
    project = men(images)
    answer_all(project, sweep=lambda project_id: fold_judgments(list(PROTOCOL_TASKS), project_id=project_id))
    assert reasons(project) == ["project made"]
    return project


def reasons(project: Project) -> list[str]:
    return list(SettingsVersion.objects.filter(project=project).order_by("version").values_list("reason", flat=True))


def refits(project: Project) -> int:
    return sum("refitted" in reason for reason in reasons(project))


def set_state(project: Project, state: ProjectState) -> None:
    Project.objects.filter(pk=project.pk).update(state=state.value)


@pytest.mark.django_db
def test_a_project_that_does_not_run_learns_with_the_first_sweep_after_it_goes_on() -> None:
    project = due()
    for state in (ProjectState.PAUSED, ProjectState.FINISHED, ProjectState.ARCHIVED):
        set_state(project, state)
        tick()
        assert refits(project) == 0, state
    set_state(project, ProjectState.RUNNING)
    tick()
    tick()
    assert refits(project) == 1
    assert list(replay(project)) == []


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("sweep", [refit_links, lambda project_id: tick(project_id=project_id)], ids=["refit", "tick"])
def test_two_processes_that_sweep_at_once_make_one_version(sweep: Callable[[int], object]) -> None:
    project = due()
    Race(project).run_once(*[partial(sweep, project.id)] * 3)
    assert refits(project) == 1
    versions = SettingsVersion.objects.filter(project=project).values_list("version", flat=True)
    assert sorted(versions) == [1, 2]


@pytest.mark.django_db(transaction=True)
def test_a_change_at_the_same_moment_is_kept_and_the_next_sweep_learns() -> None:
    project = due()

    def change() -> None:
        _, settings = current_settings(project.id)
        change_settings(project_id=project.id, settings=replace(settings, link_stop=0.5), reason="asks less")

    Race(project).run_once(change, partial(refit_links, project.id), partial(refit_links, project.id))
    assert current_settings(project.id)[1].link_stop == 0.5, "no refit has put older settings back"
    tick()
    assert refits(project) >= 1 and reasons(project).count("asks less") == 1
    _, settings = current_settings(project.id)
    assert (settings.link_stop, settings.prior().refitted_on) == (0.5, 3)


@pytest.mark.django_db(transaction=True)
def test_workers_who_answer_while_two_processes_sweep_and_refit_lose_nothing() -> None:
    project = men(FIRST)
    people = [worker(project, f"w{number}") for number in range(12)]
    # Twelve people who answer links at random may end without a belief, and nobody is left to ask.
    race = Race(project, ANSWERS | {Task.COREFERENCE_LINK: ["different"]})
    race.run(*map(race.work, people), *[partial(tick, project_id=project.id)] * 2)
    check(project, race.stored)
    assert refits(project) >= 1
