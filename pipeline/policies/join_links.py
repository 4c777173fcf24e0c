"""Links beyond the rules [beyond paper 3.1.1]: the two rules of links say what is likely, and not what is possible.

First each group is planned as the rules have it. Then chains that they keep apart are asked about, where the two are
likely enough to be one thing: what is asked is as ever whether two mentions are one thing, one of either chain, those
that were asked least, and of these the two that their words make likeliest. So all mentions of an image are planned
together.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache, reduce
from itertools import combinations, product
from math import prod

import numpy as np

from annotation.rules.link_group import Link, SameObject
from annotation.rules.transitivity import LinkMention, Pair, can_corefer, groups, reading_order
from belief.links.answer_model import weigh
from belief.links.beam import Beam
from belief.links.fit_known import LinkedImage
from belief.links.group_belief import GroupBelief, information_of_answer
from belief.links.join_belief import JoinBelief, believe_joins, in_order, places_of
from belief.links.link_prior import LinkPrior, shares_a_head, tempered
from belief.links.partitions import Posterior
from pipeline.policies.adaptive_links import (
    CHANCE_DIGITS,
    AdaptiveLinks,
    GroupPlan,
    PlanInput,
    majority_answer,
    people_answers,
    plan_adaptively,
)
from pipeline.protocol.links.consensus import source_of_known
from pipeline.protocol.links.policy import Ask
from pipeline.protocol.state.progress import ImageProgress, LinkSource
from workers.rules.score import sigmoid

GROUPS = 256
"""The number of groups whose last plans are kept."""
IMAGES = 16
"""The number of images whose pairs are kept: of forty mentions 80 kB each, of two hundred 2 MB."""
SAME_BOXES_LOGIT = 4.4
"""The logarithm of the odds by which equal boxes make two chains likelier one thing, where links go beyond the rules.

Of pairs of chains in the public test images of Flickr30k Entities that a rule keeps apart, and whose types may share a
box, all 270 of one thing have equal boxes, and 68 of 5,422 others.
"""
JOINED_FROM, JOINED_FROM_IF_ANSWERED = sigmoid(-SAME_BOXES_LOGIT), 0.5
"""The chance, by links alone, from which equal boxes join two chains; and that where somebody was asked about them.

Equal boxes say little of those: "two men" and "a group" are asked about because their words are close, and share a box
for the same reason. In simulated campaigns 17 of 23 such pairs whom answers made unlikely were two things.
"""


class JoinLinks(AdaptiveLinks):
    """Adaptive links of a project that may join what the two rules of links keep apart."""

    by_sentence = True

    def groups(self, mentions: Iterable[LinkMention]) -> list[tuple[LinkMention, ...]]:
        everything = tuple(sorted(mentions, key=reading_order))
        return [everything] if everything else []

    def may_ask(self, first: LinkMention, second: LinkMention) -> bool:
        return True

    def may_join(self, image: ImageProgress, chain: int, other: int) -> bool:
        """Join two chains that are likely enough one thing as they have equal boxes."""
        ends = (
            image.reading_order(pair) for pair in product(*(image.chains[name].mentions for name in (chain, other)))
        )
        pairs = [(first, second) for first, second in ends]
        least = (
            JOINED_FROM_IF_ANSWERED
            if any(pair in image.votes or pair in image.expert_links for pair in pairs)
            else JOINED_FROM
        )
        return max(image.together.get(pair, 0.0) for pair in pairs) >= least

    def linked(self, image: ImageProgress, chains: Iterable[Sequence[int]]) -> list[LinkedImage]:
        chain_of = {number: place for place, chain in enumerate(chains) for number in chain}
        known = [mention.for_links() for number, mention in image.mentions.items() if number in chain_of]
        return [LinkedImage(known, [chain_of[mention.number] for mention in known], people_answers(image))]

    def _plan(self, known: PlanInput) -> GroupPlan:
        return plan_with_joins(known)


class _Key:
    """The input of a group's plan, equal to every other one that has the same plan."""

    def __init__(self, known: PlanInput) -> None:
        self.known = known
        answers = tuple((pair, tuple(given)) for pair, given in known.answers.items())
        rules = SameObject(known.prior), known.stop, known.most, known.errors, known.reask_rate, known.seconds
        links = tuple(known.expert_links.items()), frozenset(known.skipped), tuple(known.model_evidence.items())
        self._values = known.mentions, answers, rules, links, frozenset(known.unswept)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Key) and self._values == other._values

    def __hash__(self) -> int:
        return hash(self._values)


def plan_with_joins(known: PlanInput) -> GroupPlan:
    """Plan the mentions of an image. At most one pair of a group is open."""
    known = replace(known, mentions=tuple(sorted(known.mentions, key=reading_order)))
    plans = [_plan(_within(group, known)) for group in groups(known.mentions)]
    place = {mention.number: position for position, mention in enumerate(known.mentions)}
    plan = reduce(_both, [part for part in plans if part.asks] or plans)
    chains = sorted((chain for part in plans for chain in part.chains), key=lambda chain: place[chain[0]])
    plan = replace(plan, chains=tuple(chains))
    return plan if plan.asks else plan_joins(known, plan)


