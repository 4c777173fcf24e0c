"""The belief about links: a pair's evidence, partitions, the beam, groups, chains that a rule keeps apart."""

import math
from itertools import combinations, pairwise, product

import numpy as np
import pytest

from annotation.rules.transitivity import LinkMention, Pair
from belief.annotators import skill
from belief.links import beam as beams
from belief.links.answer_model import PAPER_ERRORS, CrowdErrors, LinkAnswer, weigh
from belief.links.beam import Beam, BeamSearch
from belief.links.group_belief import believe_group, group_evidence, leave_one_out_chances, pair_chances
from belief.links.join_belief import JoinBelief, believe_joins, in_order
from belief.links.link_prior import DEFAULT
from belief.links.partitions import (
    SIZES,
    Flags,
    Partitions,
    PartitionWeights,
    Posterior,
    all_partitions,
    chances_of_blocks,
    posterior,
)
from tests.belief.test_link_features import named_mention as mention
from tests.support.link_groups import NO, YES, people, plain_beam
from tests.support.table import case


def test_nothing_heard_says_nothing_and_the_crowd_errs_as_it_does() -> None:
    assert weigh(()) == pytest.approx((0.0, 1 - PAPER_ERRORS.false_negative, PAPER_ERRORS.false_positive), abs=1e-6)


TWICE = CrowdErrors(0.094, 0.12)


@case("one answer counts by how often such answers are wrong", PAPER_ERRORS)
@case("an answer of a crowd that errs more says less", TWICE)
def test_one_answer(crowd: CrowdErrors) -> None:
    missed, false = crowd[:2]
    assert weigh((YES,), crowd).ratio == pytest.approx(math.log((1 - missed) / false), abs=1e-6)
    assert weigh((NO,), crowd).ratio == pytest.approx(math.log(missed / (1 - false)), abs=1e-6)
    assert weigh((), crowd).yes_if_different == pytest.approx(false, abs=1e-6)
    assert 0 < weigh((YES, YES), TWICE).ratio < weigh((YES, YES)).ratio


def test_every_repeat_says_something_more_but_less_than_the_first_and_the_order_says_nothing() -> None:
    gains = [after - before for before, after in pairwise([weigh((YES,) * times).ratio for times in range(5)])]
    assert all(gain > 0 for gain in gains)
    assert gains == sorted(gains, reverse=True)
    assert weigh((YES, NO, NO)).ratio == pytest.approx(weigh((NO, NO, YES)).ratio)


def test_a_pair_that_divides_people_is_hard_and_the_next_answer_is_expected_to_be_wrong_more_often() -> None:
    assert weigh((YES, NO)).yes_if_different > 2 * PAPER_ERRORS.false_positive
    assert weigh((NO, NO, NO)).yes_if_different < PAPER_ERRORS.false_positive


def test_a_careful_worker_says_more_than_a_careless_one() -> None:
    careful, careless = skill(0.99, 200, PAPER_ERRORS.mean), skill(0.75, 200, PAPER_ERRORS.mean)
    assert (
        weigh((LinkAnswer(True, careful),)).ratio > weigh((YES,)).ratio > weigh((LinkAnswer(True, careless),)).ratio > 0
    )


FREE = np.zeros((3, 3), dtype=bool)
NONE, EVEN = np.zeros((3, 3)), np.zeros((3, SIZES))


def of_three(
    pairs: np.ndarray = NONE, words: np.ndarray = NONE, sizes: np.ndarray = EVEN
) -> tuple[Posterior, dict[tuple[int, ...], float]]:
    partitions = all_partitions(FREE, 10)
    assert partitions is not None
    belief = posterior(partitions, PartitionWeights(pairs, words, sizes))
    return belief, dict(zip(map(tuple, partitions.labels.tolist()), belief.chances.tolist(), strict=True))


def pair(score: float, one: int = 0, another: int = 1) -> np.ndarray:
    scores = np.zeros((3, 3))
    scores[one, another] = scores[another, one] = score
    return scores


def test_without_evidence_all_are_alike_and_a_pair_counts_wherever_it_is_together() -> None:
    assert list(of_three()[1].values()) == pytest.approx([0.2] * 5)
    belief, chances = of_three(pair(math.log(3)))
    # Together in (0, 0, 0) and (0, 0, 1): three times as likely as the other three.
    assert chances[0, 0, 0] == chances[0, 0, 1] == pytest.approx(3 / 9)
    assert belief.same()[0, 1] == pytest.approx(6 / 9) and belief.same()[0, 2] == pytest.approx(4 / 9)


