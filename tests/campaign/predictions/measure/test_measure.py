"""Measurements of programs: what two scratch copies tell, that they leave no doubles, and the project as it was."""

from collections import Counter
from dataclasses import replace
from functools import partial
from typing import Any

import pytest
from django.db import DatabaseError
from django.db.models import Count, Sum

from annotation.models import Box, Gold, Image, Mention, MergedBox, Project
from campaign.lifecycle.dry_run import copy_sample, delete_dry_run
from campaign.long_work import Watch, carry_out, stop
from campaign.models import ModelMeasurement, ModelPrediction
from campaign.predictions.measure import work
from campaign.predictions.measure.copies import give_predictions, make_copy
from campaign.predictions.measure.measurements import conclusion, settled
from campaign.predictions.measure.work import measure
from pipeline.models import Assignment, Entry, Judgment, LedgerEntry, Question, Spending
from pipeline.project.settings_versions import all_settings, change_settings, current_settings
from pipeline.rules.linking.link_strategy import Strategy
from pipeline.rules.tasks.task import Task
from simulation.simulate import SECONDS, SimulationError
from tests.campaign.predictions.measure.conftest import IMAGES, SETTINGS, THINGS, measured, program

CHAINS = len(THINGS) * IMAGES
pytestmark = pytest.mark.django_db


def copies(row: ModelMeasurement) -> tuple[Project, Project]:
    assert row.copy_without is not None and row.copy_with is not None
    return row.copy_without, row.copy_with


def answers_in(copy: Project) -> Counter[str]:
    rows = Judgment.objects.filter(assignment__project=copy).order_by().values_list("question__task")
    return Counter(dict(rows.annotate(Count("id"))))


def as_it_was(project: Project) -> tuple[Any, ...]:
    """Return everything of the project that a measurement must leave alone."""
    rows = [
        list(Entry.objects.filter(project=project).order_by("id").values()),
        list(project.images.order_by("id").values("state", "name")),
        list(Question.objects.filter(project=project).order_by("id").values("state", "number", "task")),
        list(ModelPrediction.objects.filter(project=project).order_by("id").values()),
        list(Spending.objects.filter(project=project).values()),
        Judgment.objects.filter(assignment__project=project).count(),
    ]
    return (*rows, all_settings(project.pk), LedgerEntry.objects.count())


@pytest.mark.slow
def test_a_good_program_saves_answers_and_a_useless_one_costs_some_and_the_project_stays_as_it_was(
    project: Project,
) -> None:
    good = program(project, "good", wrong=2)
    bad = program(project, "bad", wrong=CHAINS, chains=[[0, 1, 2]])
    before = as_it_was(project)
    row = measured(project, good)
    assert (row.state, row.problem, row.doing) == ("done", "", "")
    figures, sides = row.values["figures"], copies(row)
    saved = figures["answers"]["change"]
    assert saved[1] <= saved[0] <= saved[2] < 0 and figures["hours"]["change"][2] < 0
    assert f"the same 6 images take {-saved[0]:.0%} fewer answers, likely" in conclusion("good", row.values)
    for side, copy in zip(("without", "with"), sides, strict=True):
        counts = answers_in(copy)
        assert figures["answers"][side] == counts.total() == figures["linking"][side] + figures["boxing"][side] > 0
        seconds = sum(SECONDS[Task(task)] * number for task, number in counts.items())
        assert figures["hours"][side] == pytest.approx(seconds / 3600, abs=1e-3)
        earned = Assignment.objects.filter(project=copy).aggregate(all=Sum("earned_cents"))["all"]
        assert figures["cents"][side] == earned > 30, "beyond the spend cap of the project"
        assert set(copy.images.values_list("state", flat=True)) == {"merged"}
        assert figures["boxes_right"][side][1] == MergedBox.objects.filter(image__project=copy).count()
        assert figures["boxes_found"][side][1] == figures["chains_exact"][side][1] == CHAINS
    proposed = [Box.objects.filter(image__project=copy, proposed=True).exclude(state="pending") for copy in sides]
    assert [one.count() for one in proposed] == [0, row.values["proposed"]] and row.values["kept"] <= CHAINS - 2
    settings = [current_settings(copy.pk)[1].proposals for copy in sides]
    assert settings == [False, True]
    truths = [list(Gold.objects.filter(image__project=copy).order_by("image__name").values("chains")) for copy in sides]
    assert truths[0] == truths[1] and len(truths[0]) == IMAGES
    worse = measured(project, bad)
    assert worse.values["figures"]["answers"]["change"][1] > 0, "without a doubt"
    assert "more answers, likely" in conclusion("bad", worse.values)
    assert worse.values["unused"] == ["Links: Not used: only the adaptive strategy reads predicted chains."]
    assert set(Project.objects.all()) == {project, *copies(worse)}, "those of the first measurement are deleted"
    assert as_it_was(project) == before


