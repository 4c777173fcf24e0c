"""Group belief [beyond paper 3.1.1]: what is known of the links of one group, and how likely each pair is one thing."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from annotation.rules.link_group import Link, LinkGroup, link_group
from annotation.rules.transitivity import LinkMention, Pair
from belief.links.answer_model import PAPER_ERRORS, CrowdErrors, LinkAnswer, PairEvidence, weigh
from belief.links.beam import Beam, beam_search
from belief.links.lapses import SweptLinks, added_by_lapses, swept_links
from belief.links.link_prior import LinkPrior
from belief.links.partitions import (
    BestPartition,
    Flags,
    Labels,
    Posterior,
    Scores,
    all_partitions,
    chances_of_blocks,
    posterior,
    ruled_out_matrix,
)
from belief.links.program_links import ProgramLinks, program_scores
from workers.rules.score import logit, sigmoid

BEAM = 2500
"""The number of partitions to weigh: all of a group of up to seven or eight mentions."""
LONG_BEAM = 300
"""The same of groups of long captions: drawn ones stand for all partitions, so fewer do."""
CERTAIN = 1000.0
"""The weight of a link that an expert set: far more than all judgments of a mention's pairs add up to."""
MIN_CHANCE = 1e-9
"""The least chance, so that it has a logit."""
NO_LINKS: Mapping[Pair, bool] = {}
NO_EVIDENCE: Mapping[Pair, float] = {}


@dataclass(frozen=True, slots=True)
class GroupEvidence:
    """Everything known of the links of one group, by the positions of the mentions."""

    group: LinkGroup
    answers: dict[Link, Sequence[LinkAnswer]]
    expert_links: dict[Link, bool]
    skipped: frozenset[Link]
    open: NDArray[np.intp]
    """Pairs that may be asked at all, in reading order [pairs, 2]."""
    unjudged: PairEvidence
    """The evidence of each pair without judgments."""
    evidence: dict[Link, PairEvidence]
    """The evidence of each judged pair."""
    models: dict[Link, float]
    """The evidence of the programs that judged a pair, as `PairEvidence.ratio`."""
    errors: CrowdErrors
    """Of people."""
    swept: SweptLinks | None
    """The judgments of sweeps."""


def group_evidence(
    mentions: Sequence[LinkMention],
    answers: Mapping[Pair, Sequence[LinkAnswer]],
    errors: CrowdErrors,
    expert_links: Mapping[Pair, bool] = NO_LINKS,
    skipped: Collection[Pair] = (),
    models: Mapping[Pair, float] = NO_EVIDENCE,
) -> GroupEvidence:
    group = link_group(tuple(mentions))
    fixed = {link: verdict for pair, verdict in expert_links.items() if (link := group.link(pair))}
    judged = {
        link: judgments
        for pair, judgments in answers.items()
        if judgments and (link := group.link(pair)) and link not in fixed
    }
    possible = np.triu(~(ruled_out_matrix(group.ruled_out) | ruled_out_matrix(group.same_caption)), 1)
    for link in fixed:
        possible[link] = False
    return GroupEvidence(
        group,
        judged,
        fixed,
        frozenset(link for pair in skipped if (link := group.link(pair))),
        np.argwhere(possible),
        weigh((), errors),
        {link: weigh(tuple(judgments), errors) for link, judgments in judged.items()},
        {link: ratio for pair, ratio in models.items() if (link := group.link(pair)) and link not in fixed},
        errors,
        swept_links(judged),
    )


@dataclass(frozen=True, slots=True)
class GroupBelief:
    """Belief about the mentions of a group, or of chains that may be one thing."""

    posterior: Posterior | Beam
    together: Scores
    """[mentions, mentions]: the chance, 0 to 1, of each pair to be together."""
    if_same: Scores
    """[mentions, mentions]: the chance that the next answer about a pair is "yes" if it is together."""
    if_different: Scores
    """The same if it is not."""
    bits: Scores = field(init=False)
    """[mentions, mentions]: those that the next answer about a pair tells."""

    def __post_init__(self) -> None:
        bits = information_of_answer(self.together, self.if_same, self.if_different)
        object.__setattr__(self, "bits", bits)


def believe_group(
    known: GroupEvidence, prior: LinkPrior, programs: Collection[ProgramLinks] = ()
) -> tuple[GroupBelief, BestPartition]:
    """Return what is believed of a group, and the best partition."""
    belief = _belief(known, prior, programs)
    if_same, if_different = (np.full((len(known.group.mentions),) * 2, chance) for chance in known.unjudged[1:])
    for link, (_, *next_yes) in known.evidence.items():
        if_same[link], if_different[link] = next_yes
        if_same[link[::-1]], if_different[link[::-1]] = next_yes
    together, best = belief.same_and_best()
    best = BestPartition(best.labels, best.confidence * _well_joined(known, best.labels))
    return GroupBelief(belief, together, if_same, if_different), best


def chances_of_chains(
    known: GroupEvidence, prior: LinkPrior, programs: Collection[ProgramLinks], chains: Sequence[Collection[int]]
) -> list[float]:
    """Return for each of these lists of mentions the chance, 0 to 1, that it is exactly one thing."""
    labels, chances = _belief(known, prior, programs).labels_and_chances()
    wanted = np.array([[mention.number in chain for mention in known.group.mentions] for chain in chains])
    joined = (_well_joined(known, chain)[chain].max(initial=0) for chain in wanted)
    return [chance * well for chance, well in zip(chances_of_blocks(labels, chances, wanted), joined, strict=True)]


