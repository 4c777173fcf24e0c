"""The strategy that places mentions one by one."""

from pipeline.rules.linking.greedy import greedy_questions
from pipeline.rules.linking.link_evidence import LinkEvidence, link_evidence
from pipeline.rules.linking.link_strategy import Strategy, plan_links
from pipeline.rules.linking.transitivity import LinkMention, Pair


def mention(number: int, caption: int, start: int = 0, types: str = "people") -> LinkMention:
    return LinkMention(number, caption, start, frozenset(types.split("/")), "man")


def asked(mentions: list[LinkMention], votes: dict[Pair, list[bool]], **more: object) -> tuple[Pair, ...]:
    return plan_links(Strategy.GREEDY, mentions, votes, **more).open  # type: ignore[arg-type]


FOUR = [mention(1, 0), mention(2, 1), mention(3, 2), mention(4, 3)]


def test_the_second_mention_is_compared_with_the_first_and_nothing_else_is_open():
    assert asked(FOUR, {}) == ((1, 2),)


def test_a_mention_is_compared_with_one_mention_of_each_chain():
    assert asked(FOUR, {(1, 2): [True]}) == ((1, 3),)
    assert asked(FOUR, {(1, 2): [False]}) == ((1, 3), (2, 3))


def test_the_next_mention_waits_until_all_comparisons_are_answered():
    assert asked(FOUR, {(1, 2): [False], (1, 3): [True]}) == ((2, 3),)


def test_several_yes_join_the_chains():
    votes = {(1, 2): [False], (1, 3): [True], (2, 3): [True]}
    plan = plan_links(Strategy.GREEDY, FOUR, votes)
    assert (plan.chains, plan.open) == (((1, 2, 3), (4,)), ((1, 4),))


def test_no_yes_makes_a_new_chain():
    votes = {(1, 2): [True], (1, 3): [False], (1, 4): [False], (3, 4): [False]}
    plan = plan_links(Strategy.GREEDY, FOUR, votes)
    assert (plan.chains, plan.open) == (((1, 2), (3,), (4,)), ())


def test_a_chain_with_a_mention_of_the_same_caption_is_no_candidate():
    mentions = [mention(1, 0), mention(2, 1), mention(3, 1, start=4), mention(4, 2)]
    # Mention 3 is not compared with the chain of 1 and 2, and goes on as a chain of its own.
    assert asked(mentions, {(1, 2): [True]}) == ((1, 4), (3, 4))


def test_the_first_mention_of_the_chain_that_shares_a_type_is_compared():
    mentions = [mention(1, 0), mention(2, 1, types="people/other"), mention(3, 2, types="other")]
    assert asked(mentions, {(1, 2): [True]}) == ((2, 3),)


def test_a_chain_that_shares_no_type_is_no_candidate():
    mentions = [mention(1, 0), mention(2, 1, types="people/other"), mention(3, 2, types="other")]
    assert asked(mentions, {(1, 2): [False]}) == ((2, 3),)


def test_only_the_first_vote_places():
    assert asked(FOUR, {(1, 2): [False, True, True]}) == ((1, 3), (2, 3))


def test_a_chain_compared_by_another_mention_under_an_earlier_strategy_is_not_asked_again():
    assert asked(FOUR, {(1, 2): [True], (2, 3): [False]}) == ((1, 4), (3, 4))
    assert asked(FOUR, {(1, 2): [True], (2, 3): [True]}) == ((1, 4),)


def test_what_an_expert_set_is_not_asked():
    assert asked(FOUR, {}, given={(1, 2): True}) == ((1, 3),)
    assert asked(FOUR, {(1, 2): [True]}, given={(2, 3): True}) == ((1, 4),)
    assert asked(FOUR, {(1, 2): [True]}, given={(2, 3): False}) == ((1, 4), (3, 4))


def test_a_skipped_question_counts_as_no():
    assert asked(FOUR, {}, skipped=[(1, 2)]) == ((1, 3), (2, 3))


def evidence(votes: dict[Pair, list[bool]]) -> LinkEvidence:
    """Return the evidence of three mentions that can all corefer."""
    group = [LinkMention(n, n, 0, frozenset({"people"}), "man") for n in range(3)]
    return link_evidence(group, votes, {}, ())


def test_greedy_asks_one_mention_after_another():
    assert greedy_questions(evidence({})) == [(0, 1)]
    assert greedy_questions(evidence({(0, 1): [True]})) == [(0, 2)]
    assert greedy_questions(evidence({(0, 1): [False]})) == [(0, 2), (1, 2)]
