"""A project that refits its prior and its errors as it runs [beyond paper 3.1.1], with a simulated crowd.

Images are taken in order, and AT_ONCE of them are in work. In each round every group of these that is not finished gets
one answer, to the one link that is open; a finished image makes room for the next. Before a round the project refits if
twice as many images are finished as at its last refit. Every answer, of unfinished groups as well, counts for the
refit; finished groups are not planned again, as in the service.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import NamedTuple

from annotation.rules.transitivity import LinkMention, Pair, groups
from belief.links.answer_model import OF_PAPER, CrowdErrors, Heard
from belief.links.fit_joins import fit_joins, joins_heard
from belief.links.link_prior import LinkPrior
from belief.links.refit_from_answers import JudgedGroup, refit_from_answers
from pipeline.policies.adaptive_links import GroupPlan
from simulation.bed_image import BedImage
from simulation.compare_strategies import PairAnswers
from studies.linking.planner import BY_RULES, Planner

MOST = 15
AT_ONCE = 20
FIRST = 15
"""Finished images before the first refit; then their number must have doubled."""


class Finished(NamedTuple):
    """One finished group."""

    image: BedImage
    judgments: int
    plan: GroupPlan


@dataclass(slots=True)
class _Group:
    image: BedImage
    mentions: Sequence[LinkMention]
    heard: dict[Pair, list[Heard]] = field(default_factory=dict)
    plan: GroupPlan | None = None
    """The last plan, once it asks nothing more."""

    def judged(self) -> Iterator[tuple[Sequence[LinkMention], dict[Pair, list[Heard]]]]:
        """Yield the groups that the rules make of it and that have answers."""
        for mentions in groups(self.mentions):
            members = {mention.number for mention in mentions}
            if own := {pair: said for pair, said in self.heard.items() if members.issuperset(pair)}:
                yield mentions, own

    def linked(self) -> tuple[Sequence[LinkMention], list[int]]:
        """Return the mentions of a finished image, and for each the first mention of its chain."""
        assert self.plan is not None
        chain_of = {number: chain[0] for chain in self.plan.chains for number in chain}
        return self.mentions, [chain_of[mention.number] for mention in self.mentions]


def run_project(
    images: Sequence[BedImage], answers: PairAnswers, given: LinkPrior, stop: float, planner: Planner = BY_RULES
) -> Iterator[Finished]:
    """Yield the groups of all images, once all are finished. `given`: the prior that the project begins with."""
    prior, errors, due = given, OF_PAPER, FIRST
    waiting = iter([[_Group(image, mentions) for mentions in planner.groups(image.mentions)] for image in images])
    work = list(islice(waiting, AT_ONCE))
    every = [group for own in work for group in own]
    begun = len(work)
    while work:
        if (ended := begun - len(work)) >= due:
            refitted = refit_from_answers([JudgedGroup(*own) for group in every for own in group.judged()], given)
            prior, errors, due = refitted.prior, refitted.errors, 2 * ended
            if planner.beyond:
                heard = [joins_heard(*group.linked(), group.heard, prior, errors) for group in every if group.plan]
                prior = replace(prior, joins=fit_joins(heard, given.joins))
        for group in [group for own in work for group in own if group.plan is None]:
            _ask(group, answers, prior, errors, stop, planner)
        work = [own for own in work if any(group.plan is None for group in own)]
        for own in islice(waiting, AT_ONCE - len(work)):
            begun += 1
            work.append(own)
            every += own
    for group in every:
        assert group.plan is not None
        yield Finished(group.image, sum(map(len, group.heard.values())), group.plan)


def _ask(
    group: _Group, answers: PairAnswers, prior: LinkPrior, errors: CrowdErrors, stop: float, planner: Planner
) -> None:
    plan = planner.plan(group.mentions, group.heard, prior=prior, stop=stop, most=MOST, errors=errors)
    if plan.asks:
        hear(answers, group.image.key, plan, group.heard)
    else:
        group.plan = plan


def hear(answers: PairAnswers, image: str, plan: GroupPlan, heard: dict[Pair, list[Heard]]) -> None:
    """Add the next answer to each pair that the plan asks about. Nothing is known of the workers."""
    for pair, *_ in plan.asks:
        votes = heard.setdefault(pair, [])
        _, same = answers.vote_of(image, pair, len(votes))
        votes.append(Heard(same, 0.0))
