"""Metrics of coreference once more, mention by mention and pair by pair as their papers define them, and slowly.
Metrics of coreference: the examples of their papers, and definitions on random chains and on real ones.
"""

from collections import defaultdict
from functools import cache
from itertools import combinations
from pathlib import Path
from random import Random

import numpy as np
import pytest

from evaluation.coreference.blanc import different_links, same_links
from evaluation.coreference.chains import Chains, Mention, Pair, without_singletons
from evaluation.coreference.metrics import COLUMNS, METRICS, counts_of, scores
from evaluation.coreference.read_chains import read_chains
from evaluation.work import Work
from tests.support.table import case


def figures(gold: Chains, response: Chains) -> dict[str, tuple[float, float]]:
    """Return precision and recall of each metric, 0 to 1; 0 where there is nothing to share."""
    same_gold, same_response = _pairs(gold), _pairs(response)
    other_gold, other_response = (_all_pairs(side) - _pairs(side) for side in (gold, response))
    return {
        "MUC": (_muc(response, gold), _muc(gold, response)),
        "B3": (_b_cubed(response, gold), _b_cubed(gold, response)),
        "CEAFm": _ceaf(gold, response, lambda one, other: len(one & other), lambda side: sum(map(len, side))),
        "CEAFe": _ceaf(gold, response, lambda one, other: 2 * len(one & other) / (len(one) + len(other)), len),
        "same": _shares(same_gold, same_response),
        "different": _shares(other_gold, other_response),
        "LEA": (_lea(response, gold), _lea(gold, response)),
    }


def _chain_of(mention: Mention, chains: Chains) -> frozenset[Mention]:
    return next((chain for chain in chains if mention in chain), frozenset())


def _muc(chains: Chains, others: Chains) -> float:
    """Return the share of the links that a spanning tree of each chain needs and that the others hold together."""
    needed = kept = 0
    for chain in chains:
        parts = {_chain_of(mention, others) or frozenset([("alone", mention)]) for mention in chain}
        needed += len(chain) - 1
        kept += len(chain) - len(parts)
    return kept / needed if needed else 0.0


def _b_cubed(chains: Chains, others: Chains) -> float:
    shares = [len(chain & _chain_of(mention, others)) / len(chain) for chain in chains for mention in chain]
    return sum(shares) / len(shares) if shares else 0.0


def _ceaf(gold: Chains, response: Chains, similarity, of) -> tuple[float, float]:  # type: ignore[no-untyped-def]
    @cache
    def best(place: int, free: frozenset[int]) -> float:
        if place == len(gold):
            return 0.0
        alike = [one for one in free if gold[place] & response[one]]
        taken = [similarity(gold[place], response[one]) + best(place + 1, free - {one}) for one in alike]
        return max([best(place + 1, free), *taken])

    total = best(0, frozenset(range(len(response))))
    return tuple(total / of(side) if side else 0.0 for side in (response, gold))  # type: ignore[return-value]


def _lea(chains: Chains, others: Chains) -> float:
    total = importance = 0.0
    other_links = _self_links(others) | _pairs(others)
    for chain in chains:
        links = _self_links([chain]) | _pairs([chain])
        total += len(chain) * len(links & other_links) / len(links)
        importance += len(chain)
    return total / importance if importance else 0.0


def _self_links(chains: Chains) -> set[frozenset[Mention]]:
    return {chain for chain in chains if len(chain) == 1}


def _pairs(chains: Chains) -> set[frozenset[Mention]]:
    return {frozenset(pair) for chain in chains for pair in combinations(chain, 2)}


def _all_pairs(chains: Chains) -> set[frozenset[Mention]]:
    return {frozenset(pair) for pair in combinations([mention for chain in chains for mention in chain], 2)}


def _shares(gold: set[frozenset[Mention]], response: set[frozenset[Mention]]) -> tuple[float, float]:
    both = len(gold & response)
    return both / len(response) if response else 0.0, both / len(gold) if gold else 0.0


def chains(text: str) -> Chains:
    """Return the chains of a text such as "abc de"."""
    return [frozenset(word) for word in text.split()]


def scored(gold: str, response: str) -> dict[str, float]:
    return dict(zip(COLUMNS, scores(counts_of(Pair(chains(gold), chains(response)))).tolist(), strict=True))


OF_LUO = "12345 67 89ABC"
"""The key of Bagga and Baldwin, on which Luo (2005) compares four responses."""


