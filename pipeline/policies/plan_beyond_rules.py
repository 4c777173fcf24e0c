"""Links beyond the rules [beyond paper 3.1.1]: the two rules of links say what is likely, and not what is possible.

First each group is planned as the rules have it. Then chains that they keep apart are asked about, where the two are
likely enough to be one thing. All mentions of an image are planned together for this.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache, reduce
from typing import Any, NamedTuple

from annotation.rules.same_object import SameObject
from annotation.rules.transitivity import LinkMention, Pair, can_corefer, groups, reading_order
from belief.links.answer_model import OF_PAPER, CrowdErrors, Heard
from belief.links.group_belief import NO_LINKS, NOTHING
from belief.links.link_prior import LinkPrior
from belief.links.program_links import ProgramLinks
from pipeline.policies.plan_adaptively import plan_adaptively
from pipeline.policies.plan_joins import JoinsKnown, plan_joins
from pipeline.protocol.links.plan import LinkPlan

GROUPS = 256
"""The number of groups whose last plans are kept."""


class _Group(NamedTuple):
    """Everything that the plan of one group depends on. The fields are as in `plan_adaptively`."""

    mentions: tuple[LinkMention, ...]
    heard: tuple[tuple[Pair, tuple[Heard, ...]], ...]
    prior: SameObject[LinkPrior]
    stop: float
    most: int
    errors: CrowdErrors
    given: tuple[tuple[Pair, bool], ...]
    skipped: frozenset[Pair]
    reask_share: float
    jurors: tuple[tuple[Pair, float], ...]


def plan_beyond_rules(
    mentions: Sequence[LinkMention],
    heard: Mapping[Pair, Sequence[Heard]],
    *,
    prior: LinkPrior,
    stop: float,
    most: int = 15,
    errors: CrowdErrors = OF_PAPER,
    given: Mapping[Pair, bool] = NO_LINKS,
    skipped: Collection[Pair] = (),
    reask_share: float = 0.0,
    programs: Collection[ProgramLinks] = (),
    jurors: Mapping[Pair, float] = NOTHING,
) -> LinkPlan:
    """Plan the mentions of an image. At most one pair of a group is open. Parameters are as in `plan_adaptively`."""
    ordered = tuple(sorted(mentions, key=reading_order))
    plans = []
    for group in groups(ordered):
        told = (_between(group, one) for one in (heard, given, dict.fromkeys(skipped), jurors))
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
            reask_share,
            tuple(judged),
        )
        plans.append(_plan_with(own, programs) if programs else _plan(own))
    place = {mention.number: position for position, mention in enumerate(ordered)}
    plan = reduce(_both, [one for one in plans if one.open] or plans)
    chains = sorted((chain for one in plans for chain in one.chains), key=lambda chain: place[chain[0]])
    plan = replace(plan, chains=tuple(chains))
    if plan.open:
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
def _plan(group: _Group) -> LinkPlan:
    """Plan one group. Cached, as an answer about one group of an image says nothing of the others."""
    return _plan_with(group, ())


def _plan_with(group: _Group, programs: Collection[ProgramLinks]) -> LinkPlan:
    return plan_adaptively(
        group.mentions,
        dict(group.heard),
        prior=group.prior.value,
        stop=group.stop,
        most=group.most,
        errors=group.errors,
        given=dict(group.given),
        skipped=group.skipped,
        reask_share=group.reask_share,
        programs=programs,
        jurors=dict(group.jurors),
    )


def _both(one: LinkPlan, other: LinkPlan) -> LinkPlan:
    """Return the plan of two groups together."""
    return LinkPlan(
        open=one.open + other.open,
        chains=one.chains + other.chains,
        doubted=one.doubted | other.doubted,
        overruled=one.overruled | other.overruled,
        unsettled=one.unsettled | other.unsettled,
        sources={**one.sources, **other.sources},
        confidence={**one.confidence, **other.confidence},
        links_right={**one.links_right, **other.links_right},
        together={**one.together, **other.together},
        values={**one.values, **other.values},
        foretold={**one.foretold, **other.foretold},
    )