def test_the_words_of_a_block_count_by_the_mean_of_its_pairs_and_the_links_it_needs() -> None:
    _, chances = of_three(words=pair(math.log(27)))
    # Alone together the pair counts whole; in a chain of three, two links at a third of it each.
    assert chances[0, 0, 1] / chances[0, 1, 2] == pytest.approx(27)
    assert chances[0, 0, 0] / chances[0, 1, 2] == pytest.approx(9)


def test_the_size_of_a_block_counts_once_by_its_first_mention() -> None:
    sizes = EVEN.copy()
    sizes[0, 2] = math.log(4)  # three mentions, the first of them number 0
    sizes[1, 2] = math.log(1000)  # never: such a block would begin with 1 and hold three
    _, chances = of_three(sizes=sizes)
    assert chances[0, 0, 0] == pytest.approx(4 / 8)


MOST = [[0, 0, 1, 1], [0, 1, 2, 2], [0, 1, 1, 2], [0, 1, 2, 3]], [0.34, 0.30, 0.20, 0.16], [0, 1, 2, 2]


# First, {0} is right in the last three, {1} in two of them, {2, 3} in the first two.
@case("the best has the most chains right and not the likeliest whole", *MOST, [0.66, 0.46, 0.64, 0.64])
@case("a large chain counts as one", [[0, 0, 0], [0, 1, 2]], [0.6, 0.4], [0, 1, 2], [0.4] * 3)
def test_the_best_partition(ways: list[list[int]], chances: list[float], labels: list[int], sure: list[float]) -> None:
    best = Posterior(Partitions(np.array(ways, dtype=np.int16)), np.array(chances)).best()
    assert (best.labels.tolist(), best.confidence.tolist()) == (labels, pytest.approx(sure))


def test_a_block_is_as_likely_as_the_partitions_that_hold_exactly_it() -> None:
    belief, chances = of_three(pair(math.log(3)))
    wanted = np.array([[True, True, False], [True, True, True], [False, False, True]])
    expected = [chances[0, 0, 1], chances[0, 0, 0], chances[0, 0, 1] + chances[0, 1, 2]]
    assert chances_of_blocks(*belief.labels_and_chances(), wanted) == pytest.approx(expected)


def test_each_mention_that_people_joined_may_be_misread_by_most_of_them_but_none_that_an_expert_joined() -> None:
    group, errors = people(4), PAPER_ERRORS._replace(misjoined=0.1)
    answers = {pair: (YES,) * 15 for pair in combinations(range(3), 2)} | {(2, 3): (NO,) * 15}
    by_people, by_expert, read_well = (
        believe_group(group_evidence(group, answers, crowd, expert_links), DEFAULT)[1]
        for crowd, expert_links in ((errors, {}), (errors, {(0, 1): True}), (PAPER_ERRORS, {}))
    )
    assert by_people.labels.tolist() == by_expert.labels.tolist() == [0, 0, 0, 1]
    assert by_people.confidence == pytest.approx(read_well.confidence * [0.9**2, 0.9**2, 0.9**2, 1])
    assert by_expert.confidence[:3] == pytest.approx(0.9, abs=0.01)


def drawn(mentions: int, seed: int, apart: float = 0.2, *, antecedents: bool = False) -> tuple[Flags, PartitionWeights]:
    draw = np.random.default_rng(seed)
    pairs, words = (np.triu(draw.normal(-0.5, 2, (mentions, mentions)), 1) for _ in range(2))
    ruled_out = np.triu(draw.random((mentions, mentions)) < apart, 1)
    weights = PartitionWeights(pairs + pairs.T, words + words.T, draw.normal(0, 1, (mentions, SIZES)))
    if antecedents:
        weights = weights._replace(antecedents=np.triu(draw.random((mentions, mentions)), 1))
    return ruled_out | ruled_out.T, weights


def copied(weights: PartitionWeights) -> PartitionWeights:
    antecedents = None if weights.antecedents is None else weights.antecedents.copy()
    return PartitionWeights(weights.pairs.copy(), weights.words.copy(), weights.sizes.copy(), antecedents)


def plain(ruled_out: Flags, weights: PartitionWeights, width: int) -> list[tuple[tuple[int, ...], float]]:
    """Search by plain loops, with numbers of Python: taking them one by one, they are faster than those of numpy."""
    antecedents = None if weights.antecedents is None else weights.antecedents.astype(object)
    pairs, words, sizes = (part.astype(object) for part in weights[:3])
    as_objects = PartitionWeights(pairs, words, sizes, antecedents)
    return plain_beam(ruled_out.astype(object), as_objects, width)


def rows(beam: Beam) -> list[tuple[int, ...]]:
    return [tuple(row) for row in beam.labels().tolist()]


