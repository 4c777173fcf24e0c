"""Merging an image, and the source of each link of the finished data set."""

import pytest

from annotation.rules.box import Box
from annotation.rules.states import ChainState, ImageState
from pipeline.rules.entries.image_machine import EntryKind, RecordError
from pipeline.rules.image.merging import (
    JOINED_CONFIDENCE,
    can_merge,
    final_chain,
    final_confidence,
    link_sources,
    merge_result,
    merge_rules,
)
from pipeline.rules.linking.link_plan import LinkSource
from pipeline.rules.linking.link_strategy import Strategy
from pipeline.rules.progress.progress import Machine
from pipeline.rules.settings.protocol import ProtocolSettings
from pipeline.rules.tasks.task import Task
from tests.support.images import DOG, MAN, PARK, Story, started

NEAR = {"box": [10, 10, 50, 52]}


def two_men() -> Story:
    """Two chains that were not linked, with boxes that show the same man."""
    story = started([MAN], [("people", "a guy")]).link()
    story.complete(0)
    return story.complete(1, NEAR)


def test_it_waits_for_every_chain():
    story = started([MAN, DOG]).complete(0)
    assert not can_merge(story.progress)
    with pytest.raises(RecordError, match="every chain"):
        story.add(EntryKind.MERGE)
    story.no_box(1)
    assert can_merge(story.progress)


def test_boxes_are_merged_to_their_mean_and_then_the_chains_that_share_them():
    story = two_men()
    story.add(EntryKind.MERGE)
    (merged,) = story.progress.merged
    assert (merged.box, merged.members) == (Box(10, 10, 50, 51), [0, 1])
    assert (story.chain(0).merged_into, story.chain(1).merged_into) == (None, 0)
    assert (final_chain(story.progress, 1), story.progress.state) == (0, ImageState.MERGED)
    assert [box.box for box in story.progress.boxes.values()] == [Box(10, 10, 50, 50), Box(10, 10, 50, 52)]


def test_the_history_of_a_chain_that_boxes_join_says_into_which_and_knows_no_state_merged():
    story = two_men()
    story.add(EntryKind.MERGE)
    move, image = story.progress.moves
    assert (image.machine, image.subject, image.old, image.new) == (Machine.IMAGE, 0, "boxing", "merged")
    assert (move.subject, move.old, move.new, move.reason) == (
        1,
        "complete",
        "complete",
        "merged into chain 0, same boxes",
    )
    assert story.state(1) is ChainState.COMPLETE


def test_a_chain_that_boxes_joined_is_as_sure_as_such_chains_are_until_they_no_longer_do():
    story = two_men()
    for chain in story.progress.chains.values():
        chain.confidence = 0.75
    assert [final_confidence(story.progress, name) for name in (0, 1)] == [0.75, 0.75]
    story.add(EntryKind.MERGE)
    assert [final_confidence(story.progress, name) for name in (0, 1)] == [JOINED_CONFIDENCE, None]
    story.expert("delete box", box=1)
    assert [final_confidence(story.progress, name) for name in (0, 1)] == [0.75, 0.75]


@pytest.mark.parametrize(
    ("chance", "asked", "into"),
    [
        (0.3, False, 0),
        (0.02, False, 0),
        (0.005, False, None),
        (None, False, None),
        (0.3, True, None),
        (0.5, True, 0),
        (0.6, True, 0),
    ],
    ids=["likely", "seldom", "hardly", "never", "told apart", "told evenly", "told together"],
)
def test_beyond_the_rules_equal_boxes_join_chains_only_where_words_and_answers_let_them_be_one_thing(
    *, chance: float | None, asked: bool, into: int | None
):
    story = two_men()
    story.settings = ProtocolSettings(strategy=Strategy.ADAPTIVE, beyond_rules=True)
    if not asked:
        story.progress.votes.clear()
    story.progress.together = {} if chance is None else {(0, 1): chance}
    story.add(EntryKind.MERGE)
    assert story.chain(1).merged_into == into
    assert len(story.progress.merged) == 1, "the boxes are one in any case"


