"""Representative mentions, questions of a chain, and rest in review."""

from annotation.rules.states import BoxState, ChainState
from pipeline.rules.image.chain_steps import Act, move_chain, representative, send_to_review, split_chain
from pipeline.rules.linking.link_plan import LinkSource
from pipeline.rules.progress.progress import Cause, Machine
from pipeline.rules.settings.protocol import ProtocolSettings
from pipeline.rules.tasks.flow import Review
from pipeline.rules.tasks.task import Task
from tests.support.images import BOX, MAN, NONE_MISSING, PARK, Story, imported, started


def test_the_representative_has_most_words_then_most_characters_then_comes_first():
    for texts, longest in [
        (["a man", "an old man", "the extraordinary man"], 2),
        (["the man", "an ox", "the ape"], 0),
        (["an ox", "the man", "the ape"], 1),
        (["one a b c d", "astonishingly tall mountaineers"], 0),
    ]:
        story = started(*([("people", text)] for text in texts))
        story.link(*((a, b) for a in range(len(texts)) for b in range(a + 1, len(texts))))
        assert representative(story.progress, story.chain()) == longest, texts
        assert story.chain().representative == -1, "not before the chain enters the boxes' stage"
        story.judge(Task.CHAIN_VERIFICATION, "true")
        assert story.chain().representative == longest, texts


def test_parts_of_a_broken_chain_have_their_own_representative():
    story = started([MAN], [("people", "a very old guy")]).link((0, 1))
    story.judge(Task.CHAIN_VERIFICATION, "false")
    assert [story.chain(n).representative for n in (0, 1)] == [0, 1]


def test_review_closes_the_chains_questions_only_and_takes_the_pending_box():
    story = started([MAN, ("people", "a guy")])
    story.judge(Task.BOX_DRAWING, BOX, worker=1, subject=[0])
    act = Act(story.progress, ProtocolSettings(), 9)
    send_to_review(act, story.chain(), Cause.EXPERT)
    assert (story.state(), story.chain().review, story.asked()) == (
        ChainState.REVIEW,
        Cause.EXPERT,
        [(Task.BOX_DRAWING, [1])],
    )
    assert story.boxes(BoxState.DISCARDED) == [0]


def test_review_takes_the_kind_of_a_non_visual_chain_away():
    story = started([PARK]).no_box()
    send_to_review(Act(story.progress, ProtocolSettings(), 9), story.chain(), Cause.EXPERT)
    assert (story.state(), story.chain().non_visual) == (ChainState.REVIEW, "")


def test_review_takes_the_confidence_of_the_chains_own_boxes_and_keeps_those_that_were_shown():
    story = started([MAN, ("people", "a guy")])
    for chain in (0, 1):
        story.judge(Task.BOX_DRAWING, BOX, worker=1, subject=[chain])
        story.progress.boxes[chain].confidence, story.progress.boxes[chain].accepted = 0.9, 3
    story.progress.moves.clear()
    send_to_review(Act(story.progress, ProtocolSettings(), 9), story.chain(), Cause.EXPERT)
    assert [box.confidence for box in story.progress.boxes.values()] == [None, 0.9]
    assert (story.boxes(BoxState.ACCEPTED), story.boxes(BoxState.PENDING)) == ([0], [1])
    (move,) = [move for move in story.progress.moves if move.machine is Machine.BOX]
    assert (move.subject, move.old, move.new) == (0, "pending", "accepted")


def test_an_expert_may_send_a_chain_to_coverage_that_no_box_task_has_seen():
    story = started([MAN], [("people", "a very old guy")]).link((0, 1))
    act = Act(story.progress, ProtocolSettings(), 9)
    send_to_review(act, story.chain(), Cause.EXPERT)
    move_chain(act, story.chain(), Review.COVER)
    assert story.chain().representative == 1


def test_a_split_is_the_source_of_the_links_between_the_parts_alone():
    story = started(*([("people", text)] for text in ("a man", "a guy", "a boy", "a child")))
    story.link(*((a, b) for a in range(4) for b in range(a + 1, 4)))
    story.progress.sources.clear()
    act = Act(story.progress, ProtocolSettings(), 9)
    split_chain(act, story.chain(), [[0, 3], [1], [2]], LinkSource.SPLIT, Cause.BROKEN)
    assert story.chains() == [[0, 3], [1], [2]]
    assert sorted(story.progress.sources) == [(0, 1), (0, 2), (1, 2), (1, 3), (2, 3)]


def test_each_move_is_noted_with_its_cause():
    story = started([MAN], [("people", "a guy")]).link((0, 1))
    story.judge(Task.CHAIN_VERIFICATION, "false")
    assert moves(story) == [
        ("question", 1, "open", "closed", "false"),
        ("chain", 1, "", "verification", "broken by head noun"),
        ("chain", 0, "verification", "drawing", "broken by head noun"),
        ("chain", 1, "verification", "drawing", "broken by head noun"),
    ]
    story.judge(Task.BOX_DRAWING, BOX, worker=1, subject=[0])
    assert moves(story) == [
        ("question", 2, "open", "closed", "box"),
        ("box", 0, "", "pending", "drawn"),
        ("chain", 0, "drawing", "quality", "a box was drawn"),
    ]
    story.judge(Task.BOX_DRAWING, NONE_MISSING, worker=2, subject=[1])
    assert moves(story)[0] == ("question", 3, "open", "closed", "none missing")


def moves(story: Story) -> list[tuple[str, int, str, str, str]]:
    """Return the moves of the last entry."""
    return [(move.machine.value, move.subject, move.old, move.new, move.reason) for move in story.progress.moves]


def test_an_image_begins_without_questions():
    assert imported([MAN]).asked() == []
