"""Learn [beyond paper 3]: what evidence teaches a project.

The service gathers evidence from its tables and stores what follows; studies gather their own.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from belief.boxes.box_prior import BoxPrior
from belief.boxes.fit_box_prior import FinishedChain, fit_box_prior
from belief.habits import KnownDrawing
from belief.known_answers import KnownAnswers
from belief.learned import LearnedState
from belief.links.fit_known import LinkedImage, fit_joins, joins_answered
from belief.links.fit_link_prior import MAX_MENTIONS
from belief.links.link_seconds import TimedAnswers, fit_seconds
from belief.links.models import calibrate_links, with_link_models
from belief.links.refit_from_answers import (
    NO_KNOWN_ANSWERS,
    JudgedGroup,
    KnownLinkAnswers,
    refit_from_answers,
    refit_programs,
)
from pipeline.checking.label_evidence import LabelEvidence, NewLabel
from pipeline.checking.wrong_share import wrong_shares
from pipeline.policies.adaptive_links import LINK_SECONDS
from pipeline.policies.compose import engine_of
from pipeline.protocol.tasks.task import Task
from pipeline.settings.settings import Settings

SHARE_DIGITS = 4


class LinkEvidence(NamedTuple):
    """The evidence about links in a project's answers."""

    groups: Sequence[JudgedGroup]
    images: int
    """The finished ones."""
    linked: Sequence[LinkedImage] = ()
    """Those of links beyond the two rules."""
    known: KnownLinkAnswers = NO_KNOWN_ANSWERS
    """Answers to known questions about links."""
    timed: Sequence[TimedAnswers] = ()


class ChainEvidence(NamedTuple):
    """The evidence about boxes in a project's finished chains."""

    chains: Sequence[FinishedChain]
    images: int
    """The finished ones."""
    known: Sequence[KnownAnswers] = ()
    """Answers to known questions about boxes."""
    drawings: Sequence[KnownDrawing] = ()
    """Boxes drawn for known questions."""
    labels: Sequence[tuple[Sequence[LabelEvidence], Sequence[NewLabel]]] = ()
    """Of images of a data set that is checked."""


def learn(
    settings: Settings, learned: LearnedState, evidence: LinkEvidence | ChainEvidence, given: LearnedState
) -> LearnedState:
    """Return what the evidence teaches, with the rest of what was `learned`.

    `given`: what the project was given, towards which weights are pulled: not what it learned, or each refit would
    count the same answers once more. `settings`: those in force, by which the evidence was read.
    """
    if isinstance(evidence, LinkEvidence):
        return _learn_links(settings, learned, evidence, given)
    families = engine_of(settings).families_in(Task.BOX_QUALITY)
    fitted = fit_box_prior(evidence.chains, given.boxes, evidence.known, evidence.drawings, families)
    return replace(learned, boxes=replace(with_wrong_shares(fitted, evidence.labels), refitted_on=evidence.images))


def _learn_links(
    settings: Settings, learned: LearnedState, evidence: LinkEvidence, given: LearnedState
) -> LearnedState:
    groups = evidence.groups
    prior, crowd, _ = refit_from_answers(groups, given.links, evidence.known)
    links = replace(with_link_models(prior, groups, crowd), refitted_on=evidence.images)
    links = calibrate_links(links, groups, crowd)
    joins = fit_joins([joins_answered(image, links, crowd) for image in evidence.linked], given.links.joins)
    seconds = fit_seconds(evidence.timed, given.links.seconds, LINK_SECONDS)
    links = replace(links, joins=joins, seconds=seconds)
    changed = replace(learned, links=prior, crowd=crowd)
    return replace(changed, links=links, programs=learn_programs(settings, changed, groups))


def weighable(groups: Iterable[JudgedGroup]) -> int:
    """Return how many of the groups a refit weighs: those that are not too large."""
    return sum(1 < len(group.mentions) <= MAX_MENTIONS for group in groups)


def learn_programs(
    settings: Settings, learned: LearnedState, groups: Iterable[JudgedGroup]
) -> Mapping[str, tuple[float, float]]:
    """Return the errors of programs whose chains these groups have. Without pre-annotations they stay."""
    if not settings.pre_annotations:
        return learned.programs
    engine = engine_of(settings)
    families = engine.families_in(Task.COREFERENCE_LINK)
    found = refit_programs(groups, learned.links, learned.crowd, families=families, reference=engine.source)
    return {**learned.programs, **{str(program): (rates[0], rates[1]) for program, rates in found.items()}}


def with_wrong_shares(
    prior: BoxPrior, images: Sequence[tuple[Sequence[LabelEvidence], Sequence[NewLabel]]]
) -> BoxPrior:
    """Return the prior with the shares of labels with wrong mentions, and with wrong boxes.

    They come from the estimate of all wrong labels, and not from what people were asked about: that is the doubtful
    ones. `images`: as in `wrong_shares`.
    """
    if not any(labels for labels, _ in images):
        return prior
    found = {}
    for kind, share in wrong_shares(images).items():
        if share.labels:
            right = max(1 - share.mentions.value, 1e-9)
            boxes = min(share.boxes.value / right, 1.0)
            found[kind] = round(share.mentions.value, SHARE_DIGITS), round(boxes, SHARE_DIGITS)
    return replace(prior, wrong=found)
