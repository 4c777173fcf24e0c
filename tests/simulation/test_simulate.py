"""Simulated programs: how often they err, and that one state has one answer.
The demo's history.
A crowd with bad workers under quality control: its trust, its costs and its results.
"""

import json
import statistics
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest
from django.apps import apps
from django.core.management import CommandError, call_command
from django.db import transaction
from django.db.models import DateTimeField
from django.test import Client
from django.utils import timezone

from accounts.models import Role
from annotation.models import Chain, Image, Project
from annotation.project_terms import terms_of
from annotation.rules.box import Box, iou
from annotation.rules.states import BoxState
from belief.models.records import BoxRecord, LinkRecord
from exchange.dataset import DatasetBox, DatasetImage
from exchange.import_dataset import import_dataset
from pipeline.asking.lease_assignment import lease_assignment
from pipeline.models import Assignment, Entry, Judgment, KnownQuestion, Question
from pipeline.project.settings_versions import change_settings, current_settings, open_project
from pipeline.protocol.state.progress import BoxProgress, ChainProgress, ImageProgress
from pipeline.protocol.tasks.task import PROTOCOL_TASKS, Task
from pipeline.record.intervene import act_as_expert
from pipeline.record.read_record import replay
from pipeline.settings.settings import Settings
from pipeline.tick import tick
from runtime import clock
from simulation import build_demo as demo
from simulation.crowd import CROWDS, Crowd
from simulation.programs import CORRELATIONS, AssumedErrors, SimulatedModel, SimulatedProposer, band
from simulation.scenes.scene import write_source
from simulation.score import SimulationScore, match_boxes, score, sources_of_links
from simulation.simulate import SECONDS, SimulationError, load_gold, simulate, virtual_workers
from simulation.simulate_quality import (
    QualityPlan,
    comparison_as_text,
    quality_as_text,
    set_model,
    simulate_quality,
    simulate_trusting,
)
from simulation.view import COVERED, TrueChain, TrueImage, View
from tests.support.flows import made_once
from tests.support.members import sign_in
from tests.support.projects import answer, phrases, project_of, worker
from tests.support.table import case, row
from workers.models import Access, TrustStatus, Worker
from workers.rules.trust import TrustModel

pytestmark = pytest.mark.django_db


def pair(name: str = "1") -> DatasetImage:
    """A man, called by two names, and his hat; a dog without a box."""
    boxes = [DatasetBox(Box(10, 10, 60, 90), ("man",)), DatasetBox(Box(20, 10, 40, 20), ("hat",))]
    return phrases(
        "people: a man", "people: the tall man", "clothing: a hat", "animals: a dog",
        name=name, chains=["man", "man", "hat", "dog"], boxes=boxes,
    )  # fmt: skip


def gold_project(count: int = 2, name: str = "small", settings: Settings | None = None) -> Project:
    images = [pair(str(number)) for number in range(count)]
    return project_of(*images, name=name, gold=True, pictures=False, settings=settings)


def test_it_answers_until_nothing_is_open_through_leases_and_submissions_and_shows_how_many_each_round() -> None:
    project, steps = gold_project(), list[int]()
    outcome = simulate(project=project, crowd="perfect", step=steps.append)
    assert not Question.objects.exclude(state="closed").exists()
    assert set(Image.objects.values_list("state", flat=True)) == {"merged"}
    assert sum(steps) == outcome.judgments.total() == Judgment.objects.count() > 20 and len(steps) > 3
    assert outcome.worker_seconds == pytest.approx(sum(SECONDS[Task(t)] * n for t, n in outcome.judgments.items()))
    assert set(Judgment.objects.values_list("worker__kind", flat=True)) == {"virtual"}
    assert set(Chain.objects.values_list("state", flat=True)) == {"complete", "non-visual"}
    assert list(replay(project)) == []


