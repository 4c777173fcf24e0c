"""Representative mentions, questions of a chain, and rest in review."""

from annotation.rules.states import BoxState, ChainState
from pipeline.rules.image.chain_steps import Act, representative, send_to_review
from pipeline.rules.progress.progress import Cause
from pipeline.rules.settings.protocol import ProtocolSettings
from pipeline.rules.tasks.task import Task
from tests.support.images import BOX, MAN, PARK, imported, started


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


def test_an_image_begins_without_questions():
    assert imported([MAN]).asked() == []
