"""Measurements of programs: what two scratch copies tell, that they leave no doubles, and the project as it was.
The page of models measures a program: a button, its progress, a stop button, the table, and the copies.
The comparison of two copies counts right boxes of all final ones, and found ones of all true ones.
A measurement in words: the conclusion says no more than the intervals do, and the table shows both sides.
"""

from collections import Counter
from dataclasses import replace
from typing import Any

import pytest
from django.db import DatabaseError
from django.db.models import Count, Sum
from django.test import Client

from accounts.models import Role
from annotation.models import Box, Gold, Image, Mention, MergedBox, Project
from belief.learned import LearnedState
from pipeline.learning.refit import store_learned
from pipeline.models import Assignment, Entry, Judgment, LedgerEntry, Question, Spending
from pipeline.project.settings_versions import all_settings, change_settings, current_settings
from pipeline.protocol.tasks.task import Task
from pipeline.settings.of_belief import LinkStrategy
from pipeline.settings.settings import Settings
from projects.lifecycle.copies import copy_sample, delete_dry_run
from projects.models import ModelPrediction, Run
from projects.operation import Estimate, Progress
from projects.predictions.measure import work
from projects.predictions.measure.operations import conclusion, measured_rows
from projects.predictions.measure.work import (
    MEASUREMENT,
    WITH,
    WITHOUT,
    ImageOutcome,
    MeasuredFigure,
    MeasurementResult,
    compare_figures,
    copies_of,
    give_predictions,
    make_copy,
)
from projects.runs import do_run_by_command, row_of, stop
from runtime import clock
from simulation.score import MatchCounts
from simulation.simulate import SECONDS, SimulationError
from tests.projects.conftest import Later
from tests.projects.predictions.measure.conftest import IMAGES, SETTINGS, THINGS, begun, measured, program
from tests.support.members import member, sign_in
from tests.support.table import row

pytestmark = pytest.mark.django_db

CHAINS = len(THINGS) * IMAGES


def copies(row: Run) -> tuple[Project, Project]:
    there = copies_of([row])
    return there[row.pk, WITHOUT], there[row.pk, WITH]


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
def test_a_good_program_saves_answers_and_a_useless_one_costs_some_and_the_project_stays_as_it_was(project: Project):
    good, bad = program(project, "good", wrong=2), program(project, "bad", wrong=CHAINS, chains=[[0, 1, 2]])
    before, row = as_it_was(project), measured(project, good)
    assert (row.state, row.problem) == ("done", "")
    result, sides = MeasurementResult.model_validate(row.result), copies(row)
    figures, saved = result.figures, result.figures["answers"].change
    assert saved is not None and figures["hours"].change is not None
    assert saved.low <= saved.value <= saved.high < 0 and figures["hours"].change.high < 0
    assert f"the same 6 images take {-100 * saved.value:.0f} % fewer answers, likely" in conclusion("good", result)
    for side, copy in zip(("without", "with_program"), sides, strict=True):
        of_side = {name: getattr(figure, side) for name, figure in figures.items()}
        rows = Judgment.objects.filter(assignment__project=copy).order_by().values_list("question__task")
        counts = Counter(dict(rows.annotate(Count("id"))))
        assert of_side["answers"] == counts.total() == of_side["linking"] + of_side["boxing"] > 0
        seconds = sum(SECONDS[Task(task)] * number for task, number in counts.items())
        assert of_side["hours"] == pytest.approx(seconds / 3600, abs=1e-3)
        earned = Assignment.objects.filter(project=copy).aggregate(all=Sum("earned_cents"))["all"]
        assert of_side["cents"] == earned > 30, "beyond the spend cap of the project"
        assert set(copy.images.values_list("state", flat=True)) == {"merged"}
        assert of_side["boxes_right"][1] == MergedBox.objects.filter(image__project=copy).count()
        assert of_side["boxes_found"][1] == of_side["chains_exact"][1] == CHAINS
    pre_annotated = [
        Box.objects.filter(image__project=copy, pre_annotated=True).exclude(state="pending") for copy in sides
    ]
    assert [one.count() for one in pre_annotated] == [0, result.pre_annotated]
    assert result.accepted <= CHAINS - 2
    assert [current_settings(copy.pk)[1].pre_annotations for copy in sides] == [False, True]
    truths = [list(Gold.objects.filter(image__project=copy).order_by("image__name").values("chains")) for copy in sides]
    assert truths[0] == truths[1] and len(truths[0]) == IMAGES
    worse = measured(project, bad)
    worst = MeasurementResult.model_validate(worse.result)
    assert worst.figures["answers"].change is not None and worst.figures["answers"].change.low > 0, "without a doubt"
    assert "more answers, likely" in conclusion("bad", worst)
    assert worst.unused == ["Links: Not used: only the adaptive strategy reads predicted chains."]
    assert set(Project.objects.all()) == {project, *copies(worse)}, "those of the first measurement are deleted"
    assert as_it_was(project) == before