def test_it_stops_after_about_so_many_judgments_and_goes_on_when_run_again() -> None:
    project = gold_project(4)
    first = simulate(project=project, crowd="perfect", most=10)
    assert 10 <= first.judgments.total() < 80
    assert Question.objects.exclude(state="closed").exists()
    second = simulate(project=project, crowd="perfect")
    assert not Question.objects.exclude(state="closed").exists()
    assert first.judgments.total() + second.judgments.total() == Judgment.objects.count()
    assert simulate(project=project, crowd="perfect").judgments.total() == 0


def test_a_lease_that_another_run_left_behind_is_waited_for_and_a_project_without_images_or_gold_refused() -> None:
    project = gold_project(1)
    (late,) = virtual_workers(project, "perfect", 1)
    long_ago = timezone.now() - timedelta(minutes=20)
    assert lease_assignment(project_id=project.id, worker_id=late.id, task=Task.COREFERENCE_LINK, now=long_ago)
    simulate(project=project, crowd="perfect")
    assert not Question.objects.exclude(state="closed").exists()
    with pytest.raises(SimulationError, match="empty has no images"):
        simulate(project=project_of(name="empty"), crowd="perfect")
    with pytest.raises(SimulationError, match="1 of the 1 images of some have no gold"):
        simulate(project=project_of(phrases("people: a man"), name="some"), crowd="perfect")


def test_a_crowd_too_small_for_the_protocol_ends_in_review_and_not_in_a_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(CROWDS, "lonely", lambda images, seed: Crowd(1))
    project = gold_project(1)
    simulate(project=project, crowd="lonely")
    assert not Question.objects.exclude(state="closed").exists()
    assert set(Chain.objects.filter(state="review").values_list("review", flat=True)) == {"starved"}
    assert list(replay(project)) == []


def test_virtual_workers_are_made_once_and_have_access_to_everything() -> None:
    project, other = gold_project(1), gold_project(1, "other")
    first = virtual_workers(project, "paper", 3)
    assert virtual_workers(project, "paper", 3) == first == virtual_workers(other, "paper", 3)
    assert Worker.objects.count() == 3
    assert Access.objects.filter(project_id=project.id).count() == 3 * len(PROTOCOL_TASKS)


