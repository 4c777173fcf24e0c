from dataclasses import replace as changed
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from annotation.models import Box, Chain, Image, Mention, MergedBox
from exchange.import_image import import_image
from pipeline.models import Assignment, Entry, Judgment, Progress, Question, Transition
from pipeline.record.fold_judgments import AFTER_LINKING, fold_judgments
from pipeline.record.merge_images import merge_images
from pipeline.record.replay import replay
from pipeline.record.schedule_links import schedule_links
from pipeline.rules.linking.link_strategy import Strategy
from pipeline.rules.settings.protocol import ProtocolSettings
from pipeline.rules.tasks.task import Task
from pipeline.tick import tick
from tests.support.projects import answer, box, lease, phrases, project_of, states, submit, worker

pytestmark = pytest.mark.django_db

LINK, ASK, DRAW = Task.COREFERENCE_LINK, Task.BOX_REQUIREMENT, Task.BOX_DRAWING


def everything() -> list[Any]:
    tables = (Image, Chain, Box, Mention, MergedBox, Question, Assignment, Progress, Entry, Transition, Judgment)
    return [sorted(map(repr, table.objects.values_list())) for table in tables]


def test_ticking_again_changes_nothing_at_any_moment() -> None:
    project = project_of(phrases("people: a man", "people: a boy"))
    people = [worker(project, name) for name in ("ada", "bob", "cleo", "dan", "eve")]
    answers: list[tuple[Task, Any]] = [
        (LINK, "same"),
        (Task.CHAIN_VERIFICATION, "true"),
        (DRAW, box(1, 1, 50, 50)),
        (Task.BOX_QUALITY, "good"),
        (Task.BOX_COVERAGE, "all there"),
        (Task.BOX_COVERAGE, "all there"),
    ]
    for number, (task, said) in enumerate(answers):
        submit(lease(project, people[number % 5], task), said)
        tick(project_id=project.id)
        before = everything()
        tick(project_id=project.id)
        tick()
        assert everything() == before, f"after {task}"
    assert Image.objects.get().state == "merged"
    assert list(replay(project)) == []


def test_each_job_does_its_part_and_nothing_else() -> None:
    project = project_of(phrases("animals: a dog", "animals: a cat"), phrases("animals: a cow", name="2"))
    submit(lease(project, worker(project, "ada"), LINK), "different")
    submit(lease(project, worker(project, "bob"), ASK), 3)
    assert fold_judgments(AFTER_LINKING, project_id=project.id).judgments == 1
    assert states(project, LINK) == ["answered"]
    assert schedule_links(project_id=project.id).entries == 1
    assert fold_judgments(AFTER_LINKING, project_id=project.id).judgments == 0
    assert schedule_links(project_id=project.id).entries == 0
    assert states(project) == ["closed", "open", "open", "open"]
    for name in ("cleo", "dan"):
        for task in (ASK, DRAW):
            if project.questions.filter(state="open", task=task.value).exists():
                submit(lease(project, worker(project, name), task), *[3] * 10)
        fold_judgments(AFTER_LINKING, project_id=project.id)
    assert Image.objects.filter(state="merged").count() == 0
    assert merge_images(project_id=project.id) == 2
    assert merge_images(project_id=project.id) == 0
    assert set(Image.objects.values_list("state", flat=True)) == {"merged"}


def test_a_tick_brings_expired_work_back_and_what_it_finds_late_is_done_too() -> None:
    project = project_of(phrases("animals: a dog"))
    held = lease(project, worker(project, "ada"), ASK)
    tick(now=held.expires_at + timedelta(seconds=1))
    assert Assignment.objects.get().state == "expired"
    assert Question.objects.get().assignment_id is None


def test_a_tick_of_one_project_leaves_the_others_alone() -> None:
    project = project_of(phrases("animals: a dog"))
    other = project_of(phrases("animals: a dog"), name="other")
    submit(lease(other, worker(other, "ada"), ASK), 1)
    tick(project_id=project.id)
    assert states(other) == ["answered"]
    tick()
    assert states(other) == ["closed", "open"]


def test_an_image_without_any_mention_is_merged_at_once() -> None:
    project = project_of(phrases("animals: a dog"))
    empty = phrases("animals: a dog", name="empty")
    bare = changed(empty, mentions=())
    import_image(project, 1, bare, picture="", gold=False, settings_version=1)
    tick(now=timezone.now())
    assert Image.objects.get(name="empty").state == "merged"
    assert list(replay(project)) == []


@pytest.mark.both_engines
def test_images_begin_as_links_are_answered_so_that_some_are_finished_before_others_begin(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("pipeline.record.schedule_links.AHEAD", 2)
    monkeypatch.setattr("pipeline.record.fold_judgments.PAIRS_AT_ONCE", 4)  # a transaction begins one image
    images = [phrases("people: a man", "people: a boy", name=str(number)) for number in range(4)]
    project = project_of(*images)
    assert states(project, LINK) == ["open", "open"]
    tick(project_id=project.id)
    assert states(project, LINK) == ["open", "open"], "enough is open"
    answer(project, worker(project, "ann"), LINK, "different")
    assert states(project, LINK) == ["closed", "open", "open"]
    unseen = project_of(*images, name="unseen", pictures=False)
    assert len(states(unseen, LINK)) == 4, "questions that nobody can be shown hold nothing up"
    for telling_first, begun in ((False, 2), (True, 4)):
        settings = ProtocolSettings(strategy=Strategy.ADAPTIVE, telling_first=telling_first)
        adaptive = project_of(*images, name=f"adaptive-{begun}", settings=settings)
        assert len(states(adaptive, LINK)) == begun, "the most telling links are sought in all images"


def test_no_image_begins_while_enough_answers_wait_to_be_folded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pipeline.record.schedule_links.AHEAD", 2)
    monkeypatch.setattr("pipeline.record.fold_judgments.PAIRS_AT_ONCE", 4)  # a transaction takes one image
    project = project_of(*(phrases("people: a man", "people: a boy", name=str(number)) for number in range(8)))
    submit(lease(project, worker(project, "ada"), LINK), "different", "different")
    assert schedule_links(project_id=project.id, rounds=0) == (0, True)
    assert states(project, LINK) == ["answered"] * 2, "the runners are behind: more questions would wait, too"
    assert schedule_links(project_id=project.id).entries == 4
    assert states(project, LINK) == ["closed", "closed", "open", "open"]
