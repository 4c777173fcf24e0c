"""The likeliest partitions of large groups: the same as by plain loops, and the same however the search went before."""

from itertools import product

import numpy as np
import pytest

from pipeline.rules.linking.adaptive import beam as beams
from pipeline.rules.linking.adaptive.beam import Beam, BeamSearch
from pipeline.rules.linking.adaptive.posterior import posterior
from pipeline.rules.linking.prior.partitions import SIZES, Flags, Partitions, Weights
from tests.support.link_groups import plain_beam


def drawn(mentions: int, seed: int, apart: float = 0.2) -> tuple[Flags, Weights]:
    draw = np.random.default_rng(seed)
    pairs, words = (np.triu(draw.normal(-0.5, 2, (mentions, mentions)), 1) for _ in range(2))
    ruled_out = np.triu(draw.random((mentions, mentions)) < apart, 1)
    return ruled_out | ruled_out.T, Weights(pairs + pairs.T, words + words.T, draw.normal(0, 1, (mentions, SIZES)))


def plain(ruled_out: Flags, weights: Weights, width: int) -> list[tuple[tuple[int, ...], float]]:
    """Search by plain loops, with numbers of Python: taking them one by one, they are faster than those of numpy."""
    return plain_beam(ruled_out.astype(object), Weights(*(part.astype(object) for part in weights)), width)


def rows(beam: Beam) -> list[tuple[int, ...]]:
    return [tuple(row) for row in beam.labels().tolist()]


def test_it_keeps_the_partitions_that_plain_loops_keep() -> None:
    for seed, width in product(range(2), (1, 7, 30)):
        ruled_out, weights = drawn(8, seed)
        expected = plain(ruled_out, weights, width)
        found = BeamSearch().find(ruled_out, weights, width)
        assert rows(found) == [labels for labels, _ in expected], f"seed {seed}, width {width}"
        assert found.reached.tolist() == pytest.approx([score for _, score in expected]), f"seed {seed}, width {width}"


def test_of_equal_partitions_it_keeps_the_same_as_plain_loops() -> None:
    ruled_out, weights = drawn(8, 0)
    even = Weights(*(np.zeros_like(part) for part in weights))
    assert rows(BeamSearch().find(ruled_out, even, 20)) == [labels for labels, _ in plain(ruled_out, even, 20)]


def test_pairs_and_the_best_partition_are_as_likely_as_the_posterior_says() -> None:
    ruled_out, weights = drawn(10, 3)
    found = BeamSearch().find(ruled_out, weights, 300)
    belief = posterior(Partitions(found.labels()), weights)
    same, best = found.same_and_best()
    apart = ~np.eye(10, dtype=bool)
    assert same[apart] == pytest.approx(belief.same()[apart])
    assert best.labels.tolist() == belief.best().labels.tolist()
    assert best.confidence == pytest.approx(belief.best().confidence)
    assert found.chances() == pytest.approx(belief.chances)


def test_a_search_that_goes_on_finds_what_a_new_one_finds() -> None:
    ruled_out, weights = drawn(12, 5)
    search, draw = BeamSearch(), np.random.default_rng(0)
    for _ in range(12):
        one, other = sorted(draw.choice(12, 2, replace=False))
        weights.pairs[one, other] = weights.pairs[other, one] = draw.normal(0, 3)
        if draw.random() < 0.2:
            ruled_out[one, other] = ruled_out[other, one] = True
        if draw.random() < 0.2:
            weights.sizes[one, 1] += 1
        copies = ruled_out.copy(), Weights(*(part.copy() for part in weights))
        again, anew = search.find(*copies, 50), BeamSearch().find(*copies, 50)
        assert rows(again) == rows(anew) and again.reached.tolist() == anew.reached.tolist()


@pytest.fixture
def steps(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The mentions that were added to beams since the test began."""
    added: list[int] = []
    step = beams.with_mention

    def counted(beam: Beam, mention: int, *rest: object) -> Beam:
        added.append(mention)
        return step(beam, mention, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(beams, "with_mention", counted)
    return added


def test_after_an_answer_only_the_mentions_from_its_later_one_on_are_added_again(steps: list[int]) -> None:
    ruled_out, weights = drawn(20, 6)
    search = BeamSearch()
    search.find(ruled_out, weights, 50)
    assert steps == list(range(20))
    pairs = weights.pairs.copy()
    pairs[3, 16] = pairs[16, 3] = 2.0
    search.find(ruled_out, weights._replace(pairs=pairs), 50)
    assert steps[20:] == list(range(16, 20))


def test_blocks_that_nobody_holds_do_not_pile_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(beams, "MOST_BLOCKS", 10)
    ruled_out, weights = drawn(12, 7)
    found = BeamSearch().find(ruled_out, weights, 30)
    assert len(found.members) == 2 + len({tuple(block) for block in found.members[2:].tolist()}) <= 32 * 12
    assert rows(found) == [labels for labels, _ in plain(ruled_out, weights, 30)]
