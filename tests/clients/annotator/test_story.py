"""A model annotator and people annotate drawn scenes to the end, on a real service and a twin of a model server."""

import json
import os
import re
import signal
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from io import StringIO
from itertools import chain, cycle
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.db import connection
from django.test import Client

from annotation.models import Image, Project
from exchange.import_dataset import import_dataset
from pipeline.models import Assignment, Judgment
from pipeline.protocol.tasks.task import PROTOCOL_TASKS
from pipeline.record.read_record import replay
from pipeline.settings.of_belief import BoxPolicyName
from pipeline.settings.settings import Settings
from pipeline.tick import tick
from projects.predictions.judges import set_to_work
from simulation.scenes.scene import make_scenes, write_source
from studies.http_load.running_service import running
from tests.support.api import ApiWorker
from tests.support.places import ROOT
from tests.support.projects import worker
from tests.support.services import PATIENCE, child, wait_until
from tests.twins.chat import ChatTwin, Truth, TwinModel
from tests.twins.chat.faults import PAID, PASSING
from tests.twins.chat.twin import KEY
from workers.models import Worker

pytestmark = [pytest.mark.services, pytest.mark.django_db(transaction=True)]
SEED, PEOPLE, KILLS, AT_ONCE = 3, 11, 3, 4
FIRST_CALLS = 20
"""Calls of the last run before people begin: enough to meet faults that pass and replies that are paid."""
REASONS = {"a refusal of the model", "no JSON", "JSON of another shape", "JSON that cannot be read"}
REASONS |= {"a reply that was cut off"}
FEW = Settings(batch=dict.fromkeys((task.value for task in PROTOCOL_TASKS), 4))
BY_BELIEF = replace(FEW, box_policy=BoxPolicyName.BELIEF)


@dataclass
class Annotator:
    """The command, as a researcher calls it."""

    service: str
    project: str
    twin: ChatTwin
    folder: Path
    key: str

    @property
    def command(self) -> list[str]:
        of_service = ["--service", self.service, "--project", self.project, "--work", str(self.folder)]
        of_model = ["--server", self.twin.url, "--model", "twin", "--coordinates", "0-1000-yx"]
        ways = ["--at-once", str(AT_ONCE), "--patience", "600", "--longest-side", "640"]
        return [sys.executable, "-m", "clients.annotator", "answer", *of_service, *of_model, *ways]

    def stored(self) -> set[str]:
        """Return the digests of the replies that are stored."""
        replies = self.folder / "replies.jsonl"
        lines = replies.read_text().splitlines(keepends=True) if replies.exists() else []
        return {json.loads(line)["digest"] for line in lines if line.endswith("\n")}

    def run(self, log: Path) -> Any:
        env = {**os.environ, "ANNOTATOR_KEY": self.key, "ANNOTATOR_MODEL_KEY": KEY}
        return child(self.command, log, env=env, cwd=str(ROOT), stop=signal.SIGINT)


@pytest.mark.slow
def test_three_images_are_annotated_to_the_end_with_a_worker_that_is_killed_and_then_with_one_that_judges_boxes(
    real_services: None, tmp_path: Path, settings: Any
) -> None:
    with stories(tmp_path, settings, images=3) as place:  # to start the service takes as long as one of them
        story(place, "killed", FEW, kills=KILLS, calls_before_kill=12)
        story(place, "judges", BY_BELIEF)


@pytest.mark.long
def test_sixty_images_are_annotated_to_the_end(real_services: None, tmp_path: Path, settings: Any) -> None:
    with stories(tmp_path, settings, images=60) as place:
        story(place, "killed", FEW, kills=KILLS, calls_before_kill=200)


@dataclass
class Place:
    """A running service and drawn scenes, about which a twin of a model server knows the truth."""

    folder: Path
    address: str
    images: int
    truth: Truth
    model: TwinModel


@contextmanager
def stories(folder: Path, settings: Any, *, images: int) -> Iterator[Place]:
    settings.DATA = folder / "data"
    settings.MEDIA_ROOT = folder / "data" / "media"
    write_source(folder / "source", SEED, images)
    truth = Truth([scene.image for scene in make_scenes(SEED, images)])
    model = TwinModel(truth, folder / "source" / "images", form="0-1000-yx", error=0.03)
    with running(folder, web_processes=1) as stack:
        yield Place(folder, f"http://127.0.0.1:{stack.ports[0]}", images, truth, model)