def _within(group: tuple[LinkMention, ...], known: PlanInput) -> PlanInput:
    """Return what is known of the pairs of a group that may corefer by the rules."""
    members = {mention.number: mention for mention in group}

    def is_possible(pair: Pair) -> bool:
        return members.keys() >= set(pair) and can_corefer(*(members[number] for number in pair))

    return replace(
        known,
        rules_hold=False,
        mentions=group,
        answers={pair: given for pair, given in known.answers.items() if is_possible(pair)},
        expert_links={pair: same for pair, same in known.expert_links.items() if is_possible(pair)},
        skipped=list(filter(is_possible, known.skipped)),
        model_evidence={pair: ratio for pair, ratio in known.model_evidence.items() if is_possible(pair)},
    )


def _plan(known: PlanInput) -> GroupPlan:
    """Plan one group. Cached without programs, as an answer about one group of an image says nothing of the others."""
    return plan_adaptively(known) if known.programs else _cached_plan(_Key(known))


@lru_cache(maxsize=GROUPS)
def _cached_plan(key: _Key) -> GroupPlan:
    return plan_adaptively(key.known)


def _both(first: GroupPlan, second: GroupPlan) -> GroupPlan:
    """Return the plan of two groups together."""
    return GroupPlan(
        asks=first.asks + second.asks,
        chains=first.chains + second.chains,
        doubted=first.doubted | second.doubted,
        overruled=first.overruled | second.overruled,
        unsettled=first.unsettled | second.unsettled,
        sources={**first.sources, **second.sources},
        confidence={**first.confidence, **second.confidence},
        links_right={**first.links_right, **second.links_right},
        together={**first.together, **second.together},
    )


# --- Joins of chains that a rule keeps apart ---


def plan_joins(known: PlanInput, plan: GroupPlan) -> GroupPlan:
    """Return what to ask about the chains of a plan that asks nothing more; if nothing, the plan with chains joined.

    At most one question is open for chains that may depend on each other.
    """
    by_number = {mention.number: mention for mention in known.mentions}
    chains = [tuple(by_number[number] for number in chain) for chain in plan.chains]
    belief = believe_joins(chains, known.answers, known.expert_links, known.prior, known.errors)
    worth = dict(_worth(known, chains, belief))
    telling = {link: found for link, found in worth.items() if found[1] >= known.stop}
    asks = []
    for part, posterior in zip(belief.parts, belief.posteriors, strict=True):
        own = {pair: bits for link, (pair, bits) in telling.items() if link[0] in part and known.may_ask(pair)}
        if sweep := _sweep(known, chains, part, posterior, worth):
            asks.append(sweep)
        elif own:
            best = max(own, key=own.__getitem__)
            asks.append(Ask(best, round(own[best], CHANCE_DIGITS)))
    if asks:
        return GroupPlan(tuple(asks), plan.chains)
    return _joined(known, plan, belief, [pair for pair, _ in telling.values()])


def _worth(
    known: PlanInput, chains: Sequence[tuple[LinkMention, ...]], belief: JoinBelief
) -> Iterator[tuple[Link, tuple[Pair, float]]]:
    """Yield for each two chains that may be one thing the pair to ask, and the bits that its answer would tell."""
    likeliest = _likeliest(SameObject(known.prior), tuple(known.mentions), tuple(chains))
    chain_of = places_of(chains)
    told = {pair for pair in (*known.answers, *known.expert_links, *known.skipped) if chain_of.keys() >= set(pair)}
    touched = {tuple(sorted(chain_of[number] for number in pair)) for pair in told}
    asked = {link: likeliest[link][0] for link in belief.chances if link not in touched}
    for link in belief.chances.keys() & touched:
        if not any(pair in known.expert_links for pair in likeliest[link]):
            # The sort is stable: of pairs that were asked as often the likeliest comes first.
            asked[link] = min(likeliest[link], key=lambda pair: (not known.may_ask(pair), known.answered(pair)))
    links = [link for link in belief.chances if link in asked]
    yes = [weigh(tuple(known.answers.get(asked[link], ())), known.errors)[1:] for link in links]
    chances = np.array([belief.chances[link] for link in links])
    bits = information_of_answer(chances, *np.array(yes).reshape(-1, 2).T).round(9).tolist()
    for link, told_by in zip(links, bits, strict=True):
        yield link, (asked[link], told_by)


