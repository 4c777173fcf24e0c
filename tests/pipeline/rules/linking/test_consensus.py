"""The "plus" strategies: contradictions are asked again, and overruled."""

from pipeline.rules.linking.consensus import margin
from pipeline.rules.linking.link_plan import LinkPlan, LinkSource
from pipeline.rules.linking.link_strategy import Strategy, plan_links
from pipeline.rules.linking.transitivity import LinkMention, Pair
from tests.pipeline.rules.linking.test_transitivity import mention

THREE = [mention(number, number) for number in (1, 2, 3)]
SAME_CAPTION = [mention(1, 0), mention(2, 0, 5), mention(3, 1)]


def votes(**cast: str) -> dict[Pair, list[bool]]:
    """votes(p12="yn"): the pair (1, 2) was first answered yes, then no."""
    return {(int(pair[1]), int(pair[2])): [vote == "y" for vote in answers] for pair, answers in cast.items()}


def plan(mentions: list[LinkMention], cast: dict[Pair, list[bool]], **more: object) -> LinkPlan:
    return plan_links(Strategy.EXHAUSTIVE_PLUS, mentions, cast, **more)  # type: ignore[arg-type]


def test_the_links_of_a_contradiction_are_asked_again_together():
    assert plan(THREE, votes(p12="y", p13="y", p23="n")).open == ((1, 2), (1, 3), (2, 3))


def test_a_link_is_asked_until_one_side_leads_by_two():
    assert plan(THREE, votes(p12="yy", p13="yy", p23="ny")).open == ((2, 3),)
    assert plan(THREE, votes(p12="yy", p13="yy", p23="nyy")).open == ((2, 3),)
    assert plan(THREE, votes(p12="yy", p13="yy", p23="nyyy")).open == ()


def test_five_votes_decide_without_such_a_lead():
    done = plan(THREE, votes(p12="yy", p13="yy", p23="nynyy"))
    assert (done.open, done.chains, done.unsettled) == ((), ((1, 2, 3),), frozenset())


def test_the_lead_and_the_most_votes_are_settings():
    cast = votes(p12="yy", p13="yy", p23="nyy")
    assert plan(THREE, cast, most=3).open == ()
    assert plan(THREE, cast, lead=1).open == ()
    assert plan(THREE, cast, lead=3).open == ((1, 2), (1, 3), (2, 3))


def test_links_asked_again_have_that_source_and_others_keep_theirs():
    four = [*THREE, mention(4, 4)]
    done = plan(four, votes(p12="yy", p13="yy", p23="nyyy", p14="n", p24="n", p34="n"))
    assert done.sources[2, 3] == done.sources[1, 2] == LinkSource.REASKED
    assert done.sources[1, 4] == LinkSource.ASKED_NO


def test_mentions_of_one_caption_are_a_settled_no():
    assert plan(SAME_CAPTION, votes(p13="y", p23="y")).open == ((1, 3), (2, 3))


def test_types_that_differ_are_a_settled_no():
    mentions = [mention(1, 1), mention(2, 2, types="people/other"), mention(3, 3, types="other")]
    assert plan(mentions, votes(p12="y", p23="y")).open == ((1, 2), (2, 3))


def test_of_two_links_that_cannot_both_hold_the_larger_margin_wins():
    done = plan(SAME_CAPTION, votes(p13="yny", p23="yy"), most=3)
    assert (done.chains, done.overruled) == (((1,), (2, 3)), {(1, 3)})
    assert done.sources[1, 3] == LinkSource.OVERRULED


def test_a_tie_goes_to_the_link_earlier_in_reading_order_and_both_chains_are_doubted():
    done = plan(SAME_CAPTION, votes(p13="yy", p23="yy"))
    assert (done.chains, done.overruled, done.doubted) == (((1, 3), (2,)), {(2, 3)}, {1, 2})


def test_a_contradiction_is_treated_once():
    done = plan(THREE, votes(p12="yy", p13="yy", p23="nn"))
    assert (done.open, done.chains, done.overruled) == ((), ((1, 2), (3,)), {(1, 3)})


def test_contradictions_are_taken_one_at_a_time():
    four = [*THREE, mention(4, 4)]
    cast = votes(p12="y", p13="y", p23="n", p14="y", p24="y", p34="n")
    assert plan(four, cast).open == ((1, 2), (1, 3), (2, 3))
    # Once 1 and 3 turn out to differ, 1, 2 and 4 agree, and no other contradiction is left.
    assert plan(four, cast | votes(p12="yy", p13="ynnn", p23="nn")).open == ()


