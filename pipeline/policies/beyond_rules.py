"""Links beyond the rules [beyond paper 3.1.1]: the two rules of links say what is likely, and not what is possible.

First each group is planned as the rules have it. Then chains that they keep apart are asked about, where the two are
likely enough to be one thing: what is asked is as ever whether two mentions are one thing, one of either chain, those
that were asked least, and of these the two that their words make likeliest. So all mentions of an image are planned
together.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, reduce
from itertools import combinations, product
from math import prod
from typing import Any, NamedTuple

import numpy as np

from annotation.rules.link_group import Link
from annotation.rules.same_object import SameObject
from annotation.rules.transitivity import LinkMention, Pair, can_corefer, groups, reading_order
from belief.links.answer_model import PAPER_ERRORS, CrowdErrors, LinkAnswer, weigh
from belief.links.group_belief import NO_EVIDENCE, NO_LINKS, information_of_answer
from belief.links.join_belief import JoinBelief, believe_joins, in_order, places_of
from belief.links.link_prior import LinkPrior
from belief.links.program_links import ProgramLinks
from belief.links.rule_keeping import shares_a_head, tempered
from pipeline.policies.adaptive_links import DIGITS, AdaptiveLinks, GroupPlan, majority, plan_adaptively
from pipeline.protocol.links.evidence import source_of_asked
from pipeline.protocol.links.policy import Ask, Group
from pipeline.protocol.state.progress import ImageProgress, LinkSource
from workers.rules.share import sigmoid

GROUPS = 256
"""The number of groups whose last plans are kept."""
IMAGES = 16
"""The number of images whose pairs are kept: of forty mentions 80 kB each, of two hundred 2 MB."""
SAME_BOXES = 4.4
"""The logarithm of the odds by which equal boxes make two chains likelier one thing, where links go beyond the rules.

Of pairs of chains in the public test images of Flickr30k Entities that a rule keeps apart, and whose types may share a
box, all 270 of one thing have equal boxes, and 68 of 5,422 others.
"""
LIKELY, LIKELY_IF_TOLD = sigmoid(-SAME_BOXES), 0.5
"""The chance, by links alone, from which equal boxes join two chains; and that where somebody was asked about them.

