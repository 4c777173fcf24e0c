"""Joins [beyond paper 3.1.1]: chains that a rule of links keeps apart become one where people say that they are.

Begins when the links that the rules allow are settled. What is asked is as ever whether two mentions are one thing: one
of either chain, those that were asked least, and of these the two that their words make likeliest.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import combinations, product
from math import prod

import numpy as np

from annotation.rules.link_group import Link
from annotation.rules.same_object import SameObject
from annotation.rules.transitivity import LinkMention, Pair
from belief.links.answer_model import CrowdErrors, Heard, weigh
from belief.links.group_belief import bits_to_tell
from belief.links.join_belief import JoinBelief, believe_joins, in_order, places_of
from belief.links.link_prior import LinkPrior
from belief.links.rule_keeping import shares_a_head, tempered
from pipeline.policies.plan_adaptively import DIGITS, majority
from pipeline.protocol.links.plan import LinkPlan, LinkSource, source_of_asked

IMAGES = 16
"""The number of images whose pairs are kept: of forty mentions 80 kB each, of two hundred 2 MB."""


@dataclass(frozen=True, slots=True)
class JoinsKnown:
    """Everything known of the links of an image. The fields are as in `plan_adaptively`."""

    mentions: Sequence[LinkMention]
    """All of the image, in reading order."""
    heard: Mapping[Pair, Sequence[Heard]]
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


def plan_joins(known: JoinsKnown, plan: LinkPlan) -> LinkPlan:
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
        return LinkPlan(tuple(asked), plan.chains, values=asked)
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
    bits = bits_to_tell(chances, *np.array(yes).reshape(-1, 2).T).round(9).tolist()
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


def _joined(known: JoinsKnown, plan: LinkPlan, belief: JoinBelief, unsettled: Sequence[Pair]) -> LinkPlan:
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


def _sources(known: JoinsKnown, plan: LinkPlan, name_of: Mapping[int, int]) -> Iterator[tuple[Pair, LinkSource]]:
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


def _together(known: JoinsKnown, plan: LinkPlan, belief: JoinBelief) -> dict[Pair, float]:
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