def test_a_treated_link_that_decides_nothing_yet_leads_to_the_next_contradiction():
    four = [*THREE, mention(4, 4)]
    cast = votes(p12="yy", p13="yy", p23="nyyy", p14="y", p24="n", p34="n")
    assert plan(four, cast).open == ((1, 4), (2, 4))


def test_a_link_on_a_longer_path_is_asked_again_before_it_is_overruled():
    mentions = [
        mention(1, 1, types="a"),
        mention(2, 2, types="a/b"),
        mention(3, 3, types="b/c"),
        mention(4, 4, types="c/a"),
    ]
    cast = votes(p12="y", p23="y", p34="y", p14="n", p24="n")
    # The shortest first: 2 and 4 are kept apart, and 3 is linked to both.
    assert plan(mentions, cast).open == ((1, 2), (2, 3))
    triangles = cast | votes(p12="yy", p23="yy", p34="yy", p24="nn")
    assert plan(mentions, triangles).open == ((1, 4),)
    settled = plan(mentions, triangles | votes(p14="nn"))
    assert settled.open == ()
    assert settled.chains == ((1, 2), (3, 4))
    assert settled.overruled == {(2, 3)}
    assert settled.doubted == {1, 3}


def test_a_link_between_links_of_an_expert_is_asked_again():
    cast, given = votes(p23="y"), {(1, 2): True, (3, 4): True, (1, 4): False}
    assert plan_links(Strategy.GREEDY_PLUS, [*THREE, mention(4, 4)], cast, given=given).open == ((2, 3),)


def test_links_of_an_expert_that_contradict_one_another_are_asked_of_nobody():
    given = {(1, 2): True, (2, 3): True, (3, 4): True, (1, 4): False}
    done = plan_links(Strategy.GREEDY_PLUS, [*THREE, mention(4, 4)], {}, given=given)
    assert (done.open, done.chains, done.overruled) == ((), ((1, 2, 3, 4),), frozenset())


def test_a_link_within_a_chain_that_an_expert_made_is_not_overruled():
    cast, given = votes(p13="nn", p14="yy", p24="yy"), {(1, 2): True, (2, 3): True, (3, 4): True}
    done = plan([*THREE, mention(4, 4)], cast, given=given)
    assert (done.open, done.chains, done.overruled) == ((), ((1, 2, 3, 4),), frozenset())


def test_an_experts_links_are_fixed_and_come_first():
    done = plan(SAME_CAPTION, votes(p13="yy"), given={(2, 3): True})
    assert (done.open, done.chains, done.overruled) == ((), ((1,), (2, 3)), {(1, 3)})
    assert done.sources[2, 3] == LinkSource.EXPERT


def test_an_expert_may_link_what_the_rules_keep_apart():
    done = plan(SAME_CAPTION, votes(p13="y", p23="y"), given={(1, 2): True})
    assert (done.open, done.chains, done.doubted) == ((), ((1, 2, 3),), frozenset())


def test_an_experts_no_splits_what_workers_linked():
    done = plan(THREE, votes(p12="yy", p13="yy", p23="y"), given={(2, 3): False})
    assert (done.open, done.chains) == ((), ((1, 2), (3,)))


def test_a_link_on_which_no_side_leads_is_an_unsettled_no_that_overrules_nothing():
    for first in ("yy", "yyy"):  # 3 joins 1 after 2 or before it
        done = plan(THREE, votes(p12="yy", p13=first, p23="ny"), most=2)
        assert done.unsettled == {(2, 3)}
        assert (done.chains, done.overruled, done.doubted) == (((1, 2, 3),), frozenset(), frozenset())


def test_a_question_that_nobody_can_answer_again_is_not_waited_for():
    cast = votes(p12="yy", p13="yy", p23="n")
    assert plan(THREE, cast).open == ((2, 3),)
    done = plan(THREE, cast, skipped=[(2, 3)])
    assert (done.open, done.unsettled) == ((), {(2, 3)})


def test_without_plus_nothing_is_asked_again():
    for strategy in (Strategy.EXHAUSTIVE, Strategy.GREEDY):
        done = plan_links(strategy, THREE, votes(p12="n", p13="y", p23="y"))
        found = (done.open, done.chains, done.overruled, done.doubted)
        assert found == ((), ((1, 2, 3),), frozenset(), frozenset()), strategy


def test_an_experts_links_are_never_overruled():
    done = plan(SAME_CAPTION, {}, given={(1, 3): True, (2, 3): True})
    assert (done.open, done.chains, done.overruled) == ((), ((1, 2, 3),), frozenset())


def test_the_margin_is_how_many_more_say_yes():
    assert [margin(votes) for votes in ([], [True], [False], [True, False, False])] == [0, 1, -1, -1]