def test_it_keeps_the_partitions_that_plain_loops_keep_and_of_equal_ones_the_same() -> None:
    for seed, width in product(range(2), (1, 7, 30)):
        ruled_out, weights = drawn(8, seed)
        agree(BeamSearch().find(ruled_out, weights, width), plain(ruled_out, weights, width))
    ruled_out, weights = drawn(8, 0)
    even = PartitionWeights(*(np.zeros_like(part) for part in weights[:3]))
    assert rows(BeamSearch().find(ruled_out, even, 20)) == [labels for labels, _ in plain(ruled_out, even, 20)]
    few, by_antecedents = drawn(6, 0, antecedents=True)
    agree(BeamSearch().find(few, by_antecedents, 300), plain(few, by_antecedents, 300))


def agree(found: Beam, expected: list[tuple[tuple[int, ...], float]]) -> None:
    assert rows(found) == [labels for labels, _ in expected]
    assert found.reached.tolist() == pytest.approx([score for _, score in expected])


def test_by_antecedents_few_partitions_stand_for_all_so_that_no_pair_looks_too_sure() -> None:
    for seed in range(3):
        ruled_out, weights = drawn(9, seed, antecedents=True)
        doubtful = weights._replace(pairs=weights.pairs / 4, words=weights.words / 4)
        few, every = (BeamSearch().find(ruled_out, doubtful, width) for width in (300, 20_000))
        likeliest = np.argsort(every.reached)[-300:]
        alone = Beam(every.slots[likeliest], every.reached[likeliest], every.members, every.words_inside)
        assert len(few.reached) <= 300 and len(every.reached) > 5000
        drawn_off, alone_off = (np.abs(some.same() - every.same()).mean() for some in (few, alone))
        assert drawn_off < 0.01 and drawn_off < alone_off / 2


@pytest.mark.parametrize("mentions", range(6, 10))
def test_of_equally_likely_partitions_the_same_are_drawn_however_a_machine_rounds(mentions: int) -> None:
    none = np.zeros((mentions, mentions))
    even = PartitionWeights(none, none, np.zeros((mentions, SIZES)), np.triu(np.ones_like(none), 1))
    noise = np.random.default_rng(0).normal(0, 1e-14, even.sizes.shape)
    as_rounded = even._replace(sizes=even.sizes + noise)
    for width in (20, 50, 64):
        exact, other = (BeamSearch().find(none.astype(bool), weights, width) for weights in (even, as_rounded))
        assert rows(exact) == rows(other)


def test_pairs_and_the_best_partition_are_as_likely_as_the_posterior_says() -> None:
    ruled_out, weights = drawn(10, 3)
    found = BeamSearch().find(ruled_out, weights, 300)
    belief = posterior(Partitions(found.labels()), weights)
    same, best = found.same_and_best()
    apart = ~np.eye(10, dtype=bool)
    assert same[apart] == pytest.approx(belief.same()[apart])
    assert best.labels.tolist() == belief.best().labels.tolist()
    assert best.confidence == pytest.approx(belief.best().confidence)
    assert found.chances == pytest.approx(belief.chances)


@pytest.mark.parametrize("antecedents", [False, True], ids=["by words", "by antecedents"])
def test_a_search_that_goes_on_finds_what_a_new_one_finds(*, antecedents: bool) -> None:
    ruled_out, weights = drawn(12, 5, antecedents=antecedents)
    search, draw = BeamSearch(), np.random.default_rng(0)
    for _ in range(12):
        one, other = sorted(draw.choice(12, 2, replace=False))
        weights.pairs[one, other] = weights.pairs[other, one] = draw.normal(0, 3)
        if draw.random() < 0.2:
            ruled_out[one, other] = ruled_out[other, one] = True
        if draw.random() < 0.2:
            weights.sizes[one, 1] += 1
        if weights.antecedents is not None and draw.random() < 0.2:
            weights.antecedents[one, other] *= 2
        copies = ruled_out.copy(), copied(weights)
        again, anew = search.find(*copies, 50), BeamSearch().find(*copies, 50)
        assert rows(again) == rows(anew) and again.reached.tolist() == anew.reached.tolist()


