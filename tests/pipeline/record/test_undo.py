"""Undo in the database: after every kind of act the tables are as before, and what the record makes them."""

from typing import Any

import pytest

from annotation.models import Box, Image, Project
from pipeline.asking.lease_assignment import lease_assignment
from pipeline.models import Entry, Judgment, Question, Transition
from pipeline.record.intervene import act_as_expert, preview_undo, undo_entry
from pipeline.record.replay import replay, stored_rows
from pipeline.rules.entries.undo import CannotUndoError
from pipeline.rules.progress.rows import rows_of
from pipeline.rules.tasks.task import Task
from pipeline.tick import tick
from tests.support.projects import answer, box, lease, phrases, project_of, submit, worker

pytestmark = pytest.mark.django_db

DRAW, GOOD, COVER = Task.BOX_DRAWING, Task.BOX_QUALITY, Task.BOX_COVERAGE


@pytest.fixture
def project() -> Project:
    """One image: two phrases of one chain, with a box, whose drawing goes on; and a dog in box requirement."""
    made = project_of(phrases("people: a man", "people: the man", "animals: a dog"))
    crew = [worker(made, name) for name in ("ada", "bob", "cleo", "dan", "eve")]
    answer(made, crew[0], Task.COREFERENCE_LINK, "same")
    answer(made, crew[1], Task.CHAIN_VERIFICATION, "true")
    answer(made, crew[0], DRAW, box(1, 1, 50, 50))
    answer(made, crew[1], GOOD, "good")
    answer(made, crew[2], COVER, "more needed")
    return made


ACTS: dict[str, dict[str, Any]] = {
    "review": {"chain": 0},
    "send": {"chain": 0, "to": "complete"},
    "ask others": {"chain": 0, "to": "coverage"},
    "join": {"chains": [0, 2]},
    "split": {"chain": 0, "parts": [[0], [1]]},
    "draw": {"chain": 0, "box": [1, 2, 30, 40]},
    "move box": {"box": 0, "to": [1, 2, 30, 40]},
    "delete box": {"box": 0},
    "accept box": {"box": 1},
    "retype": {"mention": 0, "types": ["other"]},
    "rechunk": {"remove": [0], "add": []},
}


@pytest.mark.parametrize("action", ACTS)
def test_after_an_undo_every_row_is_as_before(project: Project, action: str) -> None:
    crew = {one.name: one for one in (worker(project, name) for name in ("dan", "eve"))}
    if action == "accept box":
        answer(project, crew["dan"], DRAW, box(60, 1, 90, 50))
        answer(project, crew["eve"], GOOD, "bad")
    image = project.images.get().id
    before = stored_rows([image])[image]
    act_as_expert(image_id=image, action={"action": action, **ACTS[action]}, actor="rita")
    assert stored_rows([image])[image] != before
    entry = Entry.objects.get(kind="expert")
    preview = preview_undo(image_id=image, entry=entry.sequence)
    undo_entry(image_id=image, entry=entry.sequence, actor="rita", reason="a slip")
    assert stored_rows([image])[image] == before == rows_of(preview.after)
    assert list(replay(project)) == []
    undo = Entry.objects.get(kind="undo")
    assert (undo.data, undo.actor, undo.reason) == ({"undo": entry.sequence}, "rita", "a slip")
    undo_entry(image_id=image, entry=undo.sequence, actor="rita")
    assert stored_rows([image])[image] != before
    assert list(replay(project)) == []


def test_a_question_that_is_given_back_is_answered_like_any_other(project: Project) -> None:
    image = project.images.get().id
    asked = Question.objects.get(state="open", task=DRAW.value, chain=0)
    act_as_expert(image_id=image, action={"action": "send", "chain": 0, "to": "complete"}, actor="rita")
    asked.refresh_from_db()
    assert (asked.state, asked.outcome) == ("closed", "changed by an expert")
    undo_entry(image_id=image, entry=Entry.objects.get(kind="expert").sequence, actor="rita")
    asked.refresh_from_db()
    assert (asked.state, asked.outcome) == ("open", "")
    answer(project, worker(project, "dan"), DRAW, box(60, 1, 90, 50))
    asked.refresh_from_db()
    assert asked.state == "closed"
    assert list(replay(project)) == []