def _sweep(
    known: PlanInput,
    chains: Sequence[tuple[LinkMention, ...]],
    part: Sequence[int],
    posterior: Posterior | Beam,
    worth: Mapping[Link, tuple[Pair, float]],
) -> Ask | None:
    """Return the sweep about chains of a part that tells most a second, if it tells enough, and more than any pair.

    One mention stands for each chain: that which is likeliest by its words beside the mention that is given.
    """
    size = (len(part), len(part))
    if_same, if_different = (np.full(size, chance) for chance in weigh((), known.errors)[1:])
    askable = np.zeros(size, dtype=bool)
    for (a, first), (b, second) in combinations(enumerate(part), 2):
        pair, _ = worth.get((first, second), ((0, 0), 0.0))
        if (first, second) in worth and known.may_ask(pair):
            next_yes = weigh(tuple(known.answers.get(pair, ())), known.errors)[1:]
            for place in ((a, b), (b, a)):
                askable[place], if_same[place], if_different[place] = True, *next_yes
    given = [[mention.number for mention in chains[place] if mention.number not in known.unswept] for place in part]
    askable[[not numbers for numbers in given]] = False
    belief = GroupBelief(posterior, posterior.same(), if_same, if_different)
    found = known.sweep(belief, askable)
    if found is None:
        return None
    likeliest = _likeliest(SameObject(known.prior), tuple(known.mentions), tuple(chains))
    links = [(min(pair), max(pair)) for pair in ((part[found.mention], part[place]) for place in found.candidates)]

    def pairs_with(about: int) -> list[Pair]:
        own = ([pair for pair in likeliest[first, second] if about in pair] for first, second in links)
        return [min(pairs, key=lambda pair: (not known.may_ask(pair), known.answered(pair))) for pairs in own]

    def unlikely(about: int) -> int:
        return sum(likeliest[link].index(pair) for link, pair in zip(links, pairs_with(about), strict=True))

    about = min(given[found.mention], key=unlikely)
    order = {mention.number: place for place, mention in enumerate(known.mentions)}
    candidates = [first if second == about else second for first, second in pairs_with(about)]
    ask = known.ask(found, belief, about, candidates)
    return ask._replace(subject=(about, *sorted(candidates, key=order.__getitem__)))


@lru_cache(maxsize=IMAGES)
def _likeliest(
    prior: SameObject[LinkPrior], mentions: tuple[LinkMention, ...], chains: tuple[tuple[LinkMention, ...], ...]
) -> Mapping[Link, Sequence[Pair]]:
    """Return the pairs of each two chains, the likeliest by their words first, and of equal ones the first.

    Cached, as an image is planned again after each of its judgments.
    """
    words = prior.value.words(mentions).round(9).tolist()
    place = {mention.number: position for position, mention in enumerate(mentions)}

    def rank(pair: Pair) -> tuple[float, int, int]:
        one, other = place[pair[0]], place[pair[1]]
        return -words[one][other], one, other

    return {
        (first, second): sorted((in_order(a, b) for a, b in product(chains[first], chains[second])), key=rank)
        for first, second in combinations(range(len(chains)), 2)
    }


def _joined(known: PlanInput, plan: GroupPlan, belief: JoinBelief, unsettled: Sequence[Pair]) -> GroupPlan:
    """Return the plan with what is believed of its chains."""
    parts: dict[int, list[int]] = {}
    for place, label in enumerate(belief.labels):
        parts.setdefault(label, []).append(place)
    order = {mention.number: position for position, mention in enumerate(known.mentions)}
    joined = {
        plan.chains[first][0]: tuple(
            sorted((number for place in places for number in plan.chains[place]), key=order.__getitem__)
        )
        for first, places in parts.items()
    }
    name_of = {number: name for name, chain in joined.items() for number in chain}
    right = {
        plan.chains[first][0]: prod(plan.links_right[plan.chains[place][0]] for place in places)
        for first, places in parts.items()
    }
    whole = {plan.chains[first][0]: round(belief.whole[first], CHANCE_DIGITS) for first in parts}
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


def _sources(known: PlanInput, plan: GroupPlan, name_of: Mapping[int, int]) -> Iterator[tuple[Pair, LinkSource]]:
    """Yield the source of each pair that was asked, that an expert set, or that programs alone judged."""
    for pair in {**plan.sources, **known.answers, **known.expert_links}:
        if not name_of.keys() >= set(pair):
            continue
        together = name_of[pair[0]] == name_of[pair[1]]
        answers, by_expert = known.answers.get(pair, ()), pair in known.expert_links
        if by_expert or answers:
            overruled = not by_expert and majority_answer(answers) not in (None, together)
            yield pair, source_of_known([answer.same for answer in answers], by_expert=by_expert, overruled=overruled)
        else:
            yield pair, plan.sources[pair]


def _together(known: PlanInput, plan: GroupPlan, belief: JoinBelief) -> dict[Pair, float]:
    mentions = {mention.number: mention for mention in known.mentions}
    found = dict(plan.together)
    for (earlier, later), chance in belief.chances.items():
        for first, second in product(plan.chains[earlier], plan.chains[later]):
            pair = in_order(mentions[first], mentions[second])
            found[pair] = round(1 - (1 - found.get(pair, 0.0)) * (1 - chance), CHANCE_DIGITS)
    return found


def _confidence(known: PlanInput, right: float, whole: float, chain: Sequence[int]) -> float:
    own = [mention for mention in known.mentions if mention.number in chain]
    return round(tempered(right, sharing=shares_a_head(own, known.mentions)) * whole, CHANCE_DIGITS)
