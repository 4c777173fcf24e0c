"""Refits [beyond paper 3.1.1, 3.2]: a project learns its priors, its crowd's errors and its trust in programs itself.

A refit is due when twice as many images are finished as at the last one, in a running project whose settings want it.
Refits are safe to run twice, and in two processes at once: only the settings that were read are replaced. Images follow
the new version as they followed the last one, each from its next entry on; questions on loan stay open.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice
from random import Random
from typing import NamedTuple, TypeVar

from django.db.models import Count, Exists, Max, OuterRef, Q, QuerySet

from annotation.models import Image, Project
from annotation.rules.box import Box, iou
from annotation.rules.states import ImageState, ProjectState
from pipeline.learning.fit_prior import with_heads
from pipeline.learning.known_labels import known_labels, read_progress
from pipeline.models import Assignment, Entry, Judgment, KnownQuestion, Question
from pipeline.project.settings_versions import chosen_versions, current_settings, learn_settings
from pipeline.rules.boxing.fits.fit_box_prior import fit_box_prior
from pipeline.rules.boxing.prior import box_prior
from pipeline.rules.boxing.prior.box_prior import BoxPrior
from pipeline.rules.boxing.prior.unseen import KnownAnswers
from pipeline.rules.checking.learn_trust import with_wrong
from pipeline.rules.exactness.fit_habits import KnownDrawing
from pipeline.rules.image.box_evidence import finished_chains
from pipeline.rules.image.juror_links import told_by_jurors
from pipeline.rules.jurors.lot import LinkLot
from pipeline.rules.linking.adaptive.answer_model import CrowdErrors, Heard
from pipeline.rules.linking.fits.fit_link_jurors import fit_link_jurors, fit_link_pairs
from pipeline.rules.linking.fits.hold_link_jurors import with_held_links
from pipeline.rules.linking.fits.refit_from_answers import JudgedGroup, Refit, refit_from_answers
from pipeline.rules.linking.fits.refit_programs import refit_programs
from pipeline.rules.linking.link_strategy import Strategy
from pipeline.rules.linking.prior import link_prior
from pipeline.rules.linking.prior.link_prior import LinkPrior
from pipeline.rules.linking.transitivity import Pair, groups
from pipeline.rules.progress.progress import ImageProgress
from pipeline.rules.settings.protocol import ProtocolSettings
from pipeline.rules.tasks.box_policy import BoxPolicy
from pipeline.rules.tasks.task import BOX_TASKS, Task
from workers.models import Worker

T = TypeVar("T")
JURORS_EVERY = 25
"""Finished images between two refits while programs judge, unless fewer have doubled, or a twentieth is more."""
FIRST_OF_JURORS = 3
"""Finished images before the first refit where programs judge: until then people answer everything."""
FIRST = 15
"""Finished images before the first refit: about 30 groups with answers, or 100 chains."""
MOST_IMAGES = 1000
"""A refit reads this many images at most."""
LINKS = Question.objects.filter(task=Task.COREFERENCE_LINK.value)
GIVEN = (KnownQuestion.Source.GOLD, KnownQuestion.Source.EXPERT)
"""The sources of known questions whose truth does not come from the crowd."""
OF_BOXES = Question.objects.filter(task__in=[task.value for task in BOX_TASKS])


# --- Links ---


class Made(NamedTuple):
    """The version of the settings that a refit of links added."""

    version: int
    refit: Refit


def refit_links(project_id: int, *, only_if_due: bool = True) -> Made | None:
    """Refit the prior and the errors on the project's answers, and add a version of the settings with both.

    Returns None if nothing was due, or if the settings changed meanwhile. Images count that have all their links, in a
    project that links adaptively and has `refit_links` on.
    """
    version, settings = current_settings(project_id)
    # Those that were imported with their chains are among the linked ones.
    linked = Image.objects.filter(project_id=project_id).exclude(state=ImageState.LINKING.value)
    is_wanted = settings.strategy is Strategy.ADAPTIVE and settings.refit_links
    wanted = wanted_images(settings.prior(), settings)
    if only_if_due and not (is_wanted and _may_be_due(linked, project_id, wanted)):
        return None
    images = linked.filter(Exists(LINKS.filter(image=OuterRef("id")))).count()
    if only_if_due and images < wanted:
        return None
    given = with_heads(given_prior(project_id), project_id)
    groups = list(judged_groups(project_id, settings))
    changed, refit = with_links_learned(settings, groups, given, images)
    reason = f"weights of links refitted on {refit.groups} groups of own answers"
    made = learn_settings(project_id, version, changed, reason, learned_from=_answers(groups))
    return None if made is None else Made(made, refit)


def with_links_learned(
    settings: ProtocolSettings, groups: Sequence[JudgedGroup], given: LinkPrior, images: int
) -> tuple[ProtocolSettings, Refit]:
    """Return the settings with what these groups teach of links, of programs and of jurors.

    `given`: the prior that the project was given. `images`: the finished ones.
    """
    refit = refit_from_answers(groups, given)
    jurors = fit_link_jurors(groups, refit.prior, refit.errors)
    pairs = fit_link_pairs(groups, refit.prior, refit.errors)
    learned = replace(refit.prior, refitted_on=images, jurors=jurors, pairs_of_jurors=pairs)
    changed = replace(
        settings,
        link_prior=with_held_links(learned, groups, refit.errors).to_json(),
        link_errors=refit.errors._asdict(),
        program_errors=program_errors(settings, groups, refit.prior, refit.errors),
    )
    return changed, refit


def refit_of_programs(project_id: int) -> int | None:
    """Learn the errors of programs whose chains have just come, and add a version of the settings with them.

    Returns its number; None if there is nothing new, or if the settings changed meanwhile.
    """
    version, settings = current_settings(project_id)
    if settings.strategy is not Strategy.ADAPTIVE or not settings.refit_links or not settings.proposals:
        return None
    groups = list(judged_groups(project_id, settings))
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
    families = settings.families_in(Task.COREFERENCE_LINK)
    if not settings.proposals:
        return settings.program_errors
    found = refit_programs(groups, prior, errors, families=families, source=settings.source())
    return settings.program_errors | {str(one): list(rates) for one, rates in found.items()}


def given_prior(project_id: int) -> LinkPrior:
    """Return the prior that the project was given, and not one that was learned here or in the project it is a copy of.

    After several refits it is still that one. Else each refit would count the same answers once more.
    """
    priors = (settings.prior() for settings in reversed(chosen_versions(project_id).values()))
    return next((prior for prior in priors if not prior.refitted_on), link_prior.DEFAULT)


def judged_groups(project_id: int, settings: ProtocolSettings) -> Iterator[JudgedGroup]:
    """Yield the groups with answers of MOST_IMAGES images at most, finished or not; answers are in their order.

    `settings`: those in force, which weigh what programs that judge say.
    """
    asked = LINKS.filter(image__project=project_id).order_by("image").values_list("image", flat=True).distinct()
    for progress in _read(project_id, list(asked), settings):
        yield from judged_in(progress, settings)


def judged_in(progress: ImageProgress, settings: ProtocolSettings) -> Iterator[JudgedGroup]:
    """Yield the groups of an image that have answers, in their order. `settings`: see `judged_groups`."""
    said = {
        pair: [Heard(vote.answer, vote.shift) for vote in sorted(votes, key=lambda vote: vote.entry)]
        for pair, votes in progress.votes.items()
        if votes
    }
    judged = {pair: [(vote.worker, vote.answer) for vote in votes] for pair, votes in progress.juror_votes.items()}
    told, in_lot = told_by_jurors(progress, settings), progress.link_lot is LinkLot.PEOPLE
    for group in groups(mention.for_links() for mention in progress.mentions.values()):
        members = {mention.number for mention in group}
        if own := _between(members, said):
            by_jurors = _between(members, told), _between(members, judged)
            yield JudgedGroup(group, own, progress.program_chains, *by_jurors, in_lot)


def _between(members: set[int], pairs: Mapping[Pair, T]) -> dict[Pair, T]:
    return {pair: value for pair, value in pairs.items() if members.issuperset(pair)}


# --- Boxes ---


class MadeBoxPrior(NamedTuple):
    """The version of the settings that a refit of boxes added."""

    version: int
    prior: BoxPrior


def refit_boxes(project_id: int, *, only_if_due: bool = True) -> MadeBoxPrior | None:
    """Refit the box prior and the trust in programs, and add a version of the settings with them.

    Returns None if nothing was due, or if the settings changed meanwhile. Images count that are merged, in a project
    that boxes by belief and has `refit_boxes` on.
    """
    version, settings = current_settings(project_id)
    # Those that were imported with their boxes are among the merged ones.
    merged = Image.objects.filter(project_id=project_id, state=ImageState.MERGED.value)
    wanted = wanted_images(settings.box_rules().prior, settings)
    is_wanted = settings.box_policy is BoxPolicy.BELIEF and settings.refit_boxes
    if only_if_due and not (is_wanted and _may_be_due(merged, project_id, wanted)):
        return None
    images = merged.filter(Exists(OF_BOXES.filter(image=OuterRef("id"))))
    number = images.count()
    if only_if_due and number < wanted:
        return None
    read = _read(project_id, list(images.order_by("id").values_list("id", flat=True)), settings)
    families = settings.families_in(Task.BOX_QUALITY)
    chains = [chain for progress in read for chain in finished_chains(progress, families)]
    drawings, known = _known_drawings(project_id) if settings.fuse_boxes else (), _known_answers(project_id)
    fitted = fit_box_prior(chains, given_box_prior(project_id), known, drawings, families)
    prior = replace(with_wrong(fitted, known_labels(project_id, settings)), refitted_on=number)
    reason = f"weights of boxes refitted on {len(chains)} own chains"
    changed, answers = replace(settings, box_prior=prior.to_json()), sum(len(chain.heard) for chain in chains)
    made = learn_settings(project_id, version, changed, reason, learned_from=answers)
    return None if made is None else MadeBoxPrior(made, prior)


def given_box_prior(project_id: int) -> BoxPrior:
    """Return the box prior that the project was given, as `given_prior` does that of links."""
    priors = (settings.box_rules().prior for settings in reversed(chosen_versions(project_id).values()))
    return next((prior for prior in priors if not prior.refitted_on), box_prior.DEFAULT)


def _known_answers(project_id: int) -> Iterator[KnownAnswers]:
    """Yield the answers of people at work to each known question about boxes whose truth somebody else has given.

    Drawings are left out: a loose box is wrong without anything being overlooked. So are tests, which people take who
    are not trusted yet.
    """
    tasks = [task.value for task in BOX_TASKS if task is not Task.BOX_DRAWING]
    asked = Judgment.objects.filter(known__project=project_id, known__task__in=tasks, known__source__in=GIVEN)
    rows = asked.filter(assignment__kind=Assignment.Kind.WORK).exclude(worker__kind=Worker.Kind.PROGRAM)
    good, bad = Count("id", filter=Q(right=True)), Count("id", filter=Q(right=False))
    for _, right, wrong in rows.order_by().values_list("known").annotate(is_right=good, is_wrong=bad):
        yield KnownAnswers(right, wrong)


def _known_drawings(project_id: int) -> Iterator[KnownDrawing]:
    """Yield what people drew of boxes that somebody else has given, tests included: everybody draws as they do."""
    asked = Judgment.objects.filter(known__project=project_id, known__task=Task.BOX_DRAWING.value, right=True)
    rows = asked.filter(known__source__in=GIVEN).exclude(worker__kind=Worker.Kind.PROGRAM).order_by("id")
    for worker, answer, truth in rows.values_list("worker", "answer", "known__truth"):
        if "box" in answer:
            drawn = Box(*answer["box"])
            yield KnownDrawing(worker, drawn, max((Box(*box) for box in truth), key=partial(iou, drawn)))


# --- Both ---


def _may_be_due(finished: QuerySet[Image], project_id: int, wanted: int) -> bool:
    """Tell whether it is worth while to count those of the finished images that were asked about."""
    running = Project.objects.filter(id=project_id, state=ProjectState.RUNNING.value)
    return running.exists() and finished.count() >= wanted


def wanted_images(before: LinkPrior | BoxPrior, settings: ProtocolSettings) -> int:
    """Return how many finished images the next refit waits for: twice as many as the last one had.

    Sooner where jurors are at work, who may change.
    """
    last = before.refitted_on
    if settings.jurors:
        return last + min(max(FIRST_OF_JURORS, last), max(JURORS_EVERY, last // 20))
    return max(FIRST, 2 * last)


def _read(project_id: int, images: list[int], settings: ProtocolSettings) -> Iterator[ImageProgress]:
    """Yield the progress of MOST_IMAGES of these images at most, in their order.

    Where jurors are at work, who may change, these are the newest, in the order of their last entries.
    """
    if settings.jurors:
        chosen = _newest(project_id, set(images))
    else:
        drawn = Random(f"{project_id} {len(images)}").sample(images, min(MOST_IMAGES, len(images)))
        chosen = sorted(drawn)
    yield from (progress for _, progress in read_progress(chosen))


def _newest(project_id: int, images: set[int]) -> list[int]:
    last = Entry.objects.filter(project_id=project_id).order_by().values("image").annotate(last=Max("id"))
    newest = (image for image in last.order_by("-last").values_list("image", flat=True) if image in images)
    return list(islice(newest, MOST_IMAGES))[::-1]
