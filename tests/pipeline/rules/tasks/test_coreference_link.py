"""Answers to a link: their meaning, the outcome, and the next state of a chain whose group is placed."""

from pipeline.rules.tasks.coreference_link import Answer, PartAnswer, Verdict, decide, in_chains, means_same, outcome

SAME, DIFFERENT, A, B = Answer.SAME, Answer.DIFFERENT, PartAnswer.A_OF_B, PartAnswer.B_OF_A


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


def test_a_part_is_no_link_and_what_is_no_answer_stays_as_it_is():
    assert [means_same(one) for one in (SAME, DIFFERENT, A, B)] == [True, False, False, False]
    others: list[object] = ["same", "not needed", 2, {"box": []}]
    assert ([in_chains(one) for one in others], in_chains(A)) == (others, "different")


def test_a_link_ends_as_most_say_and_names_a_part_only_if_most_name_the_same_one():
    cases: list[tuple[list[Answer | PartAnswer], Answer | PartAnswer]] = [
        ([SAME], SAME),
        ([A], A),
        ([SAME, DIFFERENT], DIFFERENT),
        ([A, B], DIFFERENT),
        ([A, B, A], A),
        ([A, DIFFERENT, SAME], DIFFERENT),
        ([SAME, A, SAME, B], DIFFERENT),
        ([SAME, A, SAME], SAME),
    ]
    assert [outcome(answers) for answers, _ in cases] == [end for _, end in cases]