def test_finished_images_count_as_known_and_both_copies_have_the_settings_and_the_seed_of_the_beginning(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    seeds = []

    def answer(copy: Project, *, seed: int, look: Any) -> None:
        seeds.append(seed)
        # A refit adds a version while the first copy is being answered.
        change_settings(project_id=project.pk, settings=replace(SETTINGS, strategy=LinkStrategy.ADAPTIVE))

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
    assert (row.result["images"], row.result["with_gold"]) == (IMAGES - 1, IMAGES - 2)
    names = [set(copy.images.values_list("name", flat=True)) for copy in copies(row)]
    assert names == [{"0", "1", "3", "4", "5"}] * 2 and seeds == [project.pk] * 4
    assert {current_settings(copy.pk)[1].strategy for copy in copies(row)} == {SETTINGS.strategy}


def test_too_few_known_images_are_refused_in_words_and_earlier_copies_stay(project: Project, nobody_answers: None):
    first = measured(project, program(project, "good"))
    row = measured(project, program(project, "narrow", images=4))
    assert (row.state, copies_of([row])) == ("failed", {})
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
    copy = make_copy(begun(project, good), "with")
    copy_sample(project, copy, [image.pk], seed=1, step=lambda: None)
    give_predictions(project, good, copy, [image.pk])
    entered = Entry.objects.get(project=copy, kind="propose").data
    assert entered["boxes"] == [[0, 10, 10, 60, 90], [1, 100, 10, 140, 40, 80]] and entered["chains"] == [[0, 1]]
    assert set(copy.model_predictions.values_list("program__name", "due")) == {("good", False)}


@pytest.mark.both_engines
def test_one_that_is_stopped_leaves_no_copies(project: Project, monkeypatch: pytest.MonkeyPatch, nobody_answers: None):
    monkeypatch.setattr("projects.operation.LOOK_SECONDS", 0)
    advance, told = Progress.advance, []

    def stopping(progress: Progress, done: int, total: int, message: str = "") -> None:
        told.append((done, total))
        if message.startswith("With it: 0 answers"):
            assert Project.objects.filter(dry_run=True).count() == 2
            Run.objects.filter(pk=progress.run.pk).update(requested="cancel")
        advance(progress, done, total, message)

    monkeypatch.setattr(Progress, "advance", stopping)
    row = measured(project, program(project, "good"))
    assert row.state == "cancelled"
    assert list(Project.objects.all()) == [project] and told == sorted(told) and told[-1] == (3 * IMAGES, 4 * IMAGES)


@row(SimulationError("Nobody may answer."), "Nobody may answer.")
@row(ValueError("odd"), "ValueError: odd")
def test_one_that_fails_leaves_no_copies(error: Exception, problem: str, project: Project, monkeypatch: Any):
    def failing(copy: Project, **options: Any) -> None:
        raise error

    monkeypatch.setattr(work, "let_answer", failing)
    good = program(project, "good")
    if isinstance(error, SimulationError):
        measured(project, good)
    else:
        with pytest.raises(ValueError, match="odd"):
            measured(project, good)
    row = Run.objects.get()
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
    row = Run.objects.get(operation=MEASUREMENT)
    assert row.state == "running" and len(copies_of([row])) == 1
    monkeypatch.setattr(work, "let_answer", lambda copy, **options: None)
    do_run_by_command(row, lambda progress: None)
    row.refresh_from_db()
    assert row.state == "done" and set(Project.objects.all()) == {project, *copies(row)}
    Run.objects.filter(pk=row.pk).update(state="running")  # as if the process had died just before the end
    stop(row)
    assert row.state == "cancelled" and list(Project.objects.all()) == [project]


PAGE = "/projects/ours/models/"
MEASURE = f"{PAGE}measure/"
FIGURE = {"without": 100, "with_program": 80, "change": {"value": -0.2, "low": -0.3, "high": -0.1}}
SHARE = {"without": [9, 10], "with_program": [9, 10], "change": {"value": 0.0, "low": -0.1, "high": 0.1}}
VALUES = {
    "figures": {
        **dict.fromkeys(("answers", "linking", "boxing", "hours", "cents", "review"), FIGURE),
        **dict.fromkeys(("boxes_right", "boxes_found", "chains_exact"), SHARE),
    },
    "images": 6, "with_gold": 5, "pre_annotated": 17, "accepted": 16, "unused": [], "currency": "USD", "paid": False,
}  # fmt: skip


@pytest.fixture
def requester(client: Client, project: Project) -> Client:
    sign_in(client, project, Role.REQUESTER)
    return client


@pytest.mark.slow
@pytest.mark.both_engines
def test_a_program_is_measured_with_progress_and_the_copies_can_be_opened(
    requester: Client, project: Project, later: Later, nobody_answers: None
) -> None:
    net = program(project, "net-1")
    page = requester.get(PAGE).text
    assert "Measure it" in page and "annotate 6 images with known answers twice" in page
    assert requester.post(MEASURE, {"program": net.name})["Location"] == PAGE
    run = Run.objects.get()
    assert (run.state, row_of(run).counts) == ("waiting", "Waiting for its turn")
    page = requester.get(PAGE).text
    assert "net-1 is being measured" in page and f"runs/{run.pk}/" in page and "Measure it" not in page
    assert "is being made already" in requester.post(MEASURE, {"program": net.name}, follow=True).text
    (work,) = later
    work()
    run.refresh_from_db()
    assert run.state == "done"
    page = requester.get(PAGE).text
    for name, title in (("ours-without-model", "without net-1"), ("ours-with-model", "with net-1")):
        assert f'href="/projects/{name}/"' in page
        copy = requester.get(f"/projects/{name}/").text
        assert f"Dry run of ours {title}" in copy and "Delete this dry run" in copy
    assert "0 of 6 images annotated" not in requester.get("/projects/ours-with-model/data/").text
    assert "this is a dry run" in requester.get("/projects/ours-with-model/models/").text
    requester.post("/projects/ours-with-model/models/measure/", {"program": net.name})
    assert Run.objects.filter(operation=MEASUREMENT).count() == 1


@pytest.mark.both_engines
def test_it_is_stopped_before_it_begins_and_only_programs_of_the_project_are_measured(
    requester: Client, project: Project, later: Later
) -> None:
    net = program(project, "net-1")
    requester.post(MEASURE, {"program": net.name})
    stopped = requester.post(f"/projects/ours/runs/{Run.objects.get().pk}/", {"command": "cancel"})
    assert (stopped["Location"], Run.objects.get().state) == (PAGE, "cancelled")
    assert "The last measurement was stopped." in requester.get(PAGE).text
    for name in (program(project, "other", images=0).name, "x", "9" * 30):
        assert "has predicted nothing" in requester.post(MEASURE, {"program": name}, follow=True).text
    Gold.objects.filter(image__name="0").delete()
    Gold.objects.filter(image__name="1").update(complete=False)
    page = requester.get(PAGE).text
    assert "A measurement needs 5 images with known right answers, and 4 of the images" in page
    assert "Measure it" not in page


def test_each_programs_last_measurement_stays_and_says_what_changed_since(requester: Client, project: Project) -> None:
    rows = [program(project, name) for name in ("net-1", "net-2")]
    now = clock.now()
    done = {"state": "done", "result": VALUES, "begun_at": now, "ended_at": now}
    for judge, ends in ((rows[0], done), (rows[1], done), (rows[1], {"state": "failed", "problem": "Odd."})):
        given = {"program": judge.name, "settings_version": 1}
        Run.objects.create(project=project, operation=MEASUREMENT, lane="measurement", input=given, **ends)
    page = requester.get(PAGE).text
    assert page.count("the same 6 images take 20 % fewer answers, likely 10 to 30 %") == 2
    assert page.count('<details class="more" open>') == 1, "the figures of the newest are open"
    assert "net-2 could not be measured. Odd." in page and page.count("Its copies are deleted.") == 2
    assert "17 of its boxes were tried and 16 kept. The right answers of 1 image are what workers made of it" in page
    assert "changed since" not in page and "predicted anew" not in page
    assert store_learned(project.pk, 1, LearnedState(), "a refit", answers=9)
    program_again = project.model_predictions.filter(program=rows[0]).first()
    assert program_again is not None
    project.model_predictions.filter(pk=program_again.pk).update(created_at=clock.now())
    page = requester.get(PAGE).text
    assert page.count("The settings have changed since") == 2 and "net-1 has predicted anew since" in page
    assert "net-2 has predicted anew" not in page


def test_copies_are_shown_to_those_who_may_look_at_them_and_one_may_be_gone(
    client: Client, project: Project, later: Later, nobody_answers: None
) -> None:
    net = program(project, "net-1")
    sign_in(client, project, Role.REQUESTER)
    client.post(MEASURE, {"program": net.name})
    later[0]()
    delete_dry_run(copies(Run.objects.get(operation=MEASUREMENT))[1])
    page = client.get(PAGE).text
    assert "ours-without-model" in page and "ours-with-model" not in page
    client.force_login(member(project, Role.REQUESTER, "colleague"))
    page = client.get(PAGE).text
    assert "nobody has to be asked anything about these 6 images" in page
    assert "ours-without-model" not in page and "Its copies are deleted" not in page


def outcome(*, drawn: int, found: int, matched: int, review: int) -> ImageOutcome:
    answers = Counter({Task.BOX_DRAWING: drawn, Task.COREFERENCE_LINK: 4, Task.CHAIN_VERIFICATION: 1})
    boxes = MatchCounts(gold=5, found=found, matched=matched)
    return ImageOutcome(answers, boxes, MatchCounts(gold=4, found=9, matched=3), review)


def test_each_figure_is_a_sum_over_the_images_of_a_copy() -> None:
    without = {name: outcome(drawn=10, found=8, matched=4, review=0) for name in "ab"}
    with_it = {name: outcome(drawn=5, found=6, matched=3, review=1) for name in "ab"}
    figures = compare_figures(without, with_it, Settings())
    sides = {name: (figure.without, figure.with_program) for name, figure in figures.items()}
    assert sides == {
        "answers": (30, 20), "linking": (10, 10), "boxing": (20, 10), "cents": (0, 0), "review": (0, 2),
        "hours": (round(2 * (268 + 30 + 19) / 3600, 4), round(2 * (134 + 30 + 19) / 3600, 4)),
        "boxes_right": ((8, 16), (6, 12)), "boxes_found": ((8, 10), (6, 10)), "chains_exact": ((6, 8), (6, 8)),
    }  # fmt: skip
    assert figures["answers"].change == Estimate(value=-0.33333, low=-0.33333, high=-0.33333)
    assert figures["boxes_found"].change == Estimate(value=-0.2, low=-0.2, high=-0.2)


def values(
    answers: list[float] | None, hours: list[float], boxes: list[float] | None, *, paid: bool = True, **more: Any
) -> MeasurementResult:
    def figure(before: Any, after: Any, change: list[float] | None) -> MeasuredFigure:
        found = Estimate(**dict(zip(("value", "low", "high"), change, strict=True))) if change else None
        return MeasuredFigure(without=before, with_program=after, change=found)

    of_sum, shares = figure, figure((90, 100), (84, 98), boxes)
    figures = {
        "answers": of_sum(1306, 1148, answers), "linking": of_sum(0, 0, None),
        "boxing": of_sum(1306, 1148, answers), "hours": of_sum(4.41, 3.31, hours),
        "cents": of_sum(4246, 3181, hours), "review": of_sum(0, 0, None),
        **dict.fromkeys(("boxes_right", "boxes_found", "chains_exact"), shares),
    }  # fmt: skip
    others: dict[str, Any] = {"with_gold": 20, "pre_annotated": 0, "accepted": 0, "unused": [], "currency": "USD"}
    return MeasurementResult(figures=figures | more, images=20, paid=paid, **others)


def test_the_conclusion_says_what_is_clear_and_what_chance_explains() -> None:
    less, more, unclear = [-0.18, -0.24, -0.12], [0.08, 0.03, 0.13], [-0.01, -0.04, 0.02]
    same = "As far as 20 images tell, as many of the final boxes are right: 85.7 %, and 90.0 % without it."
    expected = {
        "fewer and faster": (values(less, less, unclear), "18 % fewer answers, likely 12 to 24 %, and 18 % less of"),
        "more and slower": (
            values(more, more, unclear),
            "8 % more answers, likely 3 to 13 %, and 8 % more of workers’",
        ),
        "nothing is clear": (
            values(unclear, unclear, unclear),
            "about as many answers: likely from 4 % fewer to 2 % more, and about as much time: likely from 4 % less to",
        ),
        "no difference in boxes": (values(less, less, unclear), same),
        "worse boxes": (values(less, less, less), "Of the final boxes fewer are right: 85.7 %, and 90.0 % without it."),
        "better boxes": (values(less, less, more), "Of the final boxes more are right: 85.7 %, and 90.0 % without it."),
        "no boxes": (values(less, less, None), "No boxes were drawn."),
        "nothing to ask": (values(None, less, None), "Simulated: nobody has to be asked anything about these 20"),
    }
    for case, (given, words) in expected.items():
        assert words in conclusion("net", given), case


def test_the_table_shows_both_sides_with_the_difference_and_its_interval() -> None:
    few = MeasuredFigure(without=1, with_program=3, change=Estimate(value=2.0, low=0.1, high=4.0))
    rows = {
        row.words: row
        for row in measured_rows(values([-0.18, -0.24, -0.12], [-0.25, -0.3, 0.001], [-0.043, -0.08, 0.0]))
    }
    assert rows["Answers"][1:5] == ("1,306", "1,148", "−18 %", "−24 to −12 %")
    assert rows["about links and chains"][1:5] == ("0", "0", "–", "")
    assert rows["Hours of workers"][1:5] == ("4.41", "3.31", "−25 %", "−30 to 0 %")
    assert rows["Money"][1:3] == ("$42.46", "$31.81") and "Chains left to an expert" not in rows
    right = ("90.0 %", "85.7 %", "−4.3 points", "−8.0 to 0.0", ("90 of 100", "84 of 98"))
    assert rows["Final boxes that are right"][1:6] == right
    given = values([-0.18, -0.24, -0.12], [-0.25, -0.3, -0.2], None, review=few, paid=False)
    rows = {row.words: row for row in measured_rows(given)}
    assert rows["Chains left to an expert"][1:5] == ("1", "3", "+2", "")
    assert rows["Chains exactly right"][3:5] == ("–", "") and "Money" not in rows
