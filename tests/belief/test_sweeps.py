"""Sweeps: how much one answer about a mention and its candidates tells, and which sweep tells most a second."""

from collections.abc import Mapping, Sequence
from itertools import product
from math import log2, prod

import numpy as np
import pytest

from annotation.rules.transitivity import Pair
from belief.links.answer_model import (
    LAPSE,
    OVERLOOKED,
    PAPER_ERRORS,
    CrowdErrors,
    LinkAnswer,
    chances_of_judgment,
    weigh,
)
from belief.links.beam import BeamSearch
from belief.links.group_belief import GroupBelief, believe_group, group_evidence
from belief.links.lapses import added_by_lapses, swept_links
from belief.links.link_prior import LinkPrior
from belief.links.link_seconds import LinkSeconds
from belief.links.partitions import (
    SIZES,
    Partitions,
    PartitionWeights,
    Posterior,
    Scores,
    all_partitions,
    chances_of_blocks,
    posterior,
)
from belief.links.sweeps import SweepPlan, best_sweep
from tests.support.link_groups import EVEN, NO, YES, people

FREE_OF_CHARGE = LinkSeconds(7.5, 0.0)


def belief(mentions: int, prior: LinkPrior = EVEN) -> GroupBelief:
    """Return the belief about mentions of different captions before any answer."""
    return believe_group(group_evidence(people(mentions, captions=mentions), {}, PAPER_ERRORS), prior)[0]


def found(known: GroupBelief, seconds: LinkSeconds, errors: CrowdErrors = PAPER_ERRORS) -> SweepPlan:
    plan = best_sweep(known, ~np.eye(len(known.together), dtype=bool), seconds, errors)
    assert plan is not None
    return plan


def bits_over_all_answers(known: GroupBelief, plan: SweepPlan, errors: CrowdErrors) -> float:
    """The mutual information of answer and partition, summed over every answer to the sweep and every partition."""
    count = len(plan.candidates)
    labels, chances = known.posterior.labels_and_chances()
    rows = labels[:, list(plan.candidates)] == labels[:, [plan.mention]]
    missed = 1 - (1 - PAPER_ERRORS.false_negative) * errors.noticed(count)
    touch = np.where(rows, 1 - missed, PAPER_ERRORS.false_positive)
    careful = (touch - errors.lapse / 2) / (1 - errors.lapse)
    bits = 0.0
    for answer in product((False, True), repeat=count):
        if_careful = np.where(answer, careful, 1 - careful).prod(axis=1)
        if_row = (1 - errors.lapse) * if_careful + errors.lapse / 2**count
        bits += float((chances * if_row * np.log2(if_row / (chances @ if_row))).sum())
    return bits


@pytest.mark.parametrize(
    ("errors", "within"),
    [
        (PAPER_ERRORS._replace(overlooked=0.0), 2e-5),
        (PAPER_ERRORS, 0.002),
        (PAPER_ERRORS._replace(overlooked=0.1, lapse=0.0), 1e-6),
        (PAPER_ERRORS._replace(overlooked=0.1, lapse=0.08), 0.08),
    ],
)
def test_an_answer_tells_the_mutual_information_of_all_its_bits_and_the_partition(
    errors: CrowdErrors, within: float
) -> None:
    known = belief(5)
    plan = found(known, FREE_OF_CHARGE, errors)
    assert len(plan.candidates) == 4
    assert 7.5 * plan.rate == pytest.approx(bits_over_all_answers(known, plan, errors), abs=within)


def test_the_bits_of_an_answer_overlap_where_candidates_depend_on_each_other() -> None:
    known = belief(5)
    one_by_one = known.bits[0, 1:].sum()
    assert 0.5 * one_by_one < found(known, FREE_OF_CHARGE).rate * 7.5 < 0.99 * one_by_one


def test_a_list_in_which_more_is_overlooked_tells_less() -> None:
    known = belief(5)
    assert found(known, FREE_OF_CHARGE, PAPER_ERRORS._replace(overlooked=0.1)).rate < found(known, FREE_OF_CHARGE).rate


