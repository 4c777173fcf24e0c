"""Program links [beyond paper 3.1.1]: how much the chains that programs predict say about links.

A program says of each pair of phrases that it placed whether the two are one thing. What that is worth follows from how
often it errs on either kind of pair, which a project's own answers tell (`refit_programs`). A program that errs as
if it guessed is worth nothing. Its errors come in rows: one misplaced phrase is wrong in every pair. So its word counts
like text, once for each link that a chain needs, and not like an answer, once for each pair.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from annotation.rules.transitivity import LinkMention, Pair
from belief.links.partitions import Flags, Scores
from belief.models.reference import NO_REFERENCE, Reference

Chains = Sequence[Sequence[int]]
"""Lists of the numbers of mentions that are one thing, as a program says; those of which it says nothing are absent."""
SAME, DIFFERENT = 1, 2


class VerdictErrors(NamedTuple):
    """The shares of a program's wrong verdicts, 0 to 1."""

    false_negative: float
    """Of pairs that corefer."""
    false_positive: float
    """Of pairs that do not."""


WEAK = VerdictErrors(0.3, 0.3)
"""The errors of a program of which nothing is known: it is right more often than not."""
PROGRAM_WEIGHTS = (1.0, 1.0)
"""The weights of what most programs say."""
REFERENCE_WEIGHTS = (0.5, 0.8)
"""The weights of "same" and "different" of a data set that is being checked.

An error takes a phrase out of one chain and into another at once. Two phrases are together by one error, and each
phrase is apart from all others by the word on many.
"""
NO_PAIRS: Mapping[Pair, float] = MappingProxyType({})
MIN_ERROR, MIN_REFERENCE_ERROR = 0.01, 0.002
"""No program, and no data set that is checked, counts as more often right than this error leaves room for."""


class ProgramLinks(NamedTuple):
    """The chains of an image by one program, and how often the program errs."""

    chains: Chains
    errors: VerdictErrors = WEAK
    min_error: float = MIN_ERROR
    weights: tuple[float, float] = PROGRAM_WEIGHTS
    """The weights of "same" and "different"."""
    misplaced: frozenset[int] = frozenset()
    """Mentions that are not where it placed them: what it keeps apart from them says nothing."""
    passed: Mapping[Pair, float] = NO_PAIRS
    """The share of its word on a pair that it keeps apart that says nothing here, as it is weighed elsewhere."""


def program_links(
    chains_of: Mapping[int, Chains],
    errors: Mapping[str, Sequence[float]],
    reference: Reference = NO_REFERENCE,
    misplaced: frozenset[int] = frozenset(),
    passed: Mapping[Pair, float] = NO_PAIRS,
) -> list[ProgramLinks]:
    """Return what the programs of an image say. `errors`: by the program's number, false negatives and positives.

    `misplaced`, `passed`: mentions and pairs of the reference set, see `ProgramLinks`.
    """
    return [
        ProgramLinks(
            chains, errors_of(program, errors, reference), MIN_REFERENCE_ERROR, REFERENCE_WEIGHTS, misplaced, passed
        )
        if program == reference.program
        else ProgramLinks(chains, errors_of(program, errors, reference))
        for program, chains in chains_of.items()
    ]


def reference_ratio(errors: Mapping[str, Sequence[float]], reference: Reference) -> float:
    """Return the logarithm of the likelihood ratio of the reference set's word that two phrases are two things."""
    return REFERENCE_WEIGHTS[1] * log_ratios(errors_of(reference.program, errors, reference), MIN_REFERENCE_ERROR)[1]


def errors_of(program: int, errors: Mapping[str, Sequence[float]], reference: Reference) -> VerdictErrors:
    """Return how often a program errs on links, as far as anything is known."""
    usual = VerdictErrors(*[reference.phrase_error] * 2) if program == reference.program else WEAK
    if program == reference.program and reference.is_learned:
        return usual
    return VerdictErrors(*errors.get(str(program), usual))


def program_scores(mentions: Sequence[LinkMention], programs: Iterable[ProgramLinks]) -> Scores:
    """Return what the programs add to the weights of words [mentions, mentions], as in `Weights.words`."""
    scores: Scores = np.zeros((len(mentions), len(mentions)))
    place = {mention.number: at for at, mention in enumerate(mentions)}
    for chains, errors, min_error, weights, misplaced, passed in programs:
        same, different = (weight * ratio for weight, ratio in zip(weights, log_ratios(errors, min_error), strict=True))
        verdicts = verdicts_of(mentions, chains)
        lost = np.array([mention.number in misplaced for mention in mentions])
        verdicts[(verdicts == DIFFERENT) & (lost[:, None] | lost)] = 0
        weighed = np.array([0.0, same, different])[verdicts]
        for (first, second), share in passed.items():
            if first in place and second in place:
                ends = [place[first], place[second]]
                weighed[ends, ends[::-1]] *= np.where(verdicts[ends, ends[::-1]] == DIFFERENT, 1 - share, 1.0)
        scores += weighed
    return scores


def log_ratios(errors: VerdictErrors, min_error: float = MIN_ERROR) -> tuple[float, float]:
    """Return the logarithms of the likelihood ratios of "same" and of "different"; both 0 if it might as well guess."""
    missed, false = (max(error, min_error) for error in errors)
    if missed + false >= 1:
        return 0.0, 0.0
    return math.log((1 - missed) / false), math.log(missed / (1 - false))


def verdicts_of(mentions: Sequence[LinkMention], chains: Chains) -> NDArray[np.intp]:
    """Return what a program says of each pair [mentions, mentions]: SAME, DIFFERENT, or 0 for nothing."""
    chain_of = {number: place for place, chain in enumerate(chains, start=1) for number in chain}
    chain_numbers = np.array([chain_of.get(mention.number, 0) for mention in mentions])
    placed = chain_numbers > 0
    both: Flags = placed[:, None] & placed
    verdicts: NDArray[np.intp] = np.where(chain_numbers[:, None] == chain_numbers, SAME, DIFFERENT) * both
    np.fill_diagonal(verdicts, 0)
    return verdicts