@case("two small chains joined", "12345 6789ABC", 94.7, 86.5, 83.3, 73.3)
@case("two large chains joined", "1234589ABC 67", 94.7, 73.7, 58.3, 66.7)
@case("one chain", "123456789ABC", 90.0, 54.5, 41.7, 29.4)
@case("every mention alone", "1 2 3 4 5 6 7 8 9 A B C", 0.0, 40.0, 25.0, 17.8)
def test_the_responses_that_luo_compares_have_the_figures_of_his_table(
    response: str, muc: float, b_cubed: float, ceaf_mentions: float, ceaf_entities: float
) -> None:
    found = scored(OF_LUO, response)

    assert [found[f"{name}.F"] for name in ("MUC", "B3", "CEAFm", "CEAFe")] == pytest.approx(
        [muc, b_cubed, ceaf_mentions, ceaf_entities], abs=0.06
    )
    assert found["CoNLL"] == pytest.approx((muc + b_cubed + ceaf_entities) / 3, abs=0.06)


def test_b_cubed_tells_apart_two_responses_of_bagga_and_baldwin_that_are_equal_to_muc() -> None:
    small, large = scored(OF_LUO, "12345 6789ABC"), scored(OF_LUO, "1234589ABC 67")

    assert small["MUC.P"] == large["MUC.P"] == 90.0
    assert (small["B3.P"], large["B3.P"]) == pytest.approx((76.2, 58.3), abs=0.05)
    assert small["B3.R"] == large["B3.R"] == 100.0


def test_lea_gives_the_example_of_moosavi_and_strube_its_figures() -> None:
    found = scored("abc defg", "ab cd fghi")

    assert (found["LEA.R"], found["LEA.P"], found["LEA.F"]) == pytest.approx((23.8, 33.3, 27.8), abs=0.05)


def test_blanc_is_the_mean_of_what_same_and_different_pairs_give_or_of_one_kind_where_there_is_no_other() -> None:
    found = scored("abc d", "ab cd")

    assert (found["BLANC.P"], found["BLANC.R"]) == pytest.approx((100 * (1 / 2 + 2 / 4) / 2, 100 * (1 / 3 + 2 / 3) / 2))
    assert found["BLANC.F"] == pytest.approx(100 * (2 / 5 + 4 / 7) / 2)
    assert scored("a b c", "a b c")["BLANC.F"] == scored("abc", "abc")["BLANC.F"] == 100.0


def test_muc_has_no_figure_where_every_chain_has_one_mention() -> None:
    found = scored("a b", "a b")

    assert np.isnan(found["MUC.F"]) and np.isnan(found["CoNLL"])
    assert found["B3.F"] == 100.0


def random_chains(draw: Random, mentions: str) -> Chains:
    """Return chains of most of the mentions; now and then one is left out."""
    found = defaultdict(set)
    for mention in mentions:
        if draw.random() < 0.9:
            found[draw.randrange(6)].add(mention)
    return [frozenset(own) for own in found.values()]


@pytest.mark.slow
def test_a_thousand_random_pairs_of_chains_have_the_figures_of_the_definitions() -> None:
    draw = Random(4)
    for _ in range(1000):
        mentions = "abcdefghij"[: draw.randint(2, 10)]
        assert_as_defined(Pair(random_chains(draw, mentions), random_chains(draw, mentions)))


@pytest.mark.slow
def test_real_chains_with_errors_have_the_figures_of_the_definitions(entities: Path) -> None:
    draw = Random(5)
    for marked in read_chains(Work(None, {}), entities).values():
        own: dict[object, set[Mention]] = defaultdict(set)
        other: dict[object, set[Mention]] = defaultdict(set)
        names = list(marked.chain_of.values())
        for mention, chain in marked.chain_of.items():
            own[chain].add(mention)
            other[draw.choice(names) if draw.random() < 0.2 else chain].add(mention)
        pair = Pair(list(map(frozenset, own.values())), list(map(frozenset, other.values())))
        assert_as_defined(pair)
        assert_as_defined(without_singletons(pair))


def assert_as_defined(pair: Pair) -> None:
    found = dict(zip(COLUMNS, scores(counts_of(pair)).tolist(), strict=True))
    defined = figures(*pair)
    for name in ("MUC", "B3", "CEAFm", "CEAFe", "LEA"):
        both = found[f"{name}.P"], found[f"{name}.R"]
        assert np.nan_to_num(both) == pytest.approx(np.multiply(100, defined[name]), abs=1e-9), (name, pair)
    for name, metric in (("same", same_links), ("different", different_links)):
        right_of_response, response, right_of_gold, gold = metric(*pair)
        shares = right_of_response / max(response, 1), right_of_gold / max(gold, 1)
        assert shares == pytest.approx(defined[name], abs=1e-9), (name, pair)


def test_every_metric_gives_an_f_between_precision_and_recall() -> None:
    found = scored("abc de fgh", "ab cde f gh")

    for name in METRICS:
        parts = found[f"{name}.P"], found[f"{name}.R"]
        assert min(parts) <= found[f"{name}.F"] <= max(parts)
