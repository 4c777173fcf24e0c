"""A study with people, rehearsed with a simulated crowd: the two columns, what is missing, and what it can show."""

import json
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from django.core.management import call_command

from annotation.models import Image, Project
from annotation.rules.box import Box
from annotation.rules.states import ImageState
from exchange.dataset import DatasetBox, DatasetImage
from pipeline.models import Entry, Judgment
from pipeline.policies.adaptive_links import LINK_SECONDS
from pipeline.project.settings_versions import change_settings, current_settings
from pipeline.protocol.tasks.chain_verification import VerificationAnswer
from pipeline.protocol.tasks.task import PROTOCOL_TASKS, Task
from platforms.prolific.platform import FEE_PERCENT
from projects.forecast.study import StudyAssumptions, StudyRow, StudyTable, study
from projects.operation import COMMAND_LINE, Estimate
from runtime import clock
from simulation.crowd import Crowd, link_answer
from simulation.predict.estimate import crowd_sd_of_share
from simulation.simulate import SECONDS, CrowdRun, load_gold, virtual_workers
from simulation.view import KnownView, View
from tests.projects.forecast.conftest import REWARDS, TEXTS
from tests.support.projects import phrases, project_of
from tests.support.settings_with import settings_with
from workers.models import TrustStatus, Worker
from workers.rules.trust_states import TrustState

pytestmark = pytest.mark.django_db
IMAGES = 4
ASSUMED = StudyAssumptions(repetitions=2)
SETTINGS_FILE = Path("docs/how-to/study_settings.json")
EUROS_FOR_A_POUND = 1.17
COST, CENTS, LOST, EXACT, CONFIDENCE, OF_SEVERAL = (
    "answers an image",
    "cents an image",
    "began a task, not trusted (%)",
    "exact chains (%)",
    "confidence less right (points)",
    "the same of several phrases",
)


def two_men(name: str) -> DatasetImage:
    """Make an image of two men, whose phrases could mean one man, and of a hat."""
    places = {"man": Box(10, 10, 60, 90), "other": Box(100, 10, 150, 90), "hat": Box(160, 10, 190, 40)}
    boxes = [DatasetBox(place, (chain,)) for chain, place in places.items()]
    return phrases(*TEXTS, name=name, chains=list(places), boxes=boxes)


class JoiningCrowd(Crowd):
    """Workers who call any two phrases one thing, and answer all else right."""

    def answer(self, view: View | KnownView, worker: int) -> object:
        if view.task is Task.CHAIN_VERIFICATION:
            return VerificationAnswer.TRUE.value
        return link_answer(same=True) if view.task is Task.COREFERENCE_LINK else super().answer(view, worker)


class SlowRun(CrowdRun):
    """Workers who take three times as long as those of the paper."""

    def pace(self, worker: int) -> float:
        return 3.0


@pytest.fixture
def rehearsed(db: None) -> Project:
    settings = settings_with(strategy="adaptive", link_stop=0.001, box_policy="belief", reward_cents=REWARDS)
    return project_of(*map(two_men, map(str, range(IMAGES))), name="study", gold=True, settings=settings)


def rehearse(project: Project, most: int | None = None) -> None:
    workers = virtual_workers(project, "joining", 8)
    SlowRun(project, load_gold(project), JoiningCrowd(8), workers, 0).until_nothing_is_open(most, lambda _: None)


def table_of(project: Project) -> StudyTable:
    return study(project, ASSUMED, COMMAND_LINE)


def row(table: StudyTable, quantity: str) -> StudyRow:
    return next(row for row in table.rows if row.quantity == quantity)


def measured(table: StudyTable, quantity: str) -> Estimate:
    found = row(table, quantity).measured
    assert found
    return found


def simulated(table: StudyTable) -> list[Estimate | None]:
    return [row.simulated for row in table.rows]