Equal boxes say little of those: "two men" and "a group" are asked about because their words are close, and share a box
for the same reason. In simulated campaigns 17 of 23 such pairs whom answers made unlikely were two things.
"""


class BeyondRules(AdaptiveLinks):
    """Adaptive links of a project that may join what the two rules of links keep apart."""

    by_sentence = True

    def groups(self, mentions: Iterable[LinkMention]) -> list[tuple[LinkMention, ...]]:
        everything = tuple(sorted(mentions, key=reading_order))
        return [everything] if everything else []

    def may_ask(self, one: LinkMention, other: LinkMention) -> bool:
        return True

    def may_join(self, image: ImageProgress, one: int, other: int) -> bool:
        """Join two chains that are likely enough one thing as they have equal boxes."""
        ends = (image.reading_order(pair) for pair in product(*(image.chains[name].mentions for name in (one, other))))
        pairs = [(first, second) for first, second in ends]
        least = LIKELY_IF_TOLD if any(pair in image.votes or pair in image.given for pair in pairs) else LIKELY
        return max(image.together.get(pair, 0.0) for pair in pairs) >= least

    def _plan_group(self, group: Group, heard: Mapping[Pair, Sequence[LinkAnswer]], **known: Any) -> GroupPlan:
        return plan_beyond_rules(group, heard, **known)


class _Group(NamedTuple):
    """Everything that the plan of one group depends on. The fields are as in `plan_adaptively`."""

    mentions: tuple[LinkMention, ...]
    heard: tuple[tuple[Pair, tuple[LinkAnswer, ...]], ...]
    prior: SameObject[LinkPrior]
    stop: float
    most: int
    errors: CrowdErrors
    given: tuple[tuple[Pair, bool], ...]
    skipped: frozenset[Pair]
    reask_rate: float
    model_annotators: tuple[tuple[Pair, float], ...]


def plan_beyond_rules(
    mentions: Sequence[LinkMention],
    heard: Mapping[Pair, Sequence[LinkAnswer]],
    *,
    prior: LinkPrior,
    stop: float,
    most: int = 15,
    errors: CrowdErrors = PAPER_ERRORS,
    given: Mapping[Pair, bool] = NO_LINKS,
    skipped: Collection[Pair] = (),
    reask_rate: float = 0.0,
    programs: Collection[ProgramLinks] = (),
    model_annotators: Mapping[Pair, float] = NO_EVIDENCE,
) -> GroupPlan:
    """Plan the mentions of an image. At most one pair of a group is open. Parameters are as in `plan_adaptively`."""
    ordered = tuple(sorted(mentions, key=reading_order))
    plans = []
    for group in groups(ordered):
        told = (_between(group, one) for one in (heard, given, dict.fromkeys(skipped), model_annotators))
        answers, links, passed, judged = told
        own = _Group(
            group,
            tuple((pair, tuple(said)) for pair, said in answers),
            SameObject(prior),
            stop,
            most,
            errors,
            tuple(links),
            frozenset(pair for pair, _ in passed),
            reask_rate,
            tuple(judged),
        )
        plans.append(_plan_with(own, programs) if programs else _plan(own))
    place = {mention.number: position for position, mention in enumerate(ordered)}
    plan = reduce(_both, [one for one in plans if one.asks] or plans)
    chains = sorted((chain for one in plans for chain in one.chains), key=lambda chain: place[chain[0]])
    plan = replace(plan, chains=tuple(chains))
    if plan.asks:
        return plan
    return plan_joins(JoinsKnown(ordered, heard, prior, stop, most, errors, given, skipped), plan)


def _between(group: Iterable[LinkMention], told: Mapping[Pair, Any]) -> list[tuple[Pair, Any]]:
    """Return what is told of pairs of the group that may corefer by the rules."""
    members = {mention.number: mention for mention in group}
    return [
        (pair, value)
        for pair, value in told.items()
        if members.keys() >= set(pair) and can_corefer(*(members[one] for one in pair))
    ]


@lru_cache(maxsize=GROUPS)
def _plan(group: _Group) -> GroupPlan:
    """Plan one group. Cached, as an answer about one group of an image says nothing of the others."""
    return _plan_with(group, ())


def _plan_with(group: _Group, programs: Collection[ProgramLinks]) -> GroupPlan:
    return plan_adaptively(
        group.mentions,
        dict(group.heard),
        prior=group.prior.value,
        stop=group.stop,
        most=group.most,
        errors=group.errors,
        given=dict(group.given),
        skipped=group.skipped,
        reask_rate=group.reask_rate,
        programs=programs,
        model_annotators=dict(group.model_annotators),
    )


def _both(one: GroupPlan, other: GroupPlan) -> GroupPlan:
    """Return the plan of two groups together."""
    return GroupPlan(
        asks=one.asks + other.asks,
        chains=one.chains + other.chains,
        doubted=one.doubted | other.doubted,
        overruled=one.overruled | other.overruled,
        unsettled=one.unsettled | other.unsettled,
        sources={**one.sources, **other.sources},
        confidence={**one.confidence, **other.confidence},
        links_right={**one.links_right, **other.links_right},
        together={**one.together, **other.together},
    )


# --- Joins of chains that a rule keeps apart ---


@dataclass(frozen=True, slots=True)
class JoinsKnown:
    """Everything known of the links of an image. The fields are as in `plan_adaptively`."""

    mentions: Sequence[LinkMention]
    """All of the image, in reading order."""
    heard: Mapping[Pair, Sequence[LinkAnswer]]
    """Without pairs of which nothing was heard."""
    prior: LinkPrior
    stop: float
    most: int
    errors: CrowdErrors
    given: Mapping[Pair, bool]
    skipped: Collection[Pair]

    def times(self, pair: Pair) -> int:
        return len(self.heard.get(pair, ()))

    def may_ask(self, pair: Pair) -> bool:
        return pair not in self.skipped and self.times(pair) < self.most


def plan_joins(known: JoinsKnown, plan: GroupPlan) -> GroupPlan:
    """Return what to ask about the chains of a plan that asks nothing more; if nothing, the plan with chains joined.

    At most one pair is open for chains that may depend on each other.
    """
    by_number = {mention.number: mention for mention in known.mentions}
    chains = [tuple(by_number[number] for number in chain) for chain in plan.chains]
    belief = believe_joins(chains, known.heard, known.given, known.prior, known.errors)
    worth = dict(_worth(known, chains, belief))
    telling = {link: found for link, found in worth.items() if found[1] >= known.stop}
    asked: dict[Pair, float] = {}
    for part in belief.parts:
        own = {pair: bits for link, (pair, bits) in telling.items() if link[0] in part and known.may_ask(pair)}
        if own:
            best = max(own, key=own.__getitem__)
            asked[best] = round(own[best], DIGITS)
    if asked:
        return GroupPlan(tuple(Ask(pair, value) for pair, value in asked.items()), plan.chains)
    return _joined(known, plan, belief, [pair for pair, _ in telling.values()])


def _worth(
    known: JoinsKnown, chains: Sequence[tuple[LinkMention, ...]], belief: JoinBelief
) -> Iterator[tuple[Link, tuple[Pair, float]]]:
    """Yield for each two chains that may be one thing the pair to ask, and the bits that its answer would tell."""
    likeliest = _likeliest(SameObject(known.prior), tuple(known.mentions), tuple(chains))
    chain_of = places_of(chains)
    told = {pair for pair in (*known.heard, *known.given, *known.skipped) if chain_of.keys() >= set(pair)}
    touched = {tuple(sorted(chain_of[number] for number in pair)) for pair in told}
    asked = {link: likeliest[link][0] for link in belief.chances if link not in touched}
    for link in belief.chances.keys() & touched:
        if not any(pair in known.given for pair in likeliest[link]):
            # The sort is stable: of pairs that were asked as often the likeliest comes first.
            asked[link] = min(likeliest[link], key=lambda pair: (not known.may_ask(pair), known.times(pair)))
    links = [link for link in belief.chances if link in asked]
    yes = [weigh(tuple(known.heard.get(asked[link], ())), known.errors)[1:] for link in links]
    chances = np.array([belief.chances[link] for link in links])
    bits = information_of_answer(chances, *np.array(yes).reshape(-1, 2).T).round(9).tolist()
    for link, told_by in zip(links, bits, strict=True):
        yield link, (asked[link], told_by)


@lru_cache(maxsize=IMAGES)
def _likeliest(
    prior: SameObject[LinkPrior], mentions: tuple[LinkMention, ...], chains: tuple[tuple[LinkMention, ...], ...]
) -> Mapping[Link, Sequence[Pair]]:
    """Return the pairs of each two chains, the likeliest by their words first, and of equal ones the first.

    Cached, as an image is planned again after each of its judgments.
    """
    words = prior.value.scores(mentions)[0].round(9).tolist()
    place = {mention.number: position for position, mention in enumerate(mentions)}

    def rank(pair: Pair) -> tuple[float, int, int]:
        one, other = place[pair[0]], place[pair[1]]
        return -words[one][other], one, other

    return {
        (one, other): sorted((in_order(a, b) for a, b in product(chains[one], chains[other])), key=rank)
        for one, other in combinations(range(len(chains)), 2)
    }


def _joined(known: JoinsKnown, plan: GroupPlan, belief: JoinBelief, unsettled: Sequence[Pair]) -> GroupPlan:
    """Return the plan with what is believed of its chains."""
    parts: dict[int, list[int]] = {}
    for place, label in enumerate(belief.labels):
        parts.setdefault(label, []).append(place)
    order = {mention.number: position for position, mention in enumerate(known.mentions)}
    joined = {
        plan.chains[first][0]: tuple(sorted((one for own in places for one in plan.chains[own]), key=order.__getitem__))
        for first, places in parts.items()
    }
    name_of = {number: name for name, chain in joined.items() for number in chain}
    right = {
        plan.chains[first][0]: prod(plan.links_right[plan.chains[own][0]] for own in places)
        for first, places in parts.items()
    }
    whole = {plan.chains[first][0]: round(belief.whole[first], DIGITS) for first in parts}
    sources = dict(_sources(known, plan, name_of))
    overruled = frozenset(pair for pair, source in sources.items() if source is LinkSource.OVERRULED)
    return replace(
        plan,
        chains=tuple(joined.values()),
        doubted=frozenset(name_of[number] for pair in overruled for number in pair),
        overruled=overruled,
        unsettled=plan.unsettled | set(unsettled),
        sources=sources,
        links_right=right,
        whole=whole,
        together=_together(known, plan, belief),
        confidence={name: _confidence(known, right[name], whole[name], joined[name]) for name in joined},
    )


def _sources(known: JoinsKnown, plan: GroupPlan, name_of: Mapping[int, int]) -> Iterator[tuple[Pair, LinkSource]]:
    """Yield the source of each pair that was asked, that an expert set, or that programs alone judged."""
    for pair in {**plan.sources, **known.heard, **known.given}:
        if not name_of.keys() >= set(pair):
            continue
        together = name_of[pair[0]] == name_of[pair[1]]
        said = known.heard.get(pair, ())
        if pair in known.given or said:
            overruled = pair not in known.given and majority(said) not in (None, together)
            yield pair, source_of_asked([one.same for one in said], given=pair in known.given, overruled=overruled)
        else:
            yield pair, plan.sources[pair]


def _together(known: JoinsKnown, plan: GroupPlan, belief: JoinBelief) -> dict[Pair, float]:
    mentions = {mention.number: mention for mention in known.mentions}
    found = dict(plan.together)
    for (one, other), chance in belief.chances.items():
        for first, second in product(plan.chains[one], plan.chains[other]):
            pair = in_order(mentions[first], mentions[second])
            found[pair] = round(1 - (1 - found.get(pair, 0.0)) * (1 - chance), DIGITS)
    return found


def _confidence(known: JoinsKnown, right: float, whole: float, chain: Sequence[int]) -> float:
    own = [mention for mention in known.mentions if mention.number in chain]
    return round(tempered(right, sharing=shares_a_head(own, known.mentions)) * whole, DIGITS)
