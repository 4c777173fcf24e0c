"""A prior learnt from groups whose chains are known."""

from functools import cache
from math import log

import pytest

from pipeline.rules.linking.fits.fit_link_prior import GoldGroup, fit_link_prior
from pipeline.rules.linking.prior.link_prior import ANY_TYPE, LinkPrior
from pipeline.rules.linking.transitivity import LinkMention


def group(*phrases: str, chains: list[int], kind: str = "people") -> GoldGroup:
    mentions = [
        LinkMention(number, number, 0, frozenset({kind}), phrase.split()[-1], tuple(phrase.split()))
        for number, phrase in enumerate(phrases)
    ]
    return mentions, chains


def pair(one: str, another: str, *, same: bool) -> GoldGroup:
    return group(one, another, chains=[7, 7] if same else [7, 3])


BY_HEAD = [
    group("a man", "a tall man", "a dog", chains=[5, 5, 9]),
    group("a red hat", "a blue hat", "one hat", chains=[1, 1, 1]),
    group("a boat", "a car", "boats", chains=[2, 8, 2]),
    group("a wall", "a tree", chains=[4, 6]),
]


@cache
def by_head() -> LinkPrior:
    return fit_link_prior(BY_HEAD)


def test_what_tells_chains_apart_in_gold_gets_weight():
    prior = fit_link_prior(BY_HEAD, l2=0.3)
    assert prior.pairs["same head"] > 0.5
    assert prior.pairs["any pair"] < 0


def test_without_a_penalty_worth_naming_the_prior_says_what_gold_says_how_often():
    gold = [pair("a man", "somebody", same=True)] * 3 + [pair("a man", "somebody", same=False)] * 7
    prior = fit_link_prior(gold, l2=1e-6)
    pairs, sizes = prior.scores(gold[0][0])
    together, apart = pairs[0, 1] + sizes[0, 1], sizes[0, 0] + sizes[1, 0]
    assert together - apart == pytest.approx(log(3 / 7), abs=0.001)


def test_two_heads_that_are_often_one_thing_weigh_for_themselves():
    gold = [pair("a guy", "a man", same=True)] * 6 + [pair("a lady", "a man", same=False)] * 6
    prior = fit_link_prior(gold, l2=0.3)
    assert prior.heads["guy man"] > 0.2 and prior.heads["lady man"] < -0.2
    assert fit_link_prior([*gold, pair("a clown", "a man", same=True)]).heads.keys() == prior.heads.keys()


def test_gold_tells_how_much_the_heads_of_captions_weigh():
    gold = [pair(f"a guy{n}", f"a man{n}", same=n % 2 == 0) for n in range(20)]
    right = {f"guy{n} man{n}": 1.0 if n % 2 == 0 else -1.0 for n in range(20)}
    prior = fit_link_prior(gold, alike=right)
    assert prior.pairs["heads alike"] > 0.5 and prior.alike == right
    assert fit_link_prior(gold).pairs["heads alike"] == 0


def test_a_larger_penalty_gives_smaller_weights():
    assert 0 < fit_link_prior(BY_HEAD, l2=30.0).pairs["same head"] < by_head().pairs["same head"]


def test_a_type_with_gold_has_sizes_of_its_own():
    lonely = group("a tree", "a tree", chains=[0, 1], kind="scene")
    prior = fit_link_prior([*BY_HEAD, lonely, lonely])
    assert set(prior.sizes) == {ANY_TYPE, "people", "scene"}
    assert prior.sizes["scene"][0] > prior.sizes[ANY_TYPE][0]


def test_types_without_gold_get_what_those_with_gold_have_in_common():
    alone = [group("a tree", "a wall", chains=[0, 1], kind=kind) for kind in ("people", "scene")]
    common = fit_link_prior(alone).sizes[ANY_TYPE]
    assert common[0] > 0 > common[1]


def test_groups_that_teach_nothing_are_left_out():
    mentions, chains = pair("a man", "a man", same=True)
    one_caption = [mention._replace(caption=0, start=number) for number, mention in enumerate(mentions)]
    no_type_shared = [mention._replace(types=frozenset({str(mention.number)})) for mention in mentions]
    useless = [
        group("a man", chains=[0]),
        (one_caption, chains),
        (no_type_shared, chains),
        group(*["a man"] * 9, chains=[0] * 9),
    ]
    assert fit_link_prior([*BY_HEAD, *useless]).fitted_on == len(BY_HEAD)
    with pytest.raises(ValueError, match="nothing to learn from"):
        fit_link_prior(useless)


def test_groups_of_too_many_partitions_are_left_out():
    large = group(*["a man"] * 9, chains=[0] * 9)
    assert fit_link_prior([*BY_HEAD, large], most_mentions=9).fitted_on == len(BY_HEAD)


def test_the_order_of_groups_does_not_matter():
    assert by_head() == fit_link_prior(reversed(BY_HEAD))


def test_steps_are_told_and_promise_nothing_in_the_end():
    gains: list[float] = []
    fit_link_prior(BY_HEAD, done=lambda step, gain: gains.append(gain))
    assert gains[-1] < 1e-8 < gains[0]


def test_a_fit_towards_another_prior_stays_there_if_little_is_known():
    other = LinkPrior({ANY_TYPE: (0.5, 0.0, -1.0, -2.0, -3.0), "scene": (1.0, 0.0, 0.0, 0.0, 0.0)}, {"same head": 2.0})
    near = fit_link_prior(BY_HEAD, l2=1e6, towards=other)
    assert near.pairs["same head"] == pytest.approx(2.0, abs=0.001)
    assert near.sizes["people"] == pytest.approx(other.sizes[ANY_TYPE], abs=0.001)
    assert near.sizes["scene"] == pytest.approx(other.sizes["scene"], abs=0.001)
    men = pair("a man", "a man", same=False)
    far, _ = fit_link_prior([men] * 60, towards=other).scores(men[0])
    assert far[0, 1] < 0
