"""A project that refits its prior and its errors as it runs [beyond paper 3.1.1], with a simulated crowd.

Images are taken in order, and AT_ONCE of them are in work. In each round every group of these that is not finished gets
one answer, to the one link that is open; a finished image makes room for the next. Before a round the project refits if
twice as many images are finished as at its last refit. Every answer, of unfinished groups as well, counts for the
refit; finished groups are not planned again, as in the service.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from pipeline.rules.linking.adaptive.answer_model import OF_PAPER, CrowdErrors, Heard
from pipeline.rules.linking.adaptive.plan_adaptively import plan_adaptively
from pipeline.rules.linking.adaptive.program_links import Chains, program_links
from pipeline.rules.linking.fits.refit_from_answers import IMAGINED, L2, refit_from_answers
from pipeline.rules.linking.fits.refit_programs import JudgedGroup, refit_programs
from pipeline.rules.linking.link_plan import LinkPlan
from pipeline.rules.linking.prior.link_prior import LinkPrior
from pipeline.rules.linking.transitivity import LinkMention, Pair, groups
from simulation.compare_strategies import BedImage
from studies.linking.crowd import MOST, Crew
from studies.linking.program import Predict

AT_ONCE = 20
PROGRAM = 1
"""The number of the program."""


@dataclass(frozen=True, slots=True)
class Refitting:
    """The rules by which a project refits."""

    first: int = 15
    """Finished images before the first refit; then their number must have doubled."""
    weights: bool = True
    """It learns the weights of links ..."""
    errors: bool = True
    """... and the errors of the crowd."""
    l2: float = L2
    imagined: float = IMAGINED


class Finished(NamedTuple):
    """One finished group."""

    image: BedImage
    judgments: int
    plan: LinkPlan


@dataclass(slots=True)
class _Group:
    image: BedImage
    mentions: Sequence[LinkMention]
    heard: dict[Pair, list[Heard]] = field(default_factory=dict)
    said: dict[int, Chains] = field(default_factory=dict)
    """The chains of the image by a program."""
    plan: LinkPlan | None = None
    """The last plan, once it asks nothing more."""


def run_project(
    images: Sequence[BedImage],
    crew: Crew,
    prior: LinkPrior,
    refitting: Refitting,
    stop: float,
    program: Predict | None = None,
) -> Iterator[Finished]:
    """Yield the groups of all images, once all are finished. `prior`: the one that the project begins with.

    `program`: predicts chains of every image before its links are asked.
    """
    given, errors, due = prior, OF_PAPER, refitting.first
    of_programs: dict[str, CrowdErrors] = {}
    waiting = iter([_groups(image, program) for image in images])
    work = list(_taken(waiting, AT_ONCE))
    every = [group for own in work for group in own]
    begun = len(work)
    while work:
        if (ended := begun - len(work)) >= due:
            prior, errors = _refitted(every, given, prior, errors, refitting)
            of_programs = _programs(every, prior, errors)
            due = 2 * ended
        for group in [group for own in work for group in own if group.plan is None]:
            _ask(group, crew, prior, errors, of_programs, stop)
        work = [own for own in work if any(group.plan is None for group in own)]
        for own in _taken(waiting, AT_ONCE - len(work)):
            begun += 1
            work.append(own)
            every += own
    for group in every:
        assert group.plan is not None
        yield Finished(group.image, sum(map(len, group.heard.values())), group.plan)


def _taken(waiting: Iterator[list[_Group]], most: int) -> Iterable[list[_Group]]:
    return [own for _, own in zip(range(most), waiting, strict=False)]


def _groups(image: BedImage, program: Predict | None) -> list[_Group]:
    said = {} if program is None else {PROGRAM: program(image)}
    return [_Group(image, mentions, said=said) for mentions in groups(image.mentions)]


def _ask(
    group: _Group,
    crew: Crew,
    prior: LinkPrior,
    errors: CrowdErrors,
    of_programs: Mapping[str, CrowdErrors],
    stop: float,
) -> None:
    programs = program_links(group.said, of_programs)
    plan = plan_adaptively(
        group.mentions, group.heard, prior=prior, stop=stop, most=MOST, errors=errors, programs=programs
    )
    if not plan.open:
        group.plan = plan
        return
    (pair,) = plan.open
    votes = group.heard.setdefault(pair, [])
    votes.append(crew.heard(group.image.key, pair, len(votes), errors))


def _refitted(
    every: Sequence[_Group], given: LinkPrior, prior: LinkPrior, errors: CrowdErrors, refitting: Refitting
) -> tuple[LinkPrior, CrowdErrors]:
    judged = [(group.mentions, group.heard) for group in every if group.heard]
    new = refit_from_answers(judged, given, l2=refitting.l2, imagined=refitting.imagined)
    return new.prior if refitting.weights else prior, new.errors if refitting.errors else errors


def _programs(every: Sequence[_Group], prior: LinkPrior, errors: CrowdErrors) -> dict[str, CrowdErrors]:
    judged = [JudgedGroup(group.mentions, group.heard, group.said) for group in every if group.heard]
    return {str(one): rates for one, rates in refit_programs(judged, prior, errors).items()}
