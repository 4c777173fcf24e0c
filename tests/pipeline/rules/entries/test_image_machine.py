"""One image's record: its order, its import, its state."""

from typing import Any

import pytest

from annotation.rules.states import ChainState, ImageState
from pipeline.rules.entries.expert import ExpertError
from pipeline.rules.entries.image_machine import APPLY, EntryKind, RecordEntry, RecordError, apply, begin
from pipeline.rules.image.merging import can_merge
from pipeline.rules.progress.question_view import question_view
from pipeline.rules.settings.protocol import ProtocolSettings
from pipeline.rules.tasks.task import Task
from tests.support.images import DOG, MAN, Story, imported, mention_rows, started

ROWS = mention_rows([MAN, DOG], [("people", "a guy")])


def test_every_kind_of_entry_acts_but_the_import_and_the_undo_which_needs_the_whole_record():
    assert set(APPLY) == set(EntryKind) - {EntryKind.IMPORT, EntryKind.UNDO}


@pytest.mark.parametrize("entry", [(0, EntryKind.START), (1, EntryKind.IMPORT)])
def test_a_record_begins_with_its_import(entry: tuple[int, EntryKind]):
    with pytest.raises(RecordError, match="import, number 0"):
        begin(RecordEntry(*entry, {"mentions": []}))


@pytest.mark.parametrize("sequence", [0, 1, 3])
def test_entries_come_in_order(sequence: int):
    story = started([MAN])
    with pytest.raises(RecordError, match="cannot follow entry 1"):
        apply(story.progress, RecordEntry(sequence, EntryKind.MERGE, {}), ProtocolSettings())


def test_linking_starts_once():
    story = started([DOG]).no_box()
    with pytest.raises(RecordError, match="only once"):
        story.add(EntryKind.START)


def test_an_image_that_waits_for_its_phrases_gets_them_before_it_starts():
    story = Story(begin(RecordEntry(0, EntryKind.IMPORT, {"mentions": [], "waiting": True})))
    with pytest.raises(RecordError, match="phrases"):
        story.add(EntryKind.START)
    story.expert("chunk", add=[[0, 0, 0, 2, ["people"], "a man"]])
    with pytest.raises(ExpertError, match="phrases already"):
        story.expert("chunk", add=[])
    story.add(EntryKind.START)
    assert story.asked() == [(Task.BOX_DRAWING, [0])]


def test_an_image_goes_through_its_states():
    story = imported([MAN], [("people", "a guy")])
    states = [story.progress.state]
    story.add(EntryKind.START)
    states.append(story.progress.state)
    story.link()
    states.append(story.progress.state)
    story.complete(0)
    story.report("mention", 1, None, expert=True)
    states.append(story.progress.state)
    story.expert("send", chain=1, to="non-visual", kind="no box")
    states.append(story.progress.state)
    story.add(EntryKind.MERGE)
    states.append(story.progress.state)
    s = ImageState
    assert states == [s.LINKING, s.LINKING, s.BOXING, s.REVIEW, s.BOXING, s.MERGED]


def test_an_image_with_something_open_besides_review_is_not_in_review():
    story = started([MAN, DOG])
    story.report("mention", 1, None, expert=True)
    assert story.progress.state is ImageState.BOXING
    story.complete(0)
    assert story.progress.state is ImageState.REVIEW


def test_an_image_without_mentions_is_merged_at_once():
    story = started()
    assert can_merge(story.progress)
    story.add(EntryKind.MERGE)
    assert story.progress.state is ImageState.MERGED


def test_an_image_that_came_annotated_is_taken_as_it_is():
    data: dict[str, Any] = {
        "mentions": ROWS,
        "chains": [{"mentions": [2, 0], "non_visual": ""}, {"mentions": [1], "non_visual": "scene"}],
        "boxes": [{"box": [1, 2, 3, 4], "chains": [0]}],
    }
    story = Story(begin(RecordEntry(0, EntryKind.IMPORT, data)))
    assert (story.chains(), story.progress.state) == ([[0, 2], [1]], ImageState.MERGED)
    assert [story.state(n) for n in (0, 1)] == [ChainState.COMPLETE, ChainState.NON_VISUAL]
    assert story.chain(1).non_visual == "scene"
    assert story.progress.merged[0].members == [0]
    story.expert("send", chain=0, to="coverage")
    assert (story.progress.state, story.asked()) == (ImageState.BOXING, [(Task.BOX_COVERAGE, [0])])


def test_an_imported_chain_that_an_expert_sends_to_drawing_shows_its_longest_mention():
    rows = mention_rows([MAN], [("people", "a man in a hat")])
    data = {"mentions": rows, "chains": [{"mentions": [0, 1], "non_visual": ""}], "boxes": []}
    story = Story(begin(RecordEntry(0, EntryKind.IMPORT, data)))
    assert (story.chain(0).state, story.chain(0).representative) == (ChainState.COMPLETE, 1)
    story.expert("send", chain=0, to="drawing")
    assert question_view(story.progress, story.question(Task.BOX_DRAWING))["mentions"] == [[1, 1, 0, 5]]


def test_the_import_stays_what_it_was_whatever_follows():
    data = {"mentions": mention_rows([MAN])}
    begin(RecordEntry(0, EntryKind.IMPORT, data)).mentions[0].types.append("other")
    assert data == {"mentions": mention_rows([MAN])}


def test_an_expert_who_changes_nothing_has_a_merged_image_merged_anew():
    story = started([DOG]).no_box()
    story.add(EntryKind.MERGE)
    story.expert("retype", mention=0, types=["people"])
    assert (story.progress.state, can_merge(story.progress)) == (ImageState.BOXING, True)


def test_a_report_that_stops_nothing_leaves_a_merged_image_merged():
    story = started([DOG]).no_box()
    story.add(EntryKind.MERGE)
    story.report("mention", 0, worker=1)
    assert story.progress.state is ImageState.MERGED