def test_after_an_answer_only_the_mentions_from_its_later_one_on_are_added_again(monkeypatch: pytest.MonkeyPatch):
    added: list[int] = []
    step = beams.with_mention

    def counted(beam: Beam, mention: int, *rest: object) -> Beam:
        added.append(mention)
        return step(beam, mention, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(beams, "with_mention", counted)
    ruled_out, weights = drawn(20, 6)
    search = BeamSearch()
    search.find(ruled_out, weights, 50)
    assert added == list(range(20))
    pairs = weights.pairs.copy()
    pairs[3, 16] = pairs[16, 3] = 2.0
    search.find(ruled_out, weights._replace(pairs=pairs), 50)
    assert added[20:] == list(range(16, 20))


def test_blocks_that_nobody_holds_do_not_pile_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(beams, "MAX_BLOCKS", 10)
    ruled_out, weights = drawn(12, 7)
    found = BeamSearch().find(ruled_out, weights, 30)
    assert len(found.members) == 2 + len({tuple(block) for block in found.members[2:].tolist()}) <= 32 * 12
    assert rows(found) == [labels for labels, _ in plain(ruled_out, weights, 30)]


GROUP = people(3)


def test_what_a_pair_was_answered_counts_beside_what_the_others_tell():
    heard = {(0, 1): [YES], (0, 2): [YES], (1, 2): [NO, NO]}
    every, others = (
        told(GROUP, heard, prior=DEFAULT, errors=PAPER_ERRORS) for told in (pair_chances, leave_one_out_chances)
    )
    assert every[1, 2] < others[1, 2], "its own answers say no"
    assert every.keys() == others.keys() == heard.keys()


def test_what_programs_tell_counts_like_an_answer():
    def together(model_annotators: dict[Pair, float]) -> float:
        known = group_evidence(GROUP, {}, PAPER_ERRORS, models=model_annotators)
        return float(believe_group(known, DEFAULT)[0].together[0, 1])

    assert together({(0, 1): 3.0}) > together({}) > together({(0, 1): -3.0})
    assert together({(0, 1): 0.0}) == pytest.approx(together({}))


def test_mentions_of_one_caption_are_asked_about_where_they_stand_in_different_sentences():
    one, other = (mention._replace(caption=0, start=n, reference_rank=n) for n, mention in enumerate(people(2)))
    assert len(group_evidence([one, other], {}, PAPER_ERRORS).open) == 0, (
        "a checked data set alone holds that they are one thing"
    )
    assert len(group_evidence([one, other._replace(part=(1, 0))], {}, PAPER_ERRORS).open) == 1


TABLES = [mention(0, 0, "a table"), mention(1, 0, "the table"), mention(2, 0, "a table top")]


def belief_of_joins(
    chains: list[LinkMention], heard: dict[Pair, list[LinkAnswer]] | None = None, given: dict[Pair, bool] | None = None
) -> JoinBelief:
    return believe_joins([[one] for one in chains], heard or {}, given or {}, DEFAULT, PAPER_ERRORS)


def test_without_answers_two_chains_are_rather_two_things_and_answers_join_them() -> None:
    without, joined = belief_of_joins(TABLES[:2]), belief_of_joins(TABLES[:2], {(0, 1): [YES, YES]})
    assert (without.labels, joined.labels) == ((0, 1), (0, 0))
    assert 0.01 < without.chances[0, 1] < 0.5 and joined.chances[0, 1] > 0.8
    assert without.whole == pytest.approx((1 - without.chances[0, 1],) * 2)


def test_an_answer_about_any_two_mentions_of_the_chains_counts() -> None:
    chains = [[mention(0, 0, "a table"), mention(3, 1, "a table")], [mention(1, 0, "the table", start=5)]]
    assert believe_joins(chains, {(1, 3): [YES, YES]}, {}, DEFAULT, PAPER_ERRORS).labels == (0, 0)


def test_three_chains_can_become_one_and_an_expert_decides_whatever_was_answered() -> None:
    belief = belief_of_joins(TABLES, {(0, 1): [YES, YES], (1, 2): [YES, YES], (0, 2): [YES, YES]})
    assert (belief.labels, belief.parts) == ((0, 0, 0), ((0, 1, 2),))
    assert belief_of_joins(TABLES[:2], {(0, 1): [NO] * 5}, {(0, 1): True}).labels == (0, 0)
    assert belief_of_joins(TABLES[:2], {(0, 1): [YES] * 5}, {(0, 1): False}).labels == (0, 1)


def test_chains_that_the_rules_allow_but_answers_keep_apart_are_not_joined_by_a_third() -> None:
    table, board, both = mention(0, 0, "a table"), mention(1, 1, "a table"), mention(2, 0, "the table", start=8)
    chains = [[table], [board], [both, both._replace(number=3, caption=1, start=8)]]
    belief = believe_joins(chains, {(0, 2): [YES] * 3, (1, 3): [YES] * 3}, {}, DEFAULT, PAPER_ERRORS)
    assert belief.labels[0] != belief.labels[1] and belief.chances[0, 2] == pytest.approx(belief.chances[1, 2])


def test_what_is_far_too_unlikely_is_left_out() -> None:
    man, park = mention(0, 0, "three men", "people"), mention(1, 0, "a park", "scene")
    belief = belief_of_joins([man, park])
    assert belief.parts == () and belief.chances == {}
    assert 0.99 < belief.whole[0] < 1.0


def test_pairs_are_named_in_reading_order() -> None:
    assert in_order(mention(5, 1, "a table"), mention(7, 0, "a table")) == (7, 5)
