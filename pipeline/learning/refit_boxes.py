"""Refit boxes [beyond paper 3.2]: a project learns its box prior and its trust in programs from its finished chains."""

from collections.abc import Iterator
from dataclasses import replace
from random import Random
from typing import NamedTuple

from django.db.models import Count, Exists, OuterRef, Q, QuerySet

from annotation.models import Image, Project
from annotation.rules.states import ImageState, ProjectState
from pipeline.models import Judgment, KnownQuestion, Progress, Question
from pipeline.project.settings_versions import chosen_versions, current_settings, learn_settings
from pipeline.rules.boxing.box_prior import DEFAULT, BoxPrior
from pipeline.rules.boxing.fit_box_prior import FinishedChain, fit_box_prior
from pipeline.rules.boxing.unseen import KnownAnswers
from pipeline.rules.entries.belief_judgments import BOX_TASKS
from pipeline.rules.image.finished_chains import finished_chains
from pipeline.rules.progress.progress_json import from_json
from pipeline.rules.settings.protocol import ProtocolSettings
from pipeline.rules.tasks.box_policy import BoxPolicy
from pipeline.rules.tasks.task import Task

FIRST = 15
"""Finished images before the first refit: about 100 chains."""
JURORS_EVERY = 25
"""Finished images between refits, at least, while programs judge boxes."""
MOST_IMAGES = 1000
"""A refit reads this many images at most, drawn at random."""
ASKED = Question.objects.filter(task__in=[task.value for task in BOX_TASKS])


class MadeBoxPrior(NamedTuple):
    """The version of the settings that a refit added."""

    version: int
    prior: BoxPrior


def refit_boxes(project_id: int, *, only_if_due: bool = True) -> MadeBoxPrior | None:
    """Refit the box prior and the trust in programs, and add a version of the settings with them.

    Returns None if nothing was due, or if the settings changed meanwhile. A refit is due when twice as many images are
    finished as at the last one, in a running project that boxes by belief and has `refit_boxes` on. Safe to run twice,
    and in two processes at once: only the settings that were read are replaced. Images follow the new version as they
    followed the last one, each from its next entry on; questions on loan stay open.
    """
    version, settings = current_settings(project_id)
    if only_if_due and not _may_be_due(project_id, settings):
        return None
    images = _finished(project_id).filter(Exists(ASKED.filter(image=OuterRef("id"))))
    number = images.count()
    if only_if_due and number < wanted_images(settings):
        return None
    chains = list(_chains(project_id, images))
    prior = replace(fit_box_prior(chains, given_box_prior(project_id), _known_answers(project_id)), refitted_on=number)
    reason = f"weights of boxes refitted on {len(chains)} own chains"
    changed, answers = replace(settings, box_prior=prior.to_json()), sum(len(chain.heard) for chain in chains)
    made = learn_settings(project_id, version, changed, reason, learned_from=answers)
    return None if made is None else MadeBoxPrior(made, prior)


def given_box_prior(project_id: int) -> BoxPrior:
    """Return the box prior that the project was given, as `refit_links.given_prior` does that of links."""
    priors = (settings.box_rules().prior for settings in reversed(chosen_versions(project_id).values()))
    return next((prior for prior in priors if not prior.refitted_on), DEFAULT)


def _may_be_due(project_id: int, settings: ProtocolSettings) -> bool:
    """Tell whether it is worth while to count the images whose boxes were asked."""
    if settings.box_policy is not BoxPolicy.BELIEF or not settings.refit_boxes:
        return False
    running = Project.objects.filter(id=project_id, state=ProjectState.RUNNING.value)
    return running.exists() and _finished(project_id).count() >= wanted_images(settings)


def _finished(project_id: int) -> QuerySet[Image]:
    """The images that are merged; those that were imported with their boxes are among them."""
    return Image.objects.filter(project_id=project_id, state=ImageState.MERGED.value)


def wanted_images(settings: ProtocolSettings) -> int:
    """Return how many finished images the next refit waits for: sooner where jurors are at work, who may change."""
    last = settings.box_rules().prior.refitted_on
    return max(FIRST, last + max(JURORS_EVERY, last // 20) if settings.jurors and last else 2 * last)


def _known_answers(project_id: int) -> Iterator[KnownAnswers]:
    """Yield the answers to each known question about boxes whose truth somebody else than workers gave.

    Drawings are left out: a loose box is wrong without anything being overlooked.
    """
    sources = (KnownQuestion.Source.GOLD, KnownQuestion.Source.EXPERT)
    tasks = [task.value for task in BOX_TASKS if task is not Task.BOX_DRAWING]
    rows = Judgment.objects.filter(known__project=project_id, known__task__in=tasks, known__source__in=sources)
    counts = {"is_right": Count("id", filter=Q(right=True)), "is_wrong": Count("id", filter=Q(right=False))}
    for row in rows.order_by().values("known").annotate(**counts):
        yield KnownAnswers(row["is_right"], row["is_wrong"])


def _chains(project_id: int, images: QuerySet[Image]) -> Iterator[FinishedChain]:
    """Yield the finished chains of MOST_IMAGES of these images at most."""
    found = list(images.order_by("id").values_list("id", flat=True))
    drawn = Random(f"{project_id} {len(found)}").sample(found, min(MOST_IMAGES, len(found)))
    rows = Progress.objects.filter(image__in=drawn).order_by("image")
    for state in rows.values_list("state", flat=True).iterator(chunk_size=200):
        yield from finished_chains(from_json(state))