def story(place: Place, name: str, settings: Settings, kills: int = 0, calls_before_kill: int = 0) -> None:
    """Annotate, kill the annotator a few times, and check that nothing was paid twice and the record is whole."""
    import_dataset(project_name=name, path=place.folder / "source", gold=True, settings=settings)
    project = Project.objects.get(name=name)
    tick()
    people = [ApiWorker(Client(), worker(project, f"person-{n}"), name) for n in range(PEOPLE)]
    folder, truth, images = place.folder / name, place.truth, place.images
    folder.mkdir()
    with ChatTwin(place.model.reply) as twin:
        twin.every = (5, tuple(chain.from_iterable(zip(PASSING, cycle(PAID)))))
        program, key = key_of(project)
        annotator = Annotator(place.address, name, twin, folder / "work", key)
        if settings.box_policy is BoxPolicyName.BELIEF:
            set_to_work(project, program.pk, "rita")
        for number in range(kills):
            killed_in_flight(annotator, folder / f"killed-{number}.log", calls_before_kill)
        before, stored = len(twin.requests), annotator.stored()
        with annotator.run(folder / "last.log") as process:
            assert wait_until(lambda: len(twin.requests) >= before + FIRST_CALLS), (folder / "last.log").read_text()
            while not ended(project):
                assert process.poll() is None, (folder / "last.log").read_text()
                if not answer_once(people, truth):
                    assert wait_until(lambda: ended(project) or project.questions.filter(state="open").exists())
        said = (folder / "last.log").read_text()
    connection.close()  # the processes' writes are seen in a new transaction
    asked_again = {digest for digest, _ in twin.requests[before:]}
    assert not asked_again & stored and asked_again
    assert list(replay(project)) == []
    assert "Traceback" not in said and "The same command goes on" in said, said
    assert not Assignment.objects.filter(state="active", worker=program).exists()
    assert set(skipped(said)) <= REASONS and sum(skipped(said).values()) > 0
    assert states(project).count("merged") >= images / 3
    assert Judgment.objects.filter(worker=program).count() >= (FIRST_CALLS + kills * calls_before_kill) / 2


def killed_in_flight(annotator: Annotator, log: Path, calls: int) -> None:
    """Let the annotator work until so many calls were answered, and kill it with calls in flight.

    No call may ask for what was stored before.
    """
    stored, before = annotator.stored(), len(annotator.twin.requests)
    annotator.twin.hold(after=calls)
    with annotator.run(log) as process:
        assert annotator.twin.reached.wait(PATIENCE), log.read_text()
        process.kill()
        process.wait()
    annotator.twin.release()
    assert not stored & {digest for digest, _ in annotator.twin.requests[before:]}
    assert len(annotator.stored()) > len(stored)


def key_of(project: Project) -> tuple[Worker, str]:
    """Make a program for the project. Returns it and its key."""
    out, name = StringIO(), f"model of {project.name}"
    call_command("make_api_key", name, project=project.name, trusted=True, stdout=out, stderr=StringIO())
    return Worker.objects.get(name=name), out.getvalue().strip()


def ended(project: Project) -> bool:
    """Tell whether every image is finished, or waits for an expert."""
    return all(one in ("merged", "in review") for one in states(project))


def states(project: Project) -> list[str]:
    return list(Image.objects.filter(project=project).values_list("state", flat=True))


def answer_once(people: Sequence[ApiWorker], truth: Truth) -> int:
    """Let one person answer an assignment of each task, rightly. Returns the number of assignments."""
    answered = 0
    for task in PROTOCOL_TASKS:
        for person in people:
            if given := person.ask(task):
                person.submit(given, *[truth.of_question(task.value, question) for question in given["questions"]])
                answered += 1
                break
    return answered


def skipped(said: str) -> Counter[str]:
    """Return the reasons for skips that the annotator counted."""
    found: Counter[str] = Counter()
    for reasons in re.findall(r"skipped \((.*?)\)", said):
        for one in reasons.split(", "):
            count, _, reason = one.partition(" ")
            found[reason] += int(count)
    return found
