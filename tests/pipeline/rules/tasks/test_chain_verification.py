"""Chain verification: kept, or broken by head noun."""

from annotation.rules.states import ChainState
from pipeline.rules.linking.link_plan import LinkSource
from pipeline.rules.tasks.chain_verification import Verdict, decide, split_by_head_noun
from pipeline.rules.tasks.task import Task
from tests.support.images import DOG, MAN, Story, started

V = Task.CHAIN_VERIFICATION


def test_the_next_task_goes_by_type():
    assert decide(drawn_at_once=True) is Verdict.DRAW
    assert decide(drawn_at_once=False) is Verdict.ASK


def test_a_chain_is_broken_into_the_mentions_that_share_a_head_noun_in_reading_order():
    heads = [(4, "man"), (2, "men"), (7, "man"), (1, "guy"), (3, "men")]
    assert split_by_head_noun(heads) == [[4, 7], [2, 3], [1]]


def linked(*texts: str, types: str = "people") -> Story:
    """One chain of mentions, one a caption."""
    story = started(*([(types, text)] for text in texts))
    return story.link(*((a, b) for a in range(len(texts)) for b in range(a + 1, len(texts))))


def test_a_chain_of_several_is_verified_and_one_judgment_decides():
    story = linked("a man", "the Man", "a guy")
    assert story.asked() == [(V, [0])]
    story.judge(V, "true")
    assert (story.chains(), story.asked(), story.chain().doubted) == ([[0, 1, 2]], [(Task.BOX_DRAWING, [0])], "")


def test_a_failed_chain_is_broken_and_its_parts_go_on_without_another_verification():
    story = linked("a man", "a guy", "the Man", "two men")
    story.judge(V, "false")
    assert story.chains() == [[0, 2], [1], [3]]
    assert story.asked() == [(Task.BOX_DRAWING, [n]) for n in (0, 1, 3)]
    assert story.progress.sources[0, 1] is LinkSource.SPLIT
    assert story.progress.sources[1, 3] is LinkSource.SPLIT
    assert story.progress.sources[0, 2] is not LinkSource.SPLIT


def test_parts_go_where_their_own_types_lead():
    story = started([("other/people", "a figure")], [("other", "a statue")]).link((0, 1))
    story.judge(V, "false")
    assert story.asked() == [(Task.BOX_DRAWING, [0]), (Task.BOX_REQUIREMENT, [1])]


def test_a_failed_chain_of_one_head_noun_goes_on_marked_doubted():
    story = linked("a brown dog", "the Dog", types="animals")
    story.judge(V, "false")
    assert (story.chains(), story.asked()) == ([[0, 1]], [(Task.BOX_REQUIREMENT, [0])])
    assert "verification failed" in story.chain().doubted


def test_a_chain_of_one_mention_is_not_verified():
    assert started([MAN, DOG]).asked() == [(Task.BOX_DRAWING, [0]), (Task.BOX_REQUIREMENT, [1])]


def test_number_matters_and_the_parts_are_named_by_their_first_mention():
    story = linked("a dog", "dogs", "a dog", types="animals")
    story.judge(V, "false")
    assert {name: chain.mentions for name, chain in story.progress.chains.items()} == {0: [0, 2], 1: [1]}
    assert story.state(1) is ChainState.REQUIREMENT