def test_before_anybody_answers_it_says_what_is_simulated_and_which_differences_the_study_can_show(
    rehearsed: Project,
) -> None:
    table = table_of(rehearsed)
    assert table.measured_with == "nobody"
    assert "Nobody has answered yet." in table.missing
    assert all(row.measured is row.difference is None for row in table.rows)
    # No gold chain of these images has two phrases, so that nothing tells how sure workers are of such chains.
    assert [row.quantity for row in table.rows if row.simulated is None] == [OF_SEVERAL]
    assert f"Not simulated: {OF_SEVERAL}." in table.missing
    # Two crowds differ at least as much as this, however many images there are.
    least = 2.486 * 100 * crowd_sd_of_share(ASSUMED.workers)
    assert all((row(table, quantity).detectable or 0) > least for quantity in (EXACT, CONFIDENCE))
    assert 0 < (row(table, COST).detectable or 0) < (row(table, CENTS).detectable or 0)


def test_a_rehearsal_is_called_one_and_its_column_is_read_from_the_answers_beside_an_unmoved_prediction(
    rehearsed: Project,
) -> None:
    before = table_of(rehearsed)
    rehearse(rehearsed)
    after, answers = table_of(rehearsed), Judgment.objects.count()
    assert after.measured_with == "a simulated crowd"
    assert study.say(after).startswith("A REHEARSAL: a simulated crowd answered.")
    assert (simulated(after), after.simulated_cents) == (simulated(before), before.simulated_cents)
    assert measured(after, COST).value == pytest.approx(answers / IMAGES, abs=0.001)
    assert measured(after, CENTS).value == pytest.approx(after.earned_cents / IMAGES, abs=0.001)
    # Of two men and a hat only the hat's chain is right.
    assert measured(after, EXACT).value == pytest.approx(100 / 3, abs=0.001)
    exact, confidence = row(after, EXACT), row(after, CONFIDENCE)
    assert exact.simulated
    assert exact.simulated.value > 80
    assert exact.difference
    assert exact.difference.high < -30
    assert confidence.difference
    assert confidence.difference.low > 0
    for task in {Task(task) for task in Judgment.objects.values_list("question__task", flat=True)}:
        assert measured(after, f"seconds of {task.label}").value == pytest.approx(3 * SECONDS[task], abs=0.001)


def test_sweeps_are_timed_apart_from_pairs_and_beside_what_so_many_candidates_usually_take(db: None) -> None:
    texts, chains = ("a man", "a boy", "the man", "he", "the boy"), ["man", "boy", "man", "man", "boy"]
    boys = phrases(*(f"people: {text}" for text in texts), name="boys", chains=chains)
    settings = settings_with(strategy="adaptive", sweeps=True, link_stop=0.001, reward_cents=REWARDS)
    project = project_of(boys, two_men("men"), name="swept", gold=True, settings=settings)
    run = SlowRun(project, load_gold(project), Crowd(8), virtual_workers(project, "perfect", 8), 0)
    run.until_nothing_is_open(None, lambda _: None)
    table = table_of(project)
    usual = row(table, "seconds of a sweep").simulated
    assert usual and usual.value > LINK_SECONDS.pair
    assert measured(table, "seconds of a sweep").value == pytest.approx(3 * usual.value, abs=0.01)
    assert measured(table, "seconds of coreference link").value == pytest.approx(3 * LINK_SECONDS.pair, abs=0.001)


def test_a_difference_is_what_was_measured_less_what_was_simulated_and_wider_than_chance_in_crowds(
    rehearsed: Project,
) -> None:
    rehearse(rehearsed)
    for found in table_of(rehearsed).rows:
        if found.simulated and found.measured and found.difference:
            less = found.measured.value - found.simulated.value
            assert found.difference.value == pytest.approx(less, abs=0.002)
            assert found.difference.low <= found.difference.value <= found.difference.high
    exact = row(table_of(rehearsed), EXACT).difference
    assert exact
    assert exact.high - exact.low > 3.2 * 100 * crowd_sd_of_share(ASSUMED.workers)