def test_the_dearer_a_candidate_the_fewer_are_asked_about() -> None:
    numbers = [len(found(belief(6), LinkSeconds(7.5, further)).candidates) for further in (0, 9, 30)]
    assert numbers == sorted(numbers, reverse=True) and numbers[0] == 5 and numbers[-1] == 2


def test_a_sweep_has_twelve_candidates_at_most_and_none_that_is_sure() -> None:
    labels = np.random.default_rng(0).integers(0, 2, (4000, 15)).astype(np.int16)
    even = Posterior(Partitions(labels), np.full(4000, 1 / 4000))
    together, small = np.full((15, 15), 0.5), np.full((15, 15), 0.05)
    every = GroupBelief(even, together, 1 - small, small)
    assert len(found(every, FREE_OF_CHARGE).candidates) == 12
    known = belief(3)
    known.together[0, 2] = known.together[2, 0] = 0.9995
    known.together[1, 2] = known.together[2, 1] = 0.0005
    assert best_sweep(known, ~np.eye(3, dtype=bool), FREE_OF_CHARGE) is None


def test_only_what_may_be_asked_is_a_candidate() -> None:
    allowed = ~np.eye(4, dtype=bool)
    allowed[0] = allowed[:, 0] = False
    plan = best_sweep(belief(4), allowed, FREE_OF_CHARGE)
    assert plan is not None and 0 not in (plan.mention, *plan.candidates) and len(plan.candidates) == 2
    assert best_sweep(belief(4), np.zeros((4, 4), dtype=bool), FREE_OF_CHARGE) is None


def test_blocks_are_as_likely_as_the_partitions_that_hold_them() -> None:
    none = np.zeros((9, 9))
    weights = PartitionWeights(np.random.default_rng(1).normal(0, 1, (9, 9)), none, np.zeros((9, SIZES)))
    beam = BeamSearch().find(none.astype(bool), weights, 200)
    for known in (beam, posterior(Partitions(beam.labels()), weights)):
        blocks, chances = known.blocks()
        assert chances @ blocks == pytest.approx(1), "each mention is in one block of each partition"
        labels, of_partitions = known.labels_and_chances()
        likely = chances > 0.01
        assert likely.sum() > 9
        assert chances[likely] == pytest.approx(chances_of_blocks(labels, of_partitions, blocks[likely]))


# --- What a judgment of a sweep says ---


def test_no_touch_in_a_long_list_says_less_than_a_no_and_a_touch_as_much_as_a_yes() -> None:
    ratios = [weigh((LinkAnswer(False, 0.0, listed),)).ratio for listed in (1, 2, 12)]
    assert ratios == sorted(ratios) and ratios[-1] < 0
    touched = weigh((LinkAnswer(True, 0.0, 12),)).ratio
    assert touched == pytest.approx(weigh((YES,)).ratio + 11 * np.log(1 - OVERLOOKED))


def test_a_crowd_that_overlooks_nothing_answers_a_sweep_as_it_answers_pairs() -> None:
    errors = PAPER_ERRORS._replace(overlooked=0.0)
    answers = LinkAnswer(False), LinkAnswer(True, 0.4)
    listed = tuple(answer._replace(listed=9) for answer in answers)
    assert weigh(listed, errors) == weigh(answers, errors)


def test_entropies_are_of_bits() -> None:
    known = belief(2)
    chance = float(known.together[0, 1])
    assert 0 < known.bits[0, 1] < -chance * log2(chance) - (1 - chance) * log2(1 - chance)


# --- What the judgments of one sweep say together ---


def in_one_sweep(same: Sequence[bool], sweep: int = 1) -> dict[Pair, list[LinkAnswer]]:
    """Return the judgments of a worker who was given mention 0 and the ones after it."""
    return {(0, place): [LinkAnswer(touched, 0.0, len(same), sweep)] for place, touched in enumerate(same, 1)}