def test_beyond_the_rules_the_likeliest_pair_of_mentions_joins_two_chains():
    story = started([MAN], [("people", "a guy")], [("people", "the man")]).link((0, 2))
    story.judge(Task.CHAIN_VERIFICATION, "true")
    story.complete(0).complete(1, NEAR)
    story.settings = ProtocolSettings(strategy=Strategy.ADAPTIVE, beyond_rules=True)
    story.progress.votes.clear()
    story.progress.together = {(0, 1): 0.001, (1, 2): 0.3}
    story.add(EntryKind.MERGE)
    assert story.chain(1).merged_into == 0


def test_chains_without_a_box_stay_apart():
    story = started([DOG, PARK]).no_box(0).no_box(1)
    story.add(EntryKind.MERGE)
    assert [chain.merged_into for chain in story.progress.chains.values()] == [None, None]


def test_the_settings_decide_what_merges():
    story = two_men()
    strict = ProtocolSettings(merge_iou=0.99)
    assert [g.members for g in merge_result(story.progress, strict)[1].groups] == [(0,), (1,)]
    rules = merge_rules(ProtocolSettings(mergeable_types=(("people", "clothing"),)))
    assert rules.allowed == frozenset({frozenset({"people", "clothing"})})


def test_boxes_are_taken_in_the_order_of_acceptance():
    story = started([MAN, ("people", "a guy")])
    story.judge(Task.BOX_DRAWING, NEAR, 1, [0])
    story.draw_accepted(chain=1)
    story.judge(Task.BOX_QUALITY, "good", 2, [0])
    assert [box.number for box in merge_result(story.progress, ProtocolSettings())[0]] == [1, 0]


def test_an_expert_reopens_a_merged_image_and_it_is_merged_anew_from_its_accepted_boxes():
    story = two_men()
    story.add(EntryKind.MERGE)
    story.expert("delete box", box=1)
    assert (story.progress.merged, story.chain(1).merged_into) == ([], None)
    assert story.progress.state is ImageState.REVIEW
    story.expert("draw", chain=1, box=[200, 200, 220, 220])
    story.expert("send", chain=1, to="complete")
    assert can_merge(story.progress)
    story.add(EntryKind.MERGE)
    assert [merged.members for merged in story.progress.merged] == [[0], [2]]
    assert story.chain(1).merged_into is None


def test_a_chain_that_leaves_the_merged_state_by_a_report_reopens_it_too():
    story = two_men()
    story.add(EntryKind.MERGE)
    story.report("mention", 0, None, expert=True)
    assert (story.state(0), story.progress.state, story.progress.merged) == (ChainState.REVIEW, ImageState.REVIEW, [])


def test_the_last_one_to_act_is_the_source_of_a_link():
    story = started([MAN, DOG], [("people", "a guy")], [("people", "the man")])
    story.link((0, 2), (0, 3))
    story.judge(Task.CHAIN_VERIFICATION, "false")
    for chain in (0, 2):
        story.complete(chain)
    story.no_box(1)
    sources = link_sources(story.progress)
    assert sources[0, 1] is LinkSource.CAPTION
    assert sources[1, 2] is LinkSource.TYPE
    assert sources[0, 3] is LinkSource.ASKED_YES
    assert sources[0, 2] is LinkSource.SPLIT
    story.add(EntryKind.MERGE)
    sources = link_sources(story.progress)
    assert (sources[0, 2], sources[2, 3], sources[0, 3]) == (LinkSource.MERGED, LinkSource.MERGED, LinkSource.ASKED_YES)


def test_what_follows_from_other_links_is_inferred():
    story = started([MAN], [("people", "a guy")], [("people", "the man")])
    story.judge(Task.COREFERENCE_LINK, "same", 1, [0, 1])
    story.judge(Task.COREFERENCE_LINK, "same", 1, [0, 2])
    assert link_sources(story.progress)[1, 2] is LinkSource.TRANSITIVITY