def test_a_study_that_is_half_done_says_what_is_missing_and_compares_the_finished_images(rehearsed: Project) -> None:
    rehearse(rehearsed)
    Image.objects.filter(project=rehearsed, position__gte=2).update(state=ImageState.BOXING.value)
    table = table_of(rehearsed)
    assert "2 of 4 simulated images are not finished: differences leave them out." in table.missing
    assert any(sentence.startswith("Not measured yet:") and LOST in sentence for sentence in table.missing)
    answers = Judgment.objects.filter(question__image__position__lt=2).count()
    assert measured(table, COST).value == pytest.approx(answers / 2, abs=0.001)


def test_images_without_gold_count_for_cost_alone(rehearsed: Project) -> None:
    rehearse(rehearsed)
    every = Judgment.objects.count() / IMAGES
    rehearsed.images.get(position=0).gold.delete()
    table = table_of(rehearsed)
    assert "1 of 4 simulated images have no gold: exact chains and confidence leave them out." in table.missing
    assert measured(table, COST).value == pytest.approx(every, abs=0.001)
    assert measured(table, EXACT).value == pytest.approx(100 / 3, abs=0.001)


def test_people_are_called_people_and_beside_virtual_workers_a_rehearsal(rehearsed: Project) -> None:
    rehearse(rehearsed)
    first = Judgment.objects.values_list("worker", flat=True)[0]
    Worker.objects.filter(pk=first).update(kind=Worker.Kind.PERSON)
    assert table_of(rehearsed).measured_with == "people and a simulated crowd"
    Worker.objects.update(kind=Worker.Kind.PERSON)
    assert table_of(rehearsed).measured_with == "people"
    assert "REHEARSAL" not in study.say(table_of(rehearsed))


def test_workers_who_began_and_are_not_trusted_count_as_lost(rehearsed: Project) -> None:
    states = (TrustState.TRUSTED, TrustState.TRUSTED, TrustState.BARRED, TrustState.INVITED)
    for number, state in enumerate(states):
        who = Worker.objects.create(name=f"worker {number}")
        TrustStatus.objects.create(worker=who, project=rehearsed, task=PROTOCOL_TASKS[0].value, state=state.value)
    assert measured(table_of(rehearsed), LOST).value == pytest.approx(100 / 3, abs=0.001)


def test_settings_that_change_after_the_first_answer_do_not_change_the_prediction(rehearsed: Project) -> None:
    before = table_of(rehearsed)
    rehearse(rehearsed, most=1)
    version, settings = current_settings(rehearsed.pk)
    with clock.moved(timedelta(hours=1)):
        change_settings(project_id=rehearsed.pk, settings=replace(settings, link_stop=0.5), reason="cheaper")
    after = table_of(rehearsed)
    assert after.settings_version == before.settings_version == version
    assert simulated(after) == simulated(before)


def test_what_experts_changed_is_named(rehearsed: Project) -> None:
    first = {"project": rehearsed, "image": rehearsed.images.all()[0], "sequence": 99, "settings_version": 1}
    Entry.objects.create(**first, kind="expert", data={}, created_at=clock.now())
    assert any(sentence.startswith("Experts have changed 1 image:") for sentence in table_of(rehearsed).missing)


def test_the_template_fits_a_project_and_300_euros_with_the_fee_of_prolific(rehearsed: Project, tmp_path: Path) -> None:
    version = str(current_settings(rehearsed.pk)[0])
    call_command("change_settings", "study", str(SETTINGS_FILE), "--reason", "the study", "--based-on", version)
    settings = current_settings(rehearsed.pk)[1]
    assert settings.spend_cap_cents / 100 * (1 + FEE_PERCENT / 100) * EUROS_FOR_A_POUND < 300
    options = ["--repetitions", "2", "--json", str(tmp_path / "table.json")]
    call_command("study", "study", *options)
    assert StudyTable.model_validate(json.loads((tmp_path / "table.json").read_text())).currency == "GBP"
