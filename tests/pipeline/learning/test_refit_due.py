"""Refits of both kinds: when they learn, in two processes at once, and while a requester changes the settings."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from importlib import import_module
from typing import Any, NamedTuple

import pytest

from annotation.models import Project
from annotation.rules.states import ProjectState
from pipeline.learning import refit_due
from pipeline.learning.refit_boxes import refit_boxes
from pipeline.learning.refit_due import wanted_images
from pipeline.learning.refit_links import refit_links
from pipeline.models import Question, SettingsVersion
from pipeline.project.settings_versions import change_settings, current_settings
from pipeline.record.fold_judgments import fold_judgments
from pipeline.record.replay import replay
from pipeline.rules.linking.link_strategy import Strategy
from pipeline.rules.linking.prior.link_prior import DEFAULT
from pipeline.rules.settings.protocol import ProtocolSettings
from pipeline.rules.tasks.box_policy import BoxPolicy
from pipeline.rules.tasks.task import PROTOCOL_TASKS, Task
from pipeline.tick import tick
from tests.pipeline.learning import test_refit_boxes
from tests.pipeline.learning.test_refit_boxes import BELIEF, dogs
from tests.pipeline.learning.test_refit_links import ADAPTIVE, answer_all, men, reasons
from tests.pipeline.test_concurrency import ANSWERS, Workers, check
from tests.support.kept import Kept
from tests.support.projects import worker
from tests.support.race import Race

FIRST = 2


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two finished images are enough for a refit."""
    monkeypatch.setattr(refit_due, "FIRST", FIRST)


def due(images: int = 3) -> Project:
    """A project whose links are all answered, and that nothing has swept since."""
    project = men(images)
    answer_all(project, sweep=lambda project_id: fold_judgments(list(PROTOCOL_TASKS), project_id=project_id))
    assert reasons(project) == ["project made"]
    return project


def refits(project: Project) -> int:
    return sum("refitted" in reason for reason in reasons(project))


def set_state(project: Project, state: ProjectState) -> None:
    Project.objects.filter(pk=project.pk).update(state=state.value)


def test_where_programs_judge_the_first_refits_come_early_and_later_ones_often() -> None:
    settings, waits = ProtocolSettings(strategy=Strategy.ADAPTIVE, jurors=(70,)), [0]
    while waits[-1] < 1000:
        waits.append(wanted_images(replace(DEFAULT, refitted_on=waits[-1]), settings))
    assert waits[1:7] == [3, 6, 12, 24, 48, 73]
    assert waits[-1] - waits[-2] == waits[-2] // 20, "a twentieth, once that is more"


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
    race = Workers(project, ANSWERS | {Task.COREFERENCE_LINK: ["different"]})
    race.run(*map(race.work, people), *[partial(tick, project_id=project.id)] * 2)
    check(project, race.stored)
    assert refits(project) >= 1


# --- Both kinds ---


class Kind(NamedTuple):
    """One of the two kinds of refits, with a project that wants it."""

    refit: Callable[..., Any]
    make: Callable[..., Project]
    answer_all: Callable[..., object]
    settings: ProtocolSettings
    switch: str
    """The setting that switches it on."""
    another: dict[str, Any]
    """Settings by which there is nothing to learn."""
    fit: str
    """The function that fits, in `refitting`."""
    edit: dict[str, Any]
    """An edit of a requester's."""


KINDS = {
    "links": Kind(
        *(refit_links, men, answer_all, ADAPTIVE, "refit_links"),
        *({"strategy": Strategy.GREEDY}, "refit_from_answers", {"link_stop": 0.5}),
    ),
    "boxes": Kind(
        *(refit_boxes, dogs, test_refit_boxes.answer_all, BELIEF, "refit_boxes"),
        *({"box_policy": BoxPolicy.PAPER}, "fit_box_prior", {"box_sure": 0.95}),
    ),
}


@pytest.fixture(scope="module", params=KINDS)
def kind(request: pytest.FixtureRequest) -> Kind:
    return KINDS[request.param]


@pytest.fixture(scope="module")
def kept(kind: Kind, django_db_setup: None, django_db_blocker: Any) -> Kept:
    off = replace(kind.settings, **{kind.switch: False})  # type: ignore[arg-type]
    return Kept(django_db_blocker, lambda: kind.answer_all(kind.make(3, off)))


@pytest.fixture
def unfitted(kept: Kept, db: None) -> Project:
    """Three images, everything answered, and no refit."""
    kept.write()
    return Project.objects.get()


def edit(project: Project, *, begun_follow: bool = True, **changes: Any) -> int:
    changed = replace(current_settings(project.id)[1], **changes)
    return change_settings(project_id=project.id, settings=changed, reason="edited", begun_follow=begun_follow)


def test_refitting_twice_makes_one_version(kind: Kind, unfitted: Project) -> None:
    edit(unfitted, **{kind.switch: True})
    assert kind.refit(unfitted.id) and kind.refit(unfitted.id) is None


def test_a_project_that_wants_no_refits_learns_nothing(kind: Kind, unfitted: Project) -> None:
    assert kind.refit(unfitted.id) is None
    tick(project_id=unfitted.id)
    assert reasons(unfitted) == ["project made"]


@pytest.mark.django_db
def test_a_project_in_which_nothing_can_be_learned_learns_nothing(kind: Kind) -> None:
    project = kind.make(3, replace(kind.settings, **kind.another))
    kind.answer_all(project)
    assert reasons(project) == ["project made"]


@pytest.mark.both_engines
def test_neither_a_paused_project_learns_nor_one_most_of_whose_images_were_not_asked_about(
    kind: Kind, unfitted: Project
) -> None:
    edit(unfitted, **{kind.switch: True})
    set_state(unfitted, ProjectState.PAUSED)
    assert kind.refit(unfitted.id) is None
    set_state(unfitted, ProjectState.RUNNING)
    Question.objects.exclude(image__name="0").update(task=Task.CHAIN_VERIFICATION.value)
    assert kind.refit(unfitted.id) is None


def test_what_a_requester_changed_meanwhile_stays(
    kind: Kind, unfitted: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = import_module(kind.refit.__module__)
    fit = getattr(home, kind.fit)

    def edited_meanwhile(*given: Any) -> Any:
        edit(unfitted, **kind.edit)
        return fit(*given)

    monkeypatch.setattr(home, kind.fit, edited_meanwhile)
    assert kind.refit(unfitted.id, only_if_due=False) is None
    assert reasons(unfitted)[-1] == "edited"
    monkeypatch.undo()
    assert kind.refit(unfitted.id, only_if_due=False)
    assert {name: getattr(current_settings(unfitted.id)[1], name) for name in kind.edit} == kind.edit


@pytest.mark.both_engines
@pytest.mark.django_db
def test_begun_images_that_were_left_with_older_settings_stay_with_them(kind: Kind) -> None:
    project = kind.make(6, replace(kind.settings, **{kind.switch: False}))  # type: ignore[arg-type]
    kind.answer_all(project, most=9)
    kept = edit(project, begun_follow=False, **kind.edit)
    assert kind.refit(project.id, only_if_due=False)
    assert SettingsVersion.objects.filter(project=project).order_by("-version")[0].begun_from == kept
