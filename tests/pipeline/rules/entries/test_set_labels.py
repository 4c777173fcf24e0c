"""An expert confirms labels as they are, or gives phrases other labels in one act."""

from typing import Any

import pytest

from annotation.rules.states import ChainState, ImageState
from pipeline.rules.checking.label import labels_now
from pipeline.rules.checking.word_of_expert import rows_of
from pipeline.rules.entries.expert import ExpertError
from pipeline.rules.entries.image_machine import EntryKind
from pipeline.rules.entries.set_labels import CONFIRM, TAKE_BACK
from pipeline.rules.entries.undo import fold_record
from pipeline.rules.progress.progress_json import to_json
from tests.pipeline.rules.image.test_checked import LEFT, RIGHT, checking
from tests.support.images import Story

MAN, DOG = [[0, 2], [LEFT], ""], [[1], [RIGHT], ""]
SCENE = [[1], [], "scene"]


def merged() -> Story:
    """A finished image in which nothing has changed."""
    captions = [("people", "a man")], [("animals", "a dog")], [("people", "the man")]
    boxes = [[0, *LEFT], [2, *LEFT], [1, *RIGHT]]
    story = checking(*captions, chains=[[0, 2], [1]], boxes=boxes)
    story.add(EntryKind.MERGE)
    return story


def same(story: Story, other: Any) -> bool:
    return {**to_json(story.progress), "sequence": 0} == {**other, "sequence": 0}


def test_a_confirmation_is_kept_and_changes_nothing():
    story = merged()
    before = to_json(story.progress)
    entry = story.expert(CONFIRM, labels=[MAN, DOG])
    assert same(story, before)
    story.undo(entry)
    assert same(story, before)


@pytest.mark.parametrize(
    "changed", [[[[0, 1, 2], [LEFT, RIGHT], ""]], [[[0], [LEFT], ""], [[1, 2], [RIGHT], ""]], [MAN, SCENE]]
)
def test_labels_are_taken_back_in_one_act_and_that_is_undone_in_one(changed: list[Any]):
    story = merged()
    forth = story.expert(TAKE_BACK, labels=changed, was=[MAN, DOG])
    assert rows_of(labels_now(story.progress)) == changed
    story.add(EntryKind.MERGE)
    after = to_json(story.progress)
    story.expert(TAKE_BACK, labels=[MAN, DOG], was=changed)
    assert rows_of(labels_now(story.progress)) == [MAN, DOG]
    assert {chain.state for chain in story.progress.chains.values()} == {ChainState.COMPLETE}
    assert to_json(fold_record(story.record)) == to_json(story.progress)
    assert story.progress.state is not ImageState.MERGED
    story.undo(story.record[-1][0].sequence)
    assert rows_of(labels_now(story.progress)) == changed
    assert {one: after[one] for one in ("state", "merged")} == {
        one: to_json(story.progress)[one] for one in ("state", "merged")
    }
    assert forth


@pytest.mark.parametrize(
    ("labels", "was", "why"),
    [
        ([MAN], [MAN, DOG], "same phrases"),
        ([[[0], [LEFT], ""]], [[[0], [LEFT], ""]], "in these chains, too"),
        ([[[9], [LEFT], ""]], [[[9], [], ""]], "no mention 9"),
        ([[[1], [[5, 5, 5, 9]], ""]], [DOG], "the reason why"),
        ([[[1], [RIGHT], "scene"]], [DOG], "the reason why"),
        ([MAN, [[0, 1], [], "scene"]], [MAN, DOG], "each in one label"),
        ([[1]], [DOG], "rows of"),
    ],
)
def test_labels_that_do_not_fit_are_refused(labels: list[Any], was: list[Any], why: str):
    story = merged()
    with pytest.raises(ExpertError, match=why):
        story.expert(TAKE_BACK, labels=labels, was=was)