def _well_joined(known: GroupEvidence, labels: Labels | Flags) -> Scores:
    """Return for each mention the chance that people misread no mention that they joined to its chain.

    A mention that most people misread is joined to a chain by every answer about their pairs, however many there are.
    So this is a chance of each mention of the chain but the first. What an expert joined is not misread.
    """
    members = labels[:, None] == labels
    by_experts = np.zeros(members.shape, dtype=np.intp)
    for link, same in known.expert_links.items():
        by_experts[link] = same
    joined = members.sum(axis=1) - 1 - (members @ by_experts * members).sum(axis=1)
    well: Scores = (1 - known.errors.misjoined) ** np.maximum(joined, 0)
    return well


def _belief(known: GroupEvidence, prior: LinkPrior, programs: Collection[ProgramLinks]) -> Posterior | Beam:
    belief = _by_pairs(known, prior, programs)
    if known.swept is None:
        return belief
    return belief.with_blocks(prior.temper * added_by_lapses(known.swept, belief.blocks()[0], known.errors))


def _by_pairs(known: GroupEvidence, prior: LinkPrior, programs: Collection[ProgramLinks]) -> Posterior | Beam:
    """Return the belief that takes all judgments for independent."""
    mentions, ruled_out = known.group.mentions, _apart(known)
    evidence_of = np.full(ruled_out.shape, known.unjudged.ratio)
    for link, evidence in known.evidence.items():
        evidence_of[link] = evidence_of[link[::-1]] = prior.temper * evidence.ratio
    for link, ratio in known.models.items():
        evidence_of[link] = evidence_of[link[::-1]] = evidence_of[link] + prior.temper * ratio
    for link, same in known.expert_links.items():
        evidence_of[link] = evidence_of[link[::-1]] = CERTAIN if same else 0.0
    weights = prior.weights(mentions)._replace(pairs=evidence_of)
    if programs:
        weights = weights._replace(words=weights.words + program_scores(mentions, programs))
    if weights.antecedents is not None:
        return beam_search(mentions).find(ruled_out, weights, LONG_BEAM)
    partitions = all_partitions(ruled_out, BEAM)
    if partitions is not None:
        return posterior(partitions, weights)
    return beam_search(mentions).find(ruled_out, weights, BEAM)


def _apart(known: GroupEvidence) -> Flags:
    """Return which pairs cannot be together [mentions, mentions].

    What is apart from a mention is apart from every mention that an expert joined to it, too. The beam search would
    learn this late, and could drop the right partition before.
    """
    ruled_out = ruled_out_matrix(known.group.ruled_out)
    if not known.expert_links:
        return ruled_out
    joined = np.eye(len(ruled_out), dtype=bool)
    for link, same in known.expert_links.items():
        where = joined if same else ruled_out
        where[link] = where[link[::-1]] = True
    for _ in range(len(joined).bit_length()):  # each step doubles the links that it follows
        joined = joined @ joined
    apart: Flags = joined @ ruled_out @ joined & ~joined
    for link, same in known.expert_links.items():
        if not same:
            apart[link] = apart[link[::-1]] = True
    return apart


def information_of_answer(chances: Scores, if_same: Scores, if_different: Scores) -> Scores:
    """Return the mutual information, in bits, of the next answer and whether the pair is together, for each pair.

    `if_same`, `if_different`: the chances of "yes" in either case.
    """
    yes = chances * if_same + (1 - chances) * if_different
    bits: Scores = entropy(yes) - chances * entropy(if_same) - (1 - chances) * entropy(if_different)
    return bits


def entropy(chances: Scores) -> Scores:
    inside = (chances > 0) & (chances < 1)
    safe = np.where(inside, chances, 0.5)
    return np.where(inside, -safe * np.log2(safe) - (1 - safe) * np.log2(1 - safe), 0.0)


# --- What single pairs have been told ---


def leave_one_out_chances(
    mentions: Sequence[LinkMention],
    answers: Mapping[Pair, Sequence[LinkAnswer]],
    *,
    prior: LinkPrior,
    errors: CrowdErrors = PAPER_ERRORS,
    expert_links: Mapping[Pair, bool] = NO_LINKS,
    models: Mapping[Pair, float] = NO_EVIDENCE,
) -> dict[Pair, float]:
    """Return for each judged pair the chance, 0 to 1, that it is together by all but people's own judgments of it."""
    known = group_evidence(mentions, answers, errors, expert_links, models=models)
    chances = _open_chances(known, prior)
    together = {link: min(max(chance, MIN_CHANCE), 1 - MIN_CHANCE) for link, chance in chances.items()}
    return {
        known.group.pair(link): sigmoid(logit(together[link]) - prior.temper * evidence.ratio)
        for link, evidence in known.evidence.items()
        if link in together
    }


def pair_chances(
    mentions: Sequence[LinkMention],
    answers: Mapping[Pair, Sequence[LinkAnswer]],
    *,
    prior: LinkPrior,
    errors: CrowdErrors = PAPER_ERRORS,
    models: Mapping[Pair, float] = NO_EVIDENCE,
) -> dict[Pair, float]:
    """Return for each pair that people or models judged the chance, 0 to 1, that it is together."""
    known = group_evidence(mentions, answers, errors, models=models)
    together = _open_chances(known, prior)
    judged = {**known.evidence, **known.models}
    return {known.group.pair(link): together[link] for link in judged if link in together}


def _open_chances(known: GroupEvidence, prior: LinkPrior) -> dict[Link, float]:
    chances = _belief(known, prior, ()).same()[tuple(known.open.T)]
    return dict(zip(links_of(known.open), chances.tolist(), strict=True))


def links_of(pairs: NDArray[np.intp]) -> list[Link]:
    return [(first, second) for first, second in pairs.tolist()]
