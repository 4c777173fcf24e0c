import json
from datetime import timedelta
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.utils import timezone

from annotation.models import Chain, Image, Project
from annotation.rules.box import Box
from exchange.dataset import DatasetBox, DatasetImage
from members.models import Role
from pipeline.asking.lease_assignment import lease_assignment
from pipeline.models import Judgment, Question
from pipeline.record.replay import replay
from pipeline.rules.settings.protocol import ProtocolSettings
from pipeline.rules.tasks.task import PROTOCOL_TASKS, Task
from simulation.box_crowd import PerfectBoxes
from simulation.crowd import CROWDS, Crowd, Images
from simulation.link_crowd import PerfectLinks
from simulation.simulate import SECONDS, SimulationError, simulate, virtual_workers
from tests.support.members import sign_in
from tests.support.projects import phrases, project_of
from workers.models import Access, Worker

pytestmark = pytest.mark.django_db


def pair(name: str = "1") -> DatasetImage:
    """A man, called by two names, and his hat; a dog without a box."""
    boxes = [DatasetBox(Box(10, 10, 60, 90), ("man",)), DatasetBox(Box(20, 10, 40, 20), ("hat",))]
    return phrases(
        "people: a man", "people: the tall man", "clothing: a hat", "animals: a dog",
        name=name, chains=["man", "man", "hat", "dog"], boxes=boxes,
    )  # fmt: skip


def gold_project(count: int = 2, name: str = "small", settings: ProtocolSettings | None = None) -> Project:
    images = [pair(str(number)) for number in range(count)]
    return project_of(*images, name=name, gold=True, pictures=False, settings=settings)


def test_it_answers_until_nothing_is_open_through_leases_and_submissions() -> None:
    project = gold_project()
    outcome = simulate(project=project, crowd="perfect")
    assert not Question.objects.exclude(state="closed").exists()
    assert set(Image.objects.values_list("state", flat=True)) == {"merged"}
    assert outcome.judgments.total() == Judgment.objects.count() > 20
    assert outcome.worker_seconds == pytest.approx(sum(SECONDS[Task(t)] * n for t, n in outcome.judgments.items()))
    assert set(Judgment.objects.values_list("worker__kind", flat=True)) == {"virtual"}
    assert set(Chain.objects.values_list("state", flat=True)) == {"complete", "non-visual"}
    assert list(replay(project)) == []


def test_it_shows_how_many_judgments_each_round_added() -> None:
    project, steps = gold_project(), list[int]()
    outcome = simulate(project=project, crowd="perfect", step=steps.append)
    assert sum(steps) == outcome.judgments.total() and len(steps) > 3


def test_it_stops_after_about_so_many_judgments_and_goes_on_when_run_again() -> None:
    project = gold_project(4)
    first = simulate(project=project, crowd="perfect", most=10)
    assert 10 <= first.judgments.total() < 80
    assert Question.objects.exclude(state="closed").exists()
    second = simulate(project=project, crowd="perfect")
    assert not Question.objects.exclude(state="closed").exists()
    assert first.judgments.total() + second.judgments.total() == Judgment.objects.count()
    assert simulate(project=project, crowd="perfect").judgments.total() == 0


def test_a_lease_that_another_run_left_behind_is_waited_for() -> None:
    project = gold_project(1)
    (late,) = virtual_workers(project, "perfect", 1)
    long_ago = timezone.now() - timedelta(minutes=20)
    assert lease_assignment(project_id=project.id, worker_id=late.id, task=Task.COREFERENCE_LINK, now=long_ago)
    simulate(project=project, crowd="perfect")
    assert not Question.objects.exclude(state="closed").exists()


def test_a_project_without_images_or_without_gold_is_refused_in_words() -> None:
    empty = project_of(name="empty")
    with pytest.raises(SimulationError, match="empty has no images"):
        simulate(project=empty, crowd="perfect")
    some = project_of(phrases("people: a man"), name="some")
    with pytest.raises(SimulationError, match="1 of the 1 images of some have no gold"):
        simulate(project=some, crowd="perfect")


def test_a_crowd_too_small_for_the_protocol_ends_in_review_and_not_in_a_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    def lonely(images: Images, seed: int) -> Crowd:
        links = [(g.key, m, {n: chain.name for n, chain in g.chain_of.items()}) for g, m in images]
        return Crowd(1, PerfectLinks(links), PerfectBoxes())

    monkeypatch.setitem(CROWDS, "lonely", lonely)
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
    assert {"images", "judgments", "judgments_per_task", "seconds", "in_review", "chains", "boxes", "merged"} <= set(
        data
    )
    assert (data["images"], data["in_review"]) == (2, 0)
    assert data["chains"]["gold"] == data["chains"]["found"] == data["chains"]["matched"] == 6
    assert data["boxes"]["gold"] == data["boxes"]["found"] == data["boxes"]["matched"] == 4
    assert "nothing is open" in capsys.readouterr().out


@pytest.mark.parametrize(
    "arguments",
    [["nowhere", "--crowd", "perfect"], ["small", "--crowd", "lazy"], ["small", "--crowd", "perfect", "--most", "-1"]],
)
def test_the_command_refuses_what_makes_no_sense(arguments: list[str]) -> None:
    gold_project(1)
    with pytest.raises(CommandError):
        call_command("simulate", *arguments)
    assert Judgment.objects.count() == 0


def test_a_project_that_does_not_run_says_so_and_how_to_start_it() -> None:
    project = gold_project(1)
    Project.objects.update(state="draft")
    with pytest.raises(CommandError, match=r"small is draft, and only a running project .*project_state small running"):
        call_command("simulate", project.name, "--crowd", "perfect")


def test_the_pages_of_a_project_say_that_virtual_workers_answered(client: Client) -> None:
    project = gold_project(1)
    sign_in(client, project, Role.REQUESTER)
    pages = [f"/projects/{project.name}/", f"/projects/{project.name}/dashboard/"]
    assert not any("Virtual workers answered here" in client.get(page).text for page in pages)
    simulate(project=project, crowd="perfect", most=1)
    assert all("Virtual workers answered here" in client.get(page).text for page in pages)