def test_who_answered_in_vain_is_not_asked_the_question_that_is_given_back(project: Project) -> None:
    image, dan = project.images.get().id, worker(project, "dan")
    held = lease(project, dan, DRAW)
    act_as_expert(image_id=image, action={"action": "review", "chain": 0}, actor="rita")
    asked = Question.objects.get(task=DRAW.value, chain=0, outcome="changed by an expert")
    # As where answers wait for their batch: it was stored, the question is closed, and it never counted.
    place = {"question": asked, "worker": dan, "assignment": held, "created_at": held.created_at}
    Judgment.objects.create(**place, answer={"none_missing": True})
    undo_entry(image_id=image, entry=Entry.objects.get(kind="expert").sequence, actor="rita")
    asked.refresh_from_db()
    assert (asked.state, asked.skipped) == ("open", [dan.id])
    submit(held)
    again = lease_assignment(project_id=project.id, worker_id=dan.id, task=DRAW, size=5)
    assert again is None or asked.id not in again.questions


def test_an_answer_that_waits_is_folded_first_and_then_the_act_stays(project: Project) -> None:
    image = project.images.get().id
    act_as_expert(image_id=image, action={"action": "send", "chain": 0, "to": "coverage"}, actor="rita")
    submit(lease(project, worker(project, "dan"), COVER), "all there")
    before = stored_rows([image])[image]
    with pytest.raises(CannotUndoError, match="A worker has answered since"):
        undo_entry(image_id=image, entry=Entry.objects.get(kind="expert").sequence, actor="rita")
    tick(project_id=project.id)
    assert Entry.objects.filter(kind="undo").count() == 0
    assert stored_rows([image])[image] != before, "the answer has counted"
    assert list(replay(project)) == []


def test_a_finished_image_that_was_reopened_is_finished_again_after_the_undo() -> None:
    project = project_of(phrases("people: a man"))
    image = project.images.get().id
    for action in (
        {"action": "draw", "chain": 0, "box": [1, 1, 50, 50]},
        {"action": "send", "chain": 0, "to": "complete"},
    ):
        act_as_expert(image_id=image, action=action, actor="rita")
    tick(project_id=project.id)
    before = stored_rows([image])[image]
    assert before.state == "merged" and before.merged
    act_as_expert(image_id=image, action={"action": "delete box", "box": 0}, actor="rita")
    assert (Image.objects.get().state, Box.objects.get().state) == ("in review", "discarded")
    undo_entry(image_id=image, entry=Entry.objects.filter(kind="expert").latest("sequence").sequence, actor="rita")
    assert stored_rows([image])[image] == before
    assert list(replay(project)) == []
    assert Transition.objects.filter(reason="undone", machine="image", new="merged").exists()


@pytest.mark.both_engines
def test_a_chunk_that_an_expert_made_a_phrase_is_a_chunk_again() -> None:
    project = project_of(phrases("people: a man in air"))
    image = project.images.get()
    caption = image.captions.get()
    caption.non_visual = [[3, 4]]
    caption.save()
    act_as_expert(
        image_id=image.id,
        action={"action": "rechunk", "remove": [0], "add": [[1, 0, 3, 4, ["other"], "air"]]},
        actor="r",
    )
    undo_entry(image_id=image.id, entry=Entry.objects.get(kind="expert").sequence, actor="r")
    caption.refresh_from_db()
    assert caption.non_visual == [[3, 4]]
    assert list(replay(project)) == []


def test_a_question_that_an_answer_opened_and_the_act_closed_at_once_is_asked_after_the_undo() -> None:
    """The answer waited when the expert acted: both were entered together, and the question was never a row."""
    made = project_of(phrases("people: a man", "people: the man"))
    submit(lease(made, worker(made, "ada"), Task.COREFERENCE_LINK, size=1), "same")
    image = made.images.get().id
    act_as_expert(
        image_id=image, action={"action": "send", "chain": 0, "to": "non-visual", "kind": "no box"}, actor="rita"
    )
    act = Entry.objects.get(image=image, kind="expert").sequence
    undo_entry(image_id=image, entry=act, actor="rita")
    (question,) = Question.objects.filter(image=image, state="open")
    assert question.task == Task.CHAIN_VERIFICATION
    assert list(replay(made)) == []