def chances_by(heard: Mapping[Pair, Sequence[LinkAnswer]], errors: CrowdErrors = PAPER_ERRORS) -> Scores:
    mentions = people(5, captions=5)
    return believe_group(group_evidence(mentions, heard, errors), EVEN)[0].posterior.labels_and_chances()[1]


def test_a_partition_is_as_likely_as_an_answer_that_may_be_a_lapse_makes_it() -> None:
    heard, every = in_one_sweep([True, True, False, True]), all_partitions(np.zeros((5, 5), dtype=bool), 100)
    independent = {pair: [answer._replace(sweep=0)] for pair, (answer,) in heard.items()}
    missed = 1 - (1 - PAPER_ERRORS.false_negative) * PAPER_ERRORS.noticed(4)
    factors = []
    for row in every.labels if every else ():
        wrong = [
            (missed if row[0] == row[place] else PAPER_ERRORS.false_positive, (row[0] == row[place]) == answer.same)
            for (_, place), (answer,) in heard.items()
        ]
        all_alike = prod(1 - error if right else error for error, right in wrong)
        read = [((error - LAPSE / 2) / (1 - LAPSE), right) for error, right in wrong]
        if_read = prod(1 - error if right else error for error, right in read)
        factors.append(((1 - LAPSE) * if_read + LAPSE / 2**4) / all_alike)
    expected = chances_by(independent) * np.array(factors) ** EVEN.temper
    assert chances_by(heard) == pytest.approx(expected / expected.sum(), abs=1e-9)


def test_touches_in_a_long_list_say_less_than_half_of_what_as_many_answers_to_pairs_do() -> None:
    heard = in_one_sweep([True] * 12)
    swept, missed = swept_links(heard), 1 - (1 - PAPER_ERRORS.false_negative) * PAPER_ERRORS.noticed(12)
    blocks = np.array([[True] + [together] * 12 for together in (True, False)])
    assert swept is not None
    together, apart = added_by_lapses(swept, blocks, PAPER_ERRORS)
    of_pairs = 12 * np.log((1 - missed) / PAPER_ERRORS.false_positive)
    assert 0 < of_pairs + together - apart < of_pairs / 2


def test_judgments_of_pairs_are_no_lapses_of_sweeps() -> None:
    pairs = {pair: [answer._replace(sweep=0, listed=1)] for pair, (answer,) in in_one_sweep([True] * 4).items()}
    assert swept_links(pairs) is None
    assert (chances_by(pairs) == chances_by(pairs, PAPER_ERRORS._replace(lapse=0.2))).all()
    assert swept_links(in_one_sweep([True])) is None, "of this sweep the group has one pair"


def test_the_chances_of_judgments_one_after_another_make_what_they_say_together() -> None:
    given = (LinkAnswer(True, 0.4), LinkAnswer(False, 0.0, 5, 1), LinkAnswer(True, 0.0, 3, 2))
    in_turn = [chances_of_judgment(given[: place + 1], place) for place in range(3)]
    if_same, if_different = (prod(chances) for chances in zip(*in_turn, strict=True))
    assert np.log(if_same / if_different) == pytest.approx(weigh(given).ratio)
    beside_denials = chances_of_judgment((NO, NO, YES), 2)
    assert all(after < before for after, before in zip(beside_denials, chances_of_judgment((YES,), 0), strict=True))


def test_what_blocks_add_counts_in_a_beam_as_in_all_partitions() -> None:
    none = np.zeros((6, 6))
    pairs = np.random.default_rng(2).normal(0, 1, (6, 6))
    weights = PartitionWeights(pairs + pairs.T, none, np.zeros((6, SIZES)))
    beam = BeamSearch().find(none.astype(bool), weights, 50)
    for known in (beam, posterior(Partitions(beam.labels()), weights)):
        blocks, _ = known.blocks()
        before, after = known.chances, known.with_blocks(blocks[:, :2].all(axis=1) * np.log(2)).chances
        labels, _ = known.labels_and_chances()
        doubled = before * (1 + (labels[:, 0] == labels[:, 1]))
        assert after == pytest.approx(doubled / doubled.sum())
