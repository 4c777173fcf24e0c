"""Groups whose chains and answers are drawn from known weights and known error rates."""

from itertools import combinations
from random import Random

import numpy as np

from pipeline.rules.linking.adaptive.answer_model import CrowdErrors, Heard
from pipeline.rules.linking.adaptive.posterior import posterior
from pipeline.rules.linking.fits.refit_from_answers import AnsweredGroup
from pipeline.rules.linking.link_plan import link_group
from pipeline.rules.linking.prior.link_prior import LinkPrior
from pipeline.rules.linking.prior.partitions import Weights, all_partitions, ruled_out_matrix
from pipeline.rules.linking.transitivity import LinkMention

HEADS = ("man", "boy", "player")
PLANTED = LinkPrior({"": (0.0, -1.0, -1.0, -1.0, 0.0)}, {"any pair": -1.0, "same head": 3.0})
"""A world in which only heads tell."""
ALIKE = [LinkMention(number, number, 1, frozenset({"people"}), "man", ("the", "man")) for number in range(2)]
OTHER = [ALIKE[0], ALIKE[1]._replace(head="boy", words=("the", "boy"))]
"""Two pairs: with the same head, and with another one."""


def drawn(number: int, prior: LinkPrior, errors: CrowdErrors, seed: int, captions: int = 3) -> list[AnsweredGroup]:
    """Draw groups of people, their chains by the prior, and one answer to each pair by the errors."""
    chance = Random(seed)
    return [_group(prior, errors, chance, captions) for _ in range(number)]


def _group(prior: LinkPrior, errors: CrowdErrors, chance: Random, captions: int) -> AnsweredGroup:
    mentions = [
        LinkMention(number, number, 1, frozenset({"people"}), head, ("the", head))
        for number, head in enumerate(chance.choices(HEADS, k=captions))
    ]
    labels = all_partitions(ruled_out_matrix(link_group(tuple(mentions)).ruled_out), 2500)
    assert labels is not None
    chances = posterior(labels, Weights(np.zeros((captions, captions)), *prior.scores(mentions))).chances
    truth = labels[chance.choices(range(len(labels)), chances.tolist())[0]]
    heard = {}
    for one, another in combinations(range(captions), 2):
        same = bool(truth[one] == truth[another])
        wrong = chance.random() < (errors.false_negative if same else errors.false_positive)
        heard[one, another] = [Heard(same != wrong)]
    return mentions, heard


def odds(prior: LinkPrior, pair: list[LinkMention]) -> float:
    """Of two mentions to be one chain, as a logarithm."""
    words, sizes = prior.scores(pair)
    return float(words[0, 1] + sizes[0, 1] - sizes[0, 0] - sizes[1, 0])
