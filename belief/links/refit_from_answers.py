"""Refit from answers [beyond paper 3.1.1]: the link prior and the crowd's error rates, learned without known chains.

The weights make a project's answers likeliest, over all partitions of each judged group. A penalty pulls them towards
the prior that the project was given. Which pairs are asked depends on earlier answers alone, so the choice does not
mislead the fit, as long as unfinished groups count, too. The crowd's errors are the answers expected to be wrong among
the first answers of each pair: pairs that divide people get more answers, and would make the crowd look worse than it
is. Weights and errors are fitted in turn until the errors stay. Evidence counts in full here: with the share of it that
counts in plans, right answers would look less sure to be right, and the crowd worse.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from annotation.rules.link_group import link_group
from annotation.rules.transitivity import LinkMention, Pair
from belief.links.answer_model import LEAST, MOST, OF_PAPER, CrowdErrors, Heard, weigh
from belief.links.fit_link_prior import (
    MOST_MENTIONS,
    Example,
    count_weights,
    maximise,
    partitions_of,
)
from belief.links.link_prior import DEFAULT, LinkPrior
from belief.links.partitions import Flags, Scores
from belief.links.prior_layout import Layout, layout_of, prior_of, weights_of
from belief.links.program_links import Chains
from belief.links.rule_keeping import ALL_WHOLE

L2 = 10.0
"""The cost of a weight's distance from the given prior."""
IMAGINED = 300
"""Imagined first answers, of either kind of pair, with the paper's errors: few answers say little about the crowd."""
ROUNDS, STILL = 12, 0.0005
"""The most rounds; they end when no error rate moves further."""
DIGITS = 4


NO_CHAINS: Mapping[int, Chains] = {}
NOTHING: Mapping[Pair, float] = {}
NO_ANSWERS: Mapping[Pair, Sequence[tuple[int, bool]]] = {}


class JudgedGroup(NamedTuple):
    """One group, for refits."""

    mentions: Sequence[LinkMention]
    """In reading order."""
    heard: Mapping[Pair, Sequence[Heard]]
    """The answers of people to each judged pair, oldest first."""
    said: Mapping[int, Chains] = NO_CHAINS
    """By the program's number: the chains of the image that it predicts."""
    told: Mapping[Pair, float] = NOTHING
    """The evidence of programs that judge links, as far as it counted: see `told_by_jurors`."""
    judged: Mapping[Pair, Sequence[tuple[int, bool]]] = NO_ANSWERS
    """All that they said: the program's number, and whether it holds the two to be one thing."""
    in_lot: bool = False
    """People answered whatever programs said."""


class Refit(NamedTuple):
    """Weights and error rates that answers taught."""

    prior: LinkPrior
    errors: CrowdErrors
    groups: int
    """The number of groups whose answers were weighed."""


class Answered(NamedTuple):
    """One judged group, as counts."""

    columns: NDArray[np.intp]
    counts: NDArray[np.float32]
    """As in `Example`."""
    together: Flags
    """[partitions, judged pairs]."""
    heard: tuple[tuple[Heard, ...], ...]
    """[judged pairs]: the answers."""
    told: Scores
    """[partitions]: what programs that judge add to the logarithms of the chances."""


def refit_from_answers(
    groups: Iterable[JudgedGroup], towards: LinkPrior, *, l2: float = L2, imagined: float = IMAGINED
) -> Refit:
    """Return the prior and the errors of a project by its own answers.

    `towards`: the prior that the project was given. `l2`: the cost of leaving it. `imagined`: see IMAGINED. Leaves out
    groups without answers and groups that are too large to weigh whole (see `fit_link_prior`); if none is left, the
    prior is the given one and the errors are the paper's.
    """
    small = [group for group in groups if 1 < len(group.mentions) <= MOST_MENTIONS]
    # Answers say too little of single pairs of heads: only those that the given prior has keep weights of their own.
    heads = {pair: place for place, pair in enumerate(sorted(towards.heads))}
    layout = layout_of([group.mentions for group in small], towards)._replace(heads=heads)
    answered = [one for group in small if (one := _answered(group, layout))]
    if not answered:
        return Refit(towards, OF_PAPER, 0)
    given = weights_of(towards, layout)
    weights, errors = given, OF_PAPER
    for _ in range(ROUNDS):
        before = errors
        weights = maximise([_example(one, errors) for one in answered], given, l2, start=weights)
        errors = _errors(answered, weights, errors, imagined)
        if max(abs(now - then) for now, then in zip(errors, before, strict=True)) < STILL:
            break
    rounded = CrowdErrors(*(round(one, DIGITS) for one in errors))
    prior = prior_of(weights, layout, fitted_on=towards.fitted_on)
    # Answers about links never show that a chain breaks a rule of links: only gold does.
    known = DEFAULT if towards.keeps_rules == ALL_WHOLE else towards
    prior = replace(prior, keeps_rules=known.keeps_rules, keeps_captions=known.keeps_captions, temper=known.temper)
    return Refit(prior, rounded, len(answered))


def _answered(judged: JudgedGroup, layout: Layout) -> Answered | None:
    group = link_group(tuple(judged.mentions))
    links = {
        link: tuple(said)
        for pair, said in judged.heard.items()
        if said and (link := group.link(pair)) and not group.ruled_out[link[0]] >> link[1] & 1
    }
    partitions = partitions_of(judged.mentions) if links else None
    if partitions is None:
        return None
    labels = partitions.labels
    told: Scores = np.zeros(len(labels))
    for pair, ratio in judged.told.items():
        if link := group.link(pair):
            told += ratio * (labels[:, link[0]] == labels[:, link[1]])
    one, another = np.array(list(links)).T
    together = labels[:, one] == labels[:, another]
    return Answered(*count_weights(partitions, judged.mentions, layout), together, tuple(links.values()), told)


def _example(group: Answered, errors: CrowdErrors) -> Example:
    ratios = np.array([weigh(said, errors).ratio for said in group.heard])
    return Example(group.columns, group.counts, np.arange(len(group.counts)), group.together @ ratios + group.told)


def _errors(groups: Sequence[Answered], weights: Scores, errors: CrowdErrors, imagined: float) -> CrowdErrors:
    """Return the share of first answers that are expected to be wrong, of pairs that corefer and of others."""
    same, denied, different, affirmed = 0.0, 0.0, 0.0, 0.0
    for group in groups:
        chances = _chances(group, weights, errors)
        yes = np.array([said[0].same for said in group.heard])
        same += float(chances.sum())
        denied += float(chances[~yes].sum())
        different += float((1 - chances).sum())
        affirmed += float((1 - chances)[yes].sum())
    false_negative = (denied + imagined * OF_PAPER.false_negative) / (same + imagined)
    false_positive = (affirmed + imagined * OF_PAPER.false_positive) / (different + imagined)
    return CrowdErrors(*(min(max(one, LEAST), MOST) for one in (false_negative, false_positive)))


def _chances(group: Answered, weights: Scores, errors: CrowdErrors) -> Scores:
    """Return the chance of each judged pair to be together, after all answers."""
    example = _example(group, errors)
    logs = example.counts.astype(np.float64) @ weights[example.columns] + example.known
    chances = np.exp(logs - logs.max())
    together: Scores = chances @ group.together / chances.sum()
    return together
