"""The next state of a chain whose group is placed."""

from pipeline.rules.tasks.coreference_link import Verdict, decide


def test_several_mentions_are_verified_whatever_their_type():
    assert decide([1, 2], drawn_at_once=True) is Verdict.SEVERAL
    assert decide([1, 2], drawn_at_once=False) is Verdict.SEVERAL


def test_a_single_mention_goes_by_type():
    assert decide([1], drawn_at_once=True) is Verdict.DRAW
    assert decide([1], drawn_at_once=False) is Verdict.ASK


def test_several_mentions_of_which_the_answers_are_sure_go_by_type_too():
    assert decide([1, 2], drawn_at_once=True, sure=True) is Verdict.SURE_DRAW
    assert decide([1, 2], drawn_at_once=False, sure=True) is Verdict.SURE_ASK
    assert decide([1], drawn_at_once=True, sure=True) is Verdict.DRAW