def test_the_command_writes_its_figures(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    project = gold_project()
    call_command("simulate", project.name, "--crowd", "perfect", "--json", str(tmp_path / "figures.json"))
    data = json.loads((tmp_path / "figures.json").read_text())
    assert {"judgments", "judgments_per_task", "seconds", "merged"} <= set(data)
    assert (data["images"], data["in_review"]) == (2, 0)
    assert data["chains"]["gold"] == data["chains"]["found"] == data["chains"]["matched"] == 6
    assert data["boxes"]["gold"] == data["boxes"]["found"] == data["boxes"]["matched"] == 4
    assert "nothing is open" in capsys.readouterr().out


@row(["nowhere", "--crowd", "perfect"])
@row(["small", "--crowd", "lazy"])
@row(["small", "--crowd", "perfect", "--most", "-1"])
def test_the_command_refuses_what_makes_no_sense_and_says_how_to_start_a_project(arguments: list[str]) -> None:
    gold_project(1)
    with pytest.raises(CommandError):
        call_command("simulate", *arguments)
    Project.objects.update(state="draft")
    with pytest.raises(CommandError, match=r"small is draft, and only a running project .*project_state small running"):
        call_command("simulate", "small", "--crowd", "perfect")
    assert Judgment.objects.count() == 0


def test_the_pages_of_a_project_say_that_virtual_workers_answered(client: Client) -> None:
    project = gold_project(1)
    sign_in(client, project, Role.REQUESTER)
    pages = [f"/projects/{project.name}/", f"/projects/{project.name}/dashboard/"]
    assert not any("Virtual workers answered here" in client.get(page).text for page in pages)
    simulate(project=project, crowd="perfect", most=1)
    assert all("Virtual workers answered here" in client.get(page).text for page in pages)


A, B = Box(0, 0, 100, 50), Box(100, 50, 200, 100)
NEAR = Box(0, 0, 90, 50)


@case("equal boxes match to the pixel", [A, B], [B, A], (2, 2))
@case("a box matches at half the overlap", [Box(0, 0, 50, 50)], [A], (1, 0))
@case("a box does not match below half the overlap", [Box(0, 0, 49, 50)], [A], (0, 0))
@case("the best of the found boxes matches", [NEAR, A], [A], (1, 1))
@case("the best of the gold boxes matches", [A], [NEAR, A], (1, 1))
@case("boxes match one to one best first", [NEAR, A], [A, NEAR], (2, 2))
@case("no found box matches nothing", [], [A], (0, 0))
@case("no gold box is matched by nothing", [A], [], (0, 0))
@case("nothing matches nothing", [], [], (0, 0))
def test_boxes_match(found: list[Box], gold: list[Box], matched: tuple[int, int]) -> None:
    assert match_boxes(found, gold) == matched


def scored(project: Project) -> SimulationScore:
    tick(project_id=project.id)
    return score(project, load_gold(project))


def draw(project: Project, chain: int, *boxes: Box) -> None:
    """An expert draws the chain's boxes and settles it."""
    image = project.images.get().id
    for box in boxes:
        act_as_expert(image_id=image, action={"action": "draw", "chain": chain, "box": list(box)}, actor="eve")
    to = {"to": "complete"} if boxes else {"to": "non-visual", "kind": "scene"}
    act_as_expert(image_id=image, action={"action": "send", "chain": chain, **to}, actor="eve")


def linked(*answers: str, name: str = "small") -> Project:
    """Three mentions of people in three captions: the first two are one gold chain with box A, the third has B."""
    gold = [DatasetBox(A, ("x",)), DatasetBox(B, ("y",))]
    texts = ("people: a man", "people: the man", "people: a boy")
    project = project_of(phrases(*texts, chains=["x", "x", "y"], boxes=gold), gold=True, name=name)
    ada, bob = worker(project, "ada"), worker(project, "bob")
    for said in answers:
        answer(project, ada, Task.COREFERENCE_LINK, said)
    if project.questions.filter(state="open", task="chain_verification").exists():
        answer(project, bob, Task.CHAIN_VERIFICATION, "true")
    return project


def test_chains_in_review_are_counted_by_reason_and_right_answers_match_everything() -> None:
    project = linked("same", "different")
    image = project.images.get().id
    act_as_expert(image_id=image, action={"action": "draw", "chain": 0, "box": list(A)}, actor="eve")
    assert score(project, load_gold(project)).review == {"changed by an expert": 1}
    act_as_expert(image_id=image, action={"action": "send", "chain": 0, "to": "complete"}, actor="eve")
    draw(project, 2, B)
    found = scored(project)
    assert (found.chains.gold, found.chains.found, found.chains.matched) == (2, 2, 2)
    assert (found.boxes.gold, found.boxes.found, found.boxes.matched, found.boxes.exact) == (2, 2, 2, 2)
    assert (found.merged_chains.matched, found.merged_boxes.exact, found.drawn, found.left) == (2, 2, 2, 2)
    assert (found.unmatched, found.merges) == ([], [])
    expected = {"matched_links": 100.0, "false_positive_rate": 0.0, "false_negative_rate": 0.0}
    rates = found.links.percentages()
    assert rates | expected == rates
    assert rates["cost"] == pytest.approx(200 / 3, abs=0.01), "two judgments, three admissible pairs"


def test_wrong_and_missed_links_are_counted_and_the_chains_they_spoil_are_listed() -> None:
    project = linked("same", "same")
    found = score(project, load_gold(project))
    assert (found.chains.gold, found.chains.found, found.chains.matched) == (2, 1, 0)
    assert [(row["chain"], row["reason"]) for row in found.unmatched] == [("x", "answers"), ("y", "answers")]
    rates = found.links.percentages()
    assert (rates["false_positive_rate"], rates["false_negative_rate"], rates["matched_links"]) == (100.0, 0.0, 50.0)
    missed = linked("different", name="missed")
    rates = score(missed, load_gold(missed)).links.percentages()
    assert (rates["false_negative_rate"], rates["matched_links"]) == (100.0, 0.0)


def test_merges_are_listed_with_their_overlap_and_types() -> None:
    project = linked("same", "different")
    draw(project, 0, A)
    draw(project, 2, Box(0, 0, 90, 50))
    found = scored(project)
    people = ["people"]
    assert found.merges == [{"image": "1", "boxes": [[0], [1]], "iou": 0.9, "types": [people, people]}]
    assert (found.drawn, found.left) == (2, 1)
    assert (found.merged_chains.found, found.merged_chains.matched) == (1, 0)


@row(("people: a man", "animals: a dog"), "mentions without a type in common")
@row(("people: a man", "people: a boy"), "answers")
def test_the_reason_why_a_gold_chain_is_not_found_is_named(texts: tuple[str, ...], reason: str) -> None:
    project = project_of(phrases(*texts, chains=["x"] * len(texts)), gold=True)
    assert [row["reason"] for row in score(project, load_gold(project)).unmatched] == [reason]


def test_sources_are_those_of_links_that_are_settled_whatever_is_open_elsewhere() -> None:
    texts = ("animals: a dog", "animals: a cat"), ("animals: a cow", "animals: a hen")
    project = project_of(*(phrases(*two, name=str(number)) for number, two in enumerate(texts)))
    assert sources_of_links(project) == {}
    answer(project, worker(project, "ada"), Task.COREFERENCE_LINK, "different")
    assert sources_of_links(project) == {"asked no": 1}, "the second image still asks its link"


BOX, APART = Box(10, 10, 60, 60), Box(100, 10, 150, 60)
TIMES = 600


def view(
    task: Task, image: int, *, drawn: Box = BOX, subject: tuple[int, ...] = (0, 0), boxes_due: tuple[Box, ...] = (BOX,)
) -> View:
    """Return a question about an image whose first two phrases are a chain with one box, and whose third is apart."""
    chains = (TrueChain("a", (0, 1), False, boxes_due), TrueChain("b", (2,), False, (BOX,)))
    gold = TrueImage(str(image), 200, 100, chains)
    boxes = {0: BoxProgress(0, 0, drawn, BoxState.PENDING, 1, 1)}
    progress = ImageProgress(chains={0: ChainProgress(0, [0, 1], representative=0)}, boxes=boxes)
    return View(task, 1, list(subject), progress, gold)


def share(model_annotator: SimulatedModel, answer: Any, task: Task, **about: Any) -> float:
    return sum(model_annotator.answer(view(task, number, **about), seed=1) == answer for number in range(TIMES)) / TIMES


@row(Task.COREFERENCE_LINK, "same", {"subject": (0, 1)})
@row(Task.COREFERENCE_LINK, "different", {"subject": (0, 2)})
@row(Task.BOX_REQUIREMENT, 1, {})
@row(Task.BOX_QUALITY, "good", {})
@row(Task.BOX_QUALITY, "bad", {"drawn": APART})
@row(Task.BOX_COVERAGE, "more needed", {})
def test_a_program_that_was_not_measured_errs_in_the_assumed_share(task: Task, right: Any, about: Any) -> None:
    assert share(SimulatedModel("one", AssumedErrors(0.0)), right, task, **about) == 1.0
    assert share(SimulatedModel("one", AssumedErrors(0.2)), right, task, **about) == pytest.approx(0.8, abs=0.05)


def test_a_measured_program_errs_as_it_was_measured_and_about_the_need_of_a_box_by_direction() -> None:
    boxes = BoxRecord(good=(100.0, 0.0), bad={"person": (50.0, 50.0)})
    model_annotator = SimulatedModel("one", AssumedErrors(0.0, 1.0), boxes, LinkRecord((90.0, 10.0), (90.0, 10.0)))
    assert model_annotator.described == "one: wrong in 25 % about boxes and 10 % about links, as measured"
    assert share(model_annotator, "good", Task.BOX_QUALITY) > 0.97
    assert share(model_annotator, "bad", Task.BOX_QUALITY, drawn=APART) == pytest.approx(0.52, abs=0.06)
    assert share(model_annotator, "same", Task.COREFERENCE_LINK, subject=(0, 1)) == pytest.approx(0.9, abs=0.05)
    needs = BoxRecord(there=(100.0, 0.0), needed=(200.0, 0.0), absent=(40.0, 160.0))
    model_annotator = SimulatedModel("one", AssumedErrors(0.0), needs)
    assert share(model_annotator, 1, Task.BOX_REQUIREMENT) > 0.97
    assert share(model_annotator, 3, Task.BOX_REQUIREMENT, boxes_due=()) == pytest.approx(0.2, abs=0.06)


def test_the_same_state_has_one_answer_and_programs_err_apart() -> None:
    one, other = SimulatedModel("one", AssumedErrors(0.5)), SimulatedModel("other", AssumedErrors(0.5))
    asked = [view(Task.BOX_QUALITY, number) for number in range(60)]
    said = [[model_annotator.answer(each, 1) for each in asked] for model_annotator in (one, one, other)]
    assert said[0] == said[1] != said[2]


MANY = 2000
PROGRAM = 7


def is_wrong(model: SimulatedModel, asked: View) -> bool:
    return bool(model.answer(asked, 1) != SimulatedModel("right", AssumedErrors(0.0)).answer(asked, 1))


@row(Task.COREFERENCE_LINK, {"subject": (0, 1)})
@row(Task.BOX_QUALITY, {"drawn": APART})
@row(Task.BOX_COVERAGE, {})
def test_the_errors_of_two_models_about_one_subject_are_correlated_as_assumed(task: Task, about: Any) -> None:
    for correlation in CORRELATIONS:
        models = [SimulatedModel(name, AssumedErrors(0.22, correlation)) for name in ("one", "other")]
        errors = [[is_wrong(model, view(task, number, **about)) for number in range(MANY)] for model in models]
        assert [fmean(wrong) for wrong in errors] == pytest.approx([0.22, 0.22], abs=0.03)
        assert statistics.correlation(*errors) == pytest.approx(correlation, abs=0.06)


def proposed(task: Task, image: int, *, wrong: bool, subject: tuple[int, ...]) -> View:
    """Return a question about what a program proposed: a box, or the chains of two phrases."""
    asked = view(task, image, drawn=APART if wrong else BOX, subject=subject)
    asked.progress.boxes[0] = replace(asked.progress.boxes[0], worker=PROGRAM, pre_annotated=True)
    together = (asked.image.chain_of[0] is asked.image.chain_of[subject[1]]) is not wrong
    asked.progress.program_chains[PROGRAM] = [list(subject)] if together else [[number] for number in subject]
    return asked


@row(Task.BOX_QUALITY, (0, 0))
@row(Task.COREFERENCE_LINK, (0, 1))
@row(Task.COREFERENCE_LINK, (0, 2))
def test_a_model_passes_the_proposers_errors_by_their_correlation_and_no_others(task: Task, subject: tuple[int, ...]):
    kin, other = (SimulatedModel("one", AssumedErrors(0.2, 0.5), proposer=number) for number in (PROGRAM, 8))
    for model, proposer_is_wrong, share in ((kin, True, 0.5 + 0.5 * 0.2), (kin, False, 0.2), (other, True, 0.2)):
        asked = (proposed(task, number, wrong=proposer_is_wrong, subject=subject) for number in range(MANY))
        assert fmean(is_wrong(model, one) for one in asked) == pytest.approx(share, abs=0.03)


def test_two_models_and_the_proposer_err_together_no_more_than_each_pair_does() -> None:
    models = [SimulatedModel(name, AssumedErrors(0.2, 0.25), proposer=PROGRAM) for name in ("one", "other")]
    asked = [proposed(Task.BOX_QUALITY, number, wrong=True, subject=(0, 0)) for number in range(MANY)]
    both = fmean(all(is_wrong(model, one) for model in models) for one in asked)
    common, apart = 0.5 + 0.5 * 0.2, 0.5 * 0.2  # the draw of all is wrong; an own draw is taken and wrong
    assert both == pytest.approx(common * (0.5 + apart) ** 2 + (1 - common) * apart**2, abs=0.03)
    assert band() == ((0.22, 0.25), (0.08, 0.0), (0.3, 0.5)), "the middle of the assumed errors comes first"
    assert band(0.1) == ((0.1, 0.25), (0.1, 0.0), (0.1, 0.5)), "a given error is assumed all over"


def test_about_a_share_of_proposed_boxes_is_good() -> None:
    chains = (TrueChain("a", (0, 1), False, (BOX, APART)), TrueChain("b", (2,), True, ()))
    images = [TrueImage(str(number), 200, 100, chains) for number in range(300)]
    for good in (0.0, 0.7, 1.0):
        rows = [row for image in images for row in SimulatedProposer(good).rows(image, 1)]
        first = [Box(*row[1:]) for row in rows if row[0] == 0]
        found = sum(any(iou(box, true) >= COVERED for true in (BOX, APART)) for box in first) / 600
        assert len(first) == 600 and found == pytest.approx(good, abs=0.05)
        assert sum(row[0] == 2 for row in rows) / 300 == pytest.approx(1 - good, abs=0.07)


AHEAD = {("Assignment", "expires_at")}
"""Times that may lie after those of all others: a lease would have run until then."""


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch, tmp_path: object, settings: object) -> None:
    settings.MEDIA_ROOT = str(tmp_path)  # type: ignore[attr-defined]
    for name, value in {"FINISHED": 1, "IN_WORK": 1, "UNTOUCHED": 1, "BEGUN": 10}.items():
        monkeypatch.setattr(demo, name, value)


