"""An expert's act is taken back: the image is as before, unless something depends on the act."""

from dataclasses import replace
from functools import cache
from typing import Any

import pytest

from annotation.rules.states import BoxState, ChainState
from pipeline.rules.entries.expert_acts import ACTIONS
from pipeline.rules.entries.image_machine import EntryKind, RecordError
from pipeline.rules.entries.undo import CannotUndoError, fold_record
from pipeline.rules.progress.progress import ImageProgress
from pipeline.rules.progress.progress_json import to_json
from pipeline.rules.tasks.task import Task
from tests.support.images import MAN, PARK, Story, imported, started

COUNTERS = {"sequence", "asked", "drawn", "numbered"}


def image(progress: ImageProgress) -> dict[str, Any]:
    """Return all of the progress but its counters: numbers are never used again."""
    return {name: value for name, value in to_json(progress).items() if name not in COUNTERS}


@cache
def made_once() -> Story:
    story = started([MAN, PARK], [MAN], [MAN])
    story.link((0, 2), (0, 3))
    story.judge(Task.CHAIN_VERIFICATION, "true")
    story.draw_accepted()
    return story


def boxed() -> Story:
    """An image of a man with a box in coverage, a park in requirement, and two men that wait to be linked."""
    return replace(made_once(), record=[*made_once().record])  # a story puts new progress in the place of the old


ACTS: dict[str, dict[str, Any]] = {
    "review": {"chain": 0},
    "send": {"chain": 0, "to": "drawing"},
    "ask others": {"chain": 0, "to": "coverage"},
    "join": {"chains": [0, 1]},
    "split": {"chain": 0, "parts": [[0], [2, 3]]},
    "draw": {"chain": 0, "box": [1, 2, 30, 40]},
    "move box": {"box": 0, "to": [1, 2, 30, 40]},
    "delete box": {"box": 0},
    "retype": {"mention": 0, "types": ["other"]},
    "rechunk": {"remove": [0], "add": [[4, 1, 5, 6, ["other"], "hat"]]},
    "take back": {"labels": [[[0, 2], [], "no box"], [[3], [[1, 2, 30, 40]], ""]], "was": [[[0, 2, 3], [], ""]]},
}


def test_after_an_undo_the_image_is_as_before_and_an_undo_of_that_brings_the_act_back() -> None:
    for action, arguments in ACTS.items():
        story = boxed()
        before = image(story.progress)
        entry = story.expert(action, **arguments)
        after = image(story.progress)
        assert after != before, action
        undone = story.undo(entry)
        assert image(story.progress) == before, action
        assert image(fold_record(story.record)) == before, action
        story.undo(undone)
        assert image(story.progress) == after, action


def test_a_link_is_undone_while_the_image_is_being_linked() -> None:
    story = started([MAN], [MAN], [MAN])
    before = image(story.progress)
    entry = story.expert("link", first=0, second=1, same=False)
    assert story.progress.given
    story.undo(entry)
    assert image(story.progress) == before


def test_a_box_that_was_accepted_against_the_crowd_is_discarded_again() -> None:
    story = boxed()
    story.judge(Task.BOX_COVERAGE, "more needed")
    story.judge(Task.BOX_DRAWING, {"box": [60, 60, 90, 90]}, worker=3)
    story.judge(Task.BOX_QUALITY, "bad", worker=4)
    before = image(story.progress)
    entry = story.expert("accept box", box=1)
    assert story.boxes(BoxState.ACCEPTED) == [0, 1]
    story.undo(entry)
    assert image(story.progress) == before


def test_found_phrases_are_undone_while_linking_has_not_begun() -> None:
    story = imported([MAN])
    story.progress.waiting = True
    story.record[0][0].data["waiting"] = True
    entry = story.expert("chunk", add=[[1, 1, 0, 2, ["people"], "a boy"]])
    story.undo(entry)
    assert story.progress.waiting and list(story.progress.mentions) == [0]


def test_every_kind_of_act_is_undone_in_some_test_above() -> None:
    assert {*ACTS, "link", "accept box", "chunk", "confirm"} == set(ACTIONS)


def test_questions_that_the_act_closed_are_open_again_under_their_numbers() -> None:
    story = boxed()
    asked = dict(story.progress.open)
    entry = story.expert("send", chain=0, to="drawing")
    opened = set(story.progress.open) - set(asked)
    story.undo(entry)
    assert story.progress.open == asked
    assert story.progress.asked > max(opened), "no number is given twice"


def test_an_act_on_one_chain_is_undone_though_workers_have_answered_about_another() -> None:
    story = boxed()
    entry = story.expert("send", chain=0, to="drawing")
    for worker in (7, 8):
        story.judge(Task.BOX_REQUIREMENT, 2, worker, [1])
    assert story.state(1) is ChainState.NON_VISUAL
    story.undo(entry)
    assert (story.state(0), story.state(1)) == (ChainState.COVERAGE, ChainState.NON_VISUAL)


def test_an_act_stays_once_a_worker_has_answered_a_question_that_it_opened() -> None:
    story = boxed()
    entry = story.expert("send", chain=0, to="drawing")
    answer = story.judge(Task.BOX_DRAWING, {"box": [60, 60, 90, 90]}, worker=3)
    with pytest.raises(CannotUndoError, match=f"A worker has answered since, in entry {answer}") as refused:
        story.undo(entry)
    assert refused.value.entry == answer


def test_an_act_stays_until_a_later_act_on_its_chain_is_undone() -> None:
    story = boxed()
    before = image(story.progress)
    first = story.expert("draw", chain=0, box=[1, 2, 30, 40])
    second = story.expert("send", chain=0, to="complete")
    with pytest.raises(CannotUndoError, match=f"entry {second}, depends on it: undo that one first"):
        story.undo(first)
    story.undo(second)
    story.undo(first)
    assert image(story.progress) == before


def test_an_act_is_undone_once_and_only_acts_are() -> None:
    story = boxed()
    entry = story.expert("review", chain=0)
    story.undo(entry)
    with pytest.raises(CannotUndoError, match="was undone already"):
        story.undo(entry)
    for number in (0, 1, entry + 9):
        with pytest.raises(CannotUndoError, match="not an act of an expert"):
            story.undo(number)


def test_merging_goes_with_the_act_that_completed_the_image_and_comes_back_with_it() -> None:
    story = started([MAN])
    story.complete()
    story.add(EntryKind.MERGE)
    merged = image(story.progress)
    opened = story.expert("send", chain=0, to="drawing")
    story.undo(opened)
    assert image(story.progress) == merged
    story.expert("draw", chain=0, box=[60, 60, 90, 90])
    waits = image(story.progress)
    entry = story.expert("send", chain=0, to="complete")
    story.add(EntryKind.MERGE)
    both = image(story.progress)
    undo = story.undo(entry)
    assert image(story.progress) == waits
    story.undo(undo)
    assert image(story.progress) == both


def test_an_undo_cannot_act_without_the_record() -> None:
    with pytest.raises(RecordError, match="needs the whole record"):
        boxed().add(EntryKind.UNDO, {"undo": 1})


def test_moves_of_an_undo_say_what_moved_back() -> None:
    story = boxed()
    story.undo(story.expert("send", chain=0, to="drawing"))
    last = story.record[-1][0].sequence
    moves = [(m.machine.value, m.subject, m.old, m.new) for m in story.progress.moves if m.entry == last]
    assert ("chain", 0, "drawing", "coverage") in moves
    assert {reason for m in story.progress.moves if m.entry == last for reason in [m.reason]} == {"undone"}
