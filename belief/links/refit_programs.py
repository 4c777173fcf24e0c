"""Refit of programs [beyond paper 3.1.1]: how often programs err on links, learned from a project's own answers.

A program's word on a pair is held against the chance of that pair to corefer, after all answers. The chance depends on
the programs' words, so both are found in turn until no rate moves. All pairs of groups with answers count: those that
were judged are the doubtful ones, on which a program errs more than elsewhere. Imagined pairs with the errors of an
unknown program keep few answers from saying much.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from annotation.rules.link_group import link_group
from belief.links.answer_model import CrowdErrors, weigh
from belief.links.fit_link_prior import MOST_MENTIONS, partitions_of
from belief.links.link_prior import LinkPrior
from belief.links.partitions import Scores, Weights
from belief.links.posterior import posterior, words_terms
from belief.links.program_links import ALIKE, DIFFERENT, OF_SOURCE, SAME, errors_of, ratios, said_of
from belief.links.refit_from_answers import JudgedGroup
from belief.models.family import NO_FAMILIES, Families
from belief.models.source import NO_SOURCE, PAIRS, Source

IMAGINED = 20
"""Imagined pairs, of either kind, with the errors of an unknown program."""
ROUNDS, STILL = 20, 0.001
"""The most rounds; they end when no rate moves further."""
DIGITS = 3
LEAST = 1e-300
"""Chances below this count as this, as the logarithm of 0 is not a number."""


class _Said(NamedTuple):
    """One group as one program sees it."""

    counts: Scores
    """[partitions, 2]: how often its "same" and its "different" count."""
    same: NDArray[np.bool_]
    different: NDArray[np.bool_]
    """[pairs]"""


class _Weighed(NamedTuple):
    logs: Scores
    """[partitions]: logarithms of the chances without programs, up to a constant."""
    together: NDArray[np.bool_]
    """[partitions, pairs that may corefer]"""
    said: dict[int, _Said]


def refit_programs(
    groups: Iterable[JudgedGroup],
    prior: LinkPrior,
    errors: CrowdErrors,
    *,
    imagined: float = IMAGINED,
    families: Families = NO_FAMILIES,
    source: Source = NO_SOURCE,
) -> dict[int, CrowdErrors]:
    """Return the error rates of each program that said something of a group with answers.

    `prior`, `errors`: those of the project, by which its answers are weighed. `source`: a data set that is checked.
    """
    weighed = [one for group in groups if (one := _weighed(group, prior, errors))]
    programs = sorted({program for one in weighed for program in one.said})
    rates = {one: errors_of(one, {}, source) for one in programs}
    for _ in range(ROUNDS):
        before, rates = rates, _rates(weighed, rates, imagined, families, source)
        moved = [abs(now - then) for one in programs for now, then in zip(rates[one], before[one], strict=True)]
        if max(moved, default=0.0) < STILL:
            break
    return {one: CrowdErrors(*(round(rate, DIGITS) for rate in own)) for one, own in rates.items()}


def _weighed(group: JudgedGroup, prior: LinkPrior, errors: CrowdErrors) -> _Weighed | None:
    mentions = group.mentions
    linked = link_group(tuple(mentions))
    heard = {link: tuple(answers) for pair, answers in group.heard.items() if answers and (link := linked.link(pair))}
    partitions = partitions_of(mentions) if heard and group.said and len(mentions) <= MOST_MENTIONS else None
    if partitions is None:
        return None
    pairs: Scores = np.zeros((len(mentions), len(mentions)))
    for link, answers in heard.items():
        pairs[link] = pairs[link[::-1]] = weigh(answers, errors).ratio
    for pair, ratio in group.told.items():
        if link := linked.link(pair):
            pairs[link] = pairs[link[::-1]] = pairs[link] + ratio
    belief = posterior(partitions, Weights(pairs, *prior.scores(mentions)))
    possible = partitions.together.any(axis=0)
    one, another = (ends[possible] for ends in partitions.pairs)
    said = {}
    for program, chains in group.said.items():
        of_pairs = said_of(mentions, chains)
        terms = [words_terms(partitions, (of_pairs == what).astype(np.float64)) for what in (SAME, DIFFERENT)]
        own = of_pairs[one, another]
        said[program] = _Said(np.stack(terms, axis=1), own == SAME, own == DIFFERENT)
    return _Weighed(np.log(belief.chances.clip(LEAST)), partitions.together[:, possible].astype(bool), said)


def _rates(
    groups: Sequence[_Weighed],
    rates: Mapping[int, CrowdErrors],
    imagined: float,
    families: Families,
    source: Source,
) -> dict[int, CrowdErrors]:
    """Return for each program the share of pairs of either kind on which it is expected to be wrong."""
    totals = {program: np.zeros(4) for program in rates}
    for group in groups:
        chances = _chances(group, rates, families, source)
        for program, (_, same, different) in group.said.items():
            totals[program] += [
                chances[different].sum(),
                chances[same].sum(),
                (1 - chances)[same].sum(),
                (1 - chances)[different].sum(),
            ]
    return {
        program: _with_imagined(
            counts, errors_of(program, {}, source), PAIRS if program == source.program else imagined
        )
        for program, counts in totals.items()
    }


def _with_imagined(counts: Scores, usual: CrowdErrors, imagined: float) -> CrowdErrors:
    """Return the shares of wrong pairs with this many imagined pairs. `counts`: missed, found, false, and right."""
    missed, found, false, right = counts
    return CrowdErrors(
        float(missed + imagined * usual.false_negative) / float(missed + found + imagined),
        float(false + imagined * usual.false_positive) / float(false + right + imagined),
    )


def _chances(group: _Weighed, rates: Mapping[int, CrowdErrors], families: Families, source: Source) -> Scores:
    """Return the chance of each pair to be together, after all answers and by what programs say."""
    logs = group.logs.copy()
    for program, said in families.one_of_each(group.said).items():
        weights = OF_SOURCE if program == source.program else ALIKE
        logs += said.counts @ (np.array(weights) * ratios(rates[program]))
    chances = np.exp(logs - logs.max())
    together: Scores = chances @ group.together / chances.sum()
    return together