def later_than_now() -> Iterator[str]:
    for model in apps.get_models():
        for field in (one for one in model._meta.fields if isinstance(one, DateTimeField)):
            if (model.__name__, field.name) not in AHEAD:
                for row in model._default_manager.filter(**{f"{field.name}__gt": clock.now()}):
                    yield f"{model.__name__} {row.pk}: {field.name} is {getattr(row, field.name)}"


@pytest.mark.slow
def test_everything_in_a_new_demo_has_happened_before_one_looks_at_it_and_in_its_order(small: None) -> None:
    project = demo.build_demo()
    assert project.images.filter(state="merged").count() == 1
    assert list(later_than_now()) == []
    for image in project.images.all():
        times = list(Entry.objects.filter(image=image).order_by("sequence").values_list("created_at", flat=True))
        assert times == sorted(times)
    first = Entry.objects.order_by("created_at").first()
    assert first is not None and project.created_at <= first.created_at
    assert not Assignment.objects.filter(created_at__lt=first.created_at).exists()


@pytest.mark.slow
def test_an_interrupted_demo_goes_on_after_its_last_entry(small: None, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(demo, "HISTORY", 2 * demo.HISTORY)
        patch.setattr(demo, "UNTOUCHED", 0)
        demo.build_demo()
    last = Entry.objects.order_by("-created_at").values_list("created_at", flat=True)[0]
    demo.build_demo()
    assert list(later_than_now()) == []
    newest = Entry.objects.filter(kind="import").order_by("-created_at").values_list("created_at", flat=True)[0]
    assert newest > last


@pytest.mark.both_engines
def test_whoever_tries_the_demo_reads_that_it_is_a_demonstration(small: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(demo, "simulate", lambda **given: None)  # the words of a project do not depend on the crowd
    terms = terms_of(demo.build_demo())
    assert terms.missing == ()
    assert "demonstration" in terms.requester and "show how Chainbox works" in terms.purpose


SHORT = Settings(test_questions=5, probation=8, probation_most=8, trusted_rate=0.1)
EACH = {task.value: 10 for task in PROTOCOL_TASKS}
PAID = replace(SHORT, test_questions=4, probation=5, probation_most=5, reward_cents=EACH)
PLAN = QualityPlan(workers=12, bad=0.5, seed=3, known_questions=24)


def scenes(folder: Path, name: str, count: int, settings: Settings = SHORT) -> Project:
    write_source(folder / name, 2, count, pictures=False)
    project = open_project(name=name, settings=settings)
    import_dataset(project_name=name, path=folder / name, gold=True)
    return project


@pytest.fixture(scope="class")
def run(
    django_db_setup: None, django_db_blocker: Any, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Project, dict[str, Any], dict[str, Any]]]:
    """The project after it, the figures with quality control, and those without."""
    with made_once(django_db_blocker):
        project = scenes(tmp_path_factory.mktemp("quality"), "paid", 3, PAID)
        without = simulate_trusting(project, PLAN)
        assert not Judgment.objects.exists()
        yield project, simulate_quality(project, PLAN), without


class TestTrustedWorkers:
    @pytest.mark.slow
    def test_everything_is_finished_the_record_says_the_same_and_run_again_there_is_nothing_to_do(self, run: Any):
        project, figures, _ = run
        assert not Question.objects.exclude(state="closed").exists()
        assert figures["open_questions"] == 0
        assert list(replay(project)) == []
        before = Judgment.objects.count()
        assert simulate_quality(project, PLAN)["judgments"] == 0
        assert Judgment.objects.count() == before

    def test_real_questions_go_to_workers_who_passed_the_test_and_probation(self, run: Any) -> None:
        for person, task in set(Assignment.objects.exclude(questions=[]).values_list("worker_id", "task")):
            trust = TrustStatus.objects.get(worker=person, task=task)
            assert trust.passed_test and trust.trusted_since is not None

    def test_every_answer_and_its_pay_count_once_in_the_stage_in_which_it_was_given(self, run: Any) -> None:
        _, figures, _ = run
        cost = figures["quality"]["cost"]
        real = Judgment.objects.filter(question__isnull=False)
        known = Judgment.objects.filter(known__isnull=False)
        assert cost["real"]["questions"] == real.count() == figures["judgments"]
        tests = known.filter(assignment__kind="test")
        assert cost["known, in the test"]["questions"] == tests.count() > 0
        probation = known.exclude(assignment__kind="test").filter(assignment__questions=[], assignment__spare=[])
        assert cost["known, in probation"]["questions"] == probation.count() > 0
        assert sum(stage["questions"] for stage in cost.values()) == Judgment.objects.count()
        seconds = sum(SECONDS[Task(one.assignment.task)] for one in tests.select_related("assignment"))
        assert cost["known, in the test"]["seconds"] == pytest.approx(seconds, abs=1)
        earned = sum(Assignment.objects.values_list("earned_cents", flat=True))
        assert sum(stage["cents"] for stage in cost.values()) == earned > 0
        assert cost["known, in the test"]["cents"] == 0 < cost["known, in probation"]["cents"], "tests are not paid"
        fates = figures["quality"]["judgments"]
        assert sum(fates.values()) == figures["judgments"]
        assert fates["counts"] == sum(row["judgments"] for row in figures["quality"]["workers"]) > 0

    def test_fewer_of_the_bad_ones_get_through_and_fewer_judgments_are_wrong(self, run: Any) -> None:
        _, figures, without = run
        honest, *bad = figures["quality"]["workers"]
        assert honest["kind"] == "honest" and honest["workers"] == sum(row["workers"] for row in bad) == 6
        assert sum(row["trusted"] for row in bad) < honest["trusted"] / 2
        assert figures["quality"]["error"] < without["quality"]["error"] / 1.5

    def test_without_it_the_same_crowd_is_asked_no_known_question_and_nothing_of_it_stays(self, run: Any) -> None:
        _, _, without = run
        known = [cost for stage, cost in without["quality"]["cost"].items() if stage != "real"]
        assert all(cost["questions"] == 0 for cost in known)
        assert not Worker.objects.filter(name__contains="trusted").exists()
        assert not any(row["started"] for row in without["quality"]["workers"])

    def test_both_are_printed_beside_one_another(self, run: Any) -> None:
        _, figures, without = run
        said = quality_as_text(figures["quality"])
        assert "simulated" in said and "careless, 65 % right" in said and "$" in said
        table = comparison_as_text(figures, without)
        (line,) = (line for line in table.splitlines() if "answers to known" in line)
        known = sum(cost["questions"] for cost in figures["quality"]["cost"].values()) - figures["judgments"]
        assert line.split()[-2:] == [str(known), "0"]


# On SQLite alone: PostgreSQL gives other ids after an undone run, and draws depend on ids.
@pytest.mark.slow
def test_the_same_plan_gives_the_same_run(tmp_path: Path) -> None:
    project = scenes(tmp_path, "twice", 1)
    small = replace(PLAN, workers=6, bad=0.3, most=5)
    # Places are drawn with the ids of workers and of the project.
    Worker.objects.bulk_create(Worker(name=f"virtual-paper-invited-{n:03}", kind="virtual") for n in range(6))
    runs = [_undone(project, small) for _ in range(2)]
    assert runs[0] == runs[1] and runs[0]["quality"]["cost"]["known, in probation"]["questions"] > 0
    assert _undone(project, replace(small, seed=8)) != runs[0]


def _undone(project: Project, plan: QualityPlan) -> dict[str, Any]:
    with transaction.atomic():
        figures = simulate_quality(project, plan)
        transaction.set_rollback(True)
    return {name: value for name, value in figures.items() if name != "seconds"}


@pytest.mark.slow
def test_in_the_verification_model_judgments_wait_for_their_batches(tmp_path: Path) -> None:
    project = scenes(tmp_path, "batches", 1, replace(SHORT, test_questions=0))
    set_model(project, TrustModel.VERIFICATION.value)
    assert {current_settings(project.id)[1].trust[task] for task in PROTOCOL_TASKS} == {"verification"}
    figures = simulate_quality(project, replace(PLAN, workers=8, bad=0.0))
    assert not Question.objects.exclude(state="closed").exists()
    assert not Assignment.objects.filter(acceptance="waiting").exists()
    assert figures["quality"]["cost"]["known, in probation"]["questions"] == 0
    assert figures["quality"]["judgments"]["counts"] > 0


def test_a_project_that_nobody_can_begin_in_says_what_is_lacking(tmp_path: Path) -> None:
    project = scenes(tmp_path, "closed", 1, replace(SHORT, probation=30, probation_most=30))
    with pytest.raises(SimulationError, match=r"Coreference link: \d+ verification questions \(probation needs 30\)"):
        simulate_quality(project, replace(PLAN, workers=3, known_questions=10))
    assert not Judgment.objects.filter(question__isnull=False).exists()


@pytest.mark.slow
def test_a_stock_changes_nothing_for_a_crowd_that_is_not_under_quality_control(tmp_path: Path) -> None:
    project = scenes(tmp_path, "stocked", 1, replace(SHORT, trusted_rate=0.5))
    call_command("known_questions", project.name, "--from-gold", "10")
    outcome = simulate(project=project, crowd="perfect")
    assert not Question.objects.exclude(state="closed").exists()
    assert set(Judgment.objects.filter(known__isnull=False).values_list("right", flat=True)) == {True}
    assert outcome.judgments.total() == Judgment.objects.filter(question__isnull=False).count()


@pytest.mark.slow
@pytest.mark.both_engines
def test_the_command_writes_both_runs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    project = scenes(tmp_path, "told", 1)
    change_settings(project_id=project.id, settings=replace(SHORT, test_questions=0, probation=2, probation_most=2))
    options = {"quality": True, "workers": 4, "compare": True, "most": 10, "json": tmp_path / "figures.json"}
    call_command("simulate", project.name, crowd="paper", **options)
    data = json.loads((tmp_path / "figures.json").read_text())
    assert data["quality"]["cost"]["known, in probation"]["questions"] > 0
    assert data["without"]["quality"]["cost"]["known, in probation"]["questions"] == 0
    assert "Costs and results" in capsys.readouterr().out
    assert KnownQuestion.objects.filter(retired_at=None).exists()


@row("--bad 0.3", "--bad")
@row("--compare", "--compare")
@row("--quality --bad 1.2", "--bad")
@row("--quality --workers 0", "--workers")
@row("--quality --workers 588", "--workers")
@row("--quality --known-questions -1", "--known-questions")
def test_the_command_refuses_what_makes_no_sense(arguments: str, named: str) -> None:
    open_project(name="small")
    with pytest.raises(CommandError, match=named):
        call_command("simulate", "small", "--crowd", "paper", *arguments.split())
