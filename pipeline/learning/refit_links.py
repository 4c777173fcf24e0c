"""Refit links [beyond paper 3.1.1]: a project learns its prior of links and its crowd's errors from its own answers."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from random import Random
from typing import NamedTuple

from django.db.models import Exists, OuterRef, QuerySet

from annotation.models import Image, Project
from annotation.rules.states import ImageState, ProjectState
from pipeline.learning.fit_prior import with_heads
from pipeline.models import Progress, Question
from pipeline.project.settings_versions import chosen_versions, current_settings, learn_settings
from pipeline.rules.linking.adaptive.answer_model import CrowdErrors, Heard
from pipeline.rules.linking.fits.refit_from_answers import Refit, refit_from_answers
from pipeline.rules.linking.fits.refit_programs import JudgedGroup, refit_programs
from pipeline.rules.linking.link_strategy import Strategy
from pipeline.rules.linking.prior.link_prior import DEFAULT, LinkPrior
from pipeline.rules.linking.transitivity import groups
from pipeline.rules.progress.progress import ImageProgress
from pipeline.rules.progress.progress_json import from_json
from pipeline.rules.settings.protocol import ProtocolSettings
from pipeline.rules.tasks.task import Task

FIRST = 15
"""Images whose links are finished before the first refit: about 30 groups with answers."""
MOST_IMAGES = 1000
"""A refit reads this many images at most, drawn at random."""
LINKS = Question.objects.filter(task=Task.COREFERENCE_LINK.value)


class Made(NamedTuple):
    """The version of the settings that a refit added."""

    version: int
    refit: Refit


def refit_links(project_id: int, *, only_if_due: bool = True) -> Made | None:
    """Refit the prior and the errors on the project's answers, and add a version of the settings with both.

    Returns None if nothing was due, or if the settings changed meanwhile. A refit is due when twice as many images have
    all their links as at the last one, in a running project that links adaptively and has `refit_links` on. Safe to run
    twice, and in two processes at once: only the settings that were read are replaced. Images follow the new version as
    they followed the last one; links on loan stay open.
    """
    version, settings = current_settings(project_id)
    if only_if_due and not _may_be_due(project_id, settings):
        return None
    images = _linked(project_id).filter(Exists(LINKS.filter(image=OuterRef("id")))).count()
    if only_if_due and images < _wanted(settings):
        return None
    given = with_heads(given_prior(project_id), project_id)
    groups = list(judged_groups(project_id))
    refit = refit_from_answers([(group.mentions, group.heard) for group in groups], given)
    changed = replace(
        settings,
        link_prior=replace(refit.prior, refitted_on=images).to_json(),
        link_errors=refit.errors._asdict(),
        program_errors=program_errors(settings, groups, refit.prior, refit.errors),
    )
    reason = f"weights of links refitted on {refit.groups} groups of own answers"
    made = learn_settings(project_id, version, changed, reason, learned_from=_answers(groups))
    return None if made is None else Made(made, refit)


def refit_of_programs(project_id: int) -> int | None:
    """Learn the errors of programs whose chains have just come, and add a version of the settings with them.

    Returns its number; None if there is nothing new, or if the settings changed meanwhile.
    """
    version, settings = current_settings(project_id)
    if settings.strategy is not Strategy.ADAPTIVE or not settings.refit_links or not settings.proposals:
        return None
    groups = list(judged_groups(project_id))
    learned = program_errors(settings, groups, settings.prior(), settings.errors())
    if learned == settings.program_errors:
        return None
    changed = replace(settings, program_errors=learned)
    return learn_settings(project_id, version, changed, "links of programs weighed", learned_from=_answers(groups))


def _answers(groups: Iterable[JudgedGroup]) -> int:
    return sum(len(heard) for group in groups for heard in group.heard.values())


def program_errors(
    settings: ProtocolSettings, groups: Iterable[JudgedGroup], prior: LinkPrior, errors: CrowdErrors
) -> dict[str, list[float]]:
    """Return the setting `program_errors` as these groups make it. Without proposals it stays."""
    found = refit_programs(groups, prior, errors) if settings.proposals else {}
    return settings.program_errors | {str(one): list(rates) for one, rates in found.items()}


def _may_be_due(project_id: int, settings: ProtocolSettings) -> bool:
    """Tell whether it is worth while to count the images whose links were asked."""
    if settings.strategy is not Strategy.ADAPTIVE or not settings.refit_links:
        return False
    running = Project.objects.filter(id=project_id, state=ProjectState.RUNNING.value)
    return running.exists() and _linked(project_id).count() >= _wanted(settings)


def _linked(project_id: int) -> QuerySet[Image]:
    """The images all of whose links are finished; those that were imported with their chains are among them."""
    return Image.objects.filter(project_id=project_id).exclude(state=ImageState.LINKING.value)


def _wanted(settings: ProtocolSettings) -> int:
    return max(FIRST, 2 * settings.prior().refitted_on)


def given_prior(project_id: int) -> LinkPrior:
    """Return the prior that the project was given, and not one that was learned here or in the project it is a copy of.

    After several refits it is still that one. Else each refit would count the same answers once more.
    """
    priors = (settings.prior() for settings in reversed(chosen_versions(project_id).values()))
    return next((prior for prior in priors if not prior.refitted_on), DEFAULT)


def judged_groups(project_id: int) -> Iterator[JudgedGroup]:
    """Yield the groups with answers of MOST_IMAGES images at most, finished or not; answers are in their order."""
    asked = LINKS.filter(image__project=project_id).order_by("image").values_list("image", flat=True).distinct()
    images = list(asked)
    drawn = sorted(Random(f"{project_id} {len(images)}").sample(images, min(MOST_IMAGES, len(images))))
    rows = Progress.objects.filter(image__in=drawn).order_by("image")
    for state in rows.values_list("state", flat=True).iterator(chunk_size=200):
        yield from _judged(from_json(state))


def _judged(progress: ImageProgress) -> Iterator[JudgedGroup]:
    said = {
        pair: [Heard(vote.answer, vote.shift) for vote in sorted(votes, key=lambda vote: vote.entry)]
        for pair, votes in progress.votes.items()
        if votes
    }
    for group in groups(mention.for_links() for mention in progress.mentions.values()):
        members = {mention.number for mention in group}
        own = {pair: votes for pair, votes in said.items() if members.issuperset(pair)}
        if own:
            yield JudgedGroup(group, own, progress.program_chains)