def test_finished_images_count_as_known_and_both_copies_have_the_settings_and_the_seed_of_the_beginning(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    seeds = []

    def answer(copy: Project, *, seed: int, look: Any) -> None:
        seeds.append(seed)
        # A refit adds a version while the first copy is being answered.
        change_settings(project_id=project.pk, settings=replace(SETTINGS, strategy=Strategy.ADAPTIVE))

    def copy_noted(*given: Any, seed: int, **options: Any) -> None:
        seeds.append(seed)
        copy_sample(*given, seed=seed, **options)

    monkeypatch.setattr(work, "let_answer", answer)
    monkeypatch.setattr(work, "copy_sample", copy_noted)
    Image.objects.filter(project=project, name__in=["0", "1"]).update(state="merged")
    Gold.objects.filter(image__name="0").delete()
    Gold.objects.filter(image__name="2").update(complete=False)
    row = measured(project, program(project, "good"))
    assert (row.state, row.problem) == ("done", "")
    assert (row.values["images"], row.values["with_gold"]) == (IMAGES - 1, IMAGES - 2)
    names = [set(copy.images.values_list("name", flat=True)) for copy in copies(row)]
    assert names == [{"0", "1", "3", "4", "5"}] * 2
    assert seeds == [project.pk] * 4
    assert {current_settings(copy.pk)[1].strategy for copy in copies(row)} == {SETTINGS.strategy}


def test_too_few_known_images_are_refused_in_words_and_earlier_copies_stay(
    project: Project, nobody_answers: None
) -> None:
    first = measured(project, program(project, "good"))
    row = measured(project, program(project, "narrow", images=4))
    assert (row.state, row.copy_with) == ("failed", None)
    assert row.problem.startswith(
        "A measurement needs 5 images with known right answers, and 4 of the images that narrow predicted have one: "
    )
    assert all(copies(first))


def test_predictions_go_to_the_phrases_that_they_are_about_though_a_copy_numbers_them_anew(project: Project) -> None:
    image = project.images.get(name="0")
    Mention.objects.filter(image=image, number=0).update(number=7)
    good = program(project, "good", images=0)
    boxes = [[7, 10, 10, 60, 90], [1, 100, 10, 140, 40, 80], [5, 1, 1, 9, 9]]
    ModelPrediction.objects.create(project=project, program=good, image=image, boxes=boxes, chains=[[7, 1], [5]])
    row = ModelMeasurement.objects.create(project=project, program=good, settings_version=1)
    copy = make_copy(row, "with")
    copy_sample(project, copy, [image.pk], seed=1, step=lambda: None)
    give_predictions(row, copy, [image.pk])
    entered = Entry.objects.get(project=copy, kind="propose").data
    assert entered["boxes"] == [[0, 10, 10, 60, 90], [1, 100, 10, 140, 40, 80]] and entered["chains"] == [[0, 1]]
    assert set(copy.model_predictions.values_list("program__name", "due")) == {("good", False)}


@pytest.mark.both_engines
def test_one_that_is_stopped_leaves_no_copies(
    project: Project, monkeypatch: pytest.MonkeyPatch, nobody_answers: None
) -> None:
    monkeypatch.setattr("campaign.long_work.LOOK_SECONDS", 0)
    tell, told = Watch.tell, []

    def stopping(watch: Watch, done: int, total: int, **values: Any) -> None:
        told.append((done, total))
        if values["doing"].startswith("With it: 0 answers"):
            assert Project.objects.filter(dry_run=True).count() == 2
            ModelMeasurement.objects.update(stopped=True)
        tell(watch, done, total, **values)

    monkeypatch.setattr(Watch, "tell", stopping)
    row = measured(project, program(project, "good"))
    assert (row.state, row.copy_without, row.copy_with) == ("cancelled", None, None)
    assert list(Project.objects.all()) == [project]
    assert told == sorted(told) and told[-1] == (3 * IMAGES, 4 * IMAGES)


@pytest.mark.parametrize(
    ("error", "problem"),
    [(SimulationError("Nobody may answer."), "Nobody may answer."), (ValueError("odd"), "ValueError: odd")],
)
def test_one_that_fails_leaves_no_copies(
    project: Project, monkeypatch: pytest.MonkeyPatch, error: Exception, problem: str
) -> None:
    def failing(copy: Project, **options: Any) -> None:
        raise error

    monkeypatch.setattr(work, "let_answer", failing)
    good = program(project, "good")
    if isinstance(error, SimulationError):
        measured(project, good)
    else:
        with pytest.raises(ValueError, match="odd"):
            measured(project, good)
    row = ModelMeasurement.objects.get()
    assert (row.state, row.problem, Project.objects.count()) == ("failed", problem, 1)


def test_a_copy_that_is_deleted_meanwhile_ends_the_measurement_and_takes_the_other_along(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    def deleting(copy: Project, *, look: Any, **options: Any) -> None:
        delete_dry_run(Project.objects.get(pk=copy.pk))
        look(1)

    monkeypatch.setattr(work, "let_answer", deleting)
    row = measured(project, program(project, "good"))
    assert (row.state, row.problem) == ("failed", "A copy was deleted while it was being measured: measure again.")
    assert list(Project.objects.all()) == [project]


@pytest.mark.both_engines
def test_one_whose_process_died_begins_again_without_doubles_or_leaves_nothing_when_it_is_stopped(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    def dying(copy: Project, **options: Any) -> None:
        raise DatabaseError("the machine is gone")

    good = program(project, "good")
    monkeypatch.setattr(work, "let_answer", dying)
    with pytest.raises(DatabaseError):
        measured(project, good)
    row = ModelMeasurement.objects.get()
    assert row.state == "running" and row.copy_without is not None
    monkeypatch.setattr(work, "let_answer", lambda copy, **options: None)
    carry_out(Watch(row, by_command=True), partial(measure, row))
    row = ModelMeasurement.objects.get()
    assert row.state == "done" and set(Project.objects.all()) == {project, *copies(row)}
    ModelMeasurement.objects.update(state="running")  # as if the process had died just before the end
    stop(row)
    row.refresh_from_db()
    assert settled(row)["state"] == "cancelled" and list(Project.objects.all()) == [project]
