"""Copies of a project with a record of their own; and dry runs: copies in which simulated workers answer."""

import random
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial
from itertools import count
from types import MappingProxyType
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Max

from accounts.members import add_member
from accounts.models import Role
from annotation.data_card import to_store
from annotation.models import Gold, Image, Mention, Project
from annotation.rules.states import ProjectState, Survey
from exchange.dataset import DatasetBox, DatasetImage, DatasetMention
from exchange.import_image import import_image
from exchange.load_project import loaded_caption
from pipeline.models import Assignment, Entry, Judgment, LedgerEntry, Skip, Transition
from pipeline.project.settings_versions import NameTakenError, current_settings, make_project
from pipeline.settings.settings import Settings
from projects.models import Run
from runtime import clock
from simulation.crowd import CROWDS
from simulation.mixed_crowd import MixedCrowd, kinds_of
from simulation.predict.draw_truth import TruthDrawer, belief_of, fitted_prior
from simulation.predict.subject import draw_images, known_images, phrases_of, read_subjects
from simulation.simulate import CrowdRun as SimulatedWork
from simulation.simulate import link_images, load_gold, virtual_workers
from simulation.view import TrueImage
from workers.models import TrustChange, TrustStatus, Worker

TERMS = ("requester", "contact", "purpose", "kept_days", "data_card")
IMAGES_PER_BATCH = 200


@transaction.atomic
def copy_project(
    source: Project, *, name: str, title: str, user: User | None, settings: Settings | None = None
) -> Project:
    """Make a draft with the settings and terms of the source, and its user as requester. It has no images yet.

    `settings`: instead of those that the source has now. No program judges in a copy: none has access to it, and people
    would wait for its answers. Raises NameTakenError.
    """
    settings = replace(settings or current_settings(source.pk)[1], model_annotators=())
    survey = Survey(source.survey) if source.survey else None
    project = make_project(name=name, title=title, settings=settings, state=ProjectState.DRAFT, survey=survey)
    for term in TERMS:
        setattr(project, term, getattr(source, term))
    project.save()
    if user is not None and user.pk:
        add_member(user, project, Role.REQUESTER)
    return project


def copy_images(
    source: Project,
    project: Project,
    *,
    begin: Callable[[int], object],
    step: Callable[[], object],
    only: Collection[int] | None = None,
    annotated: bool = True,
) -> None:
    """Copy the images that the project does not have yet. Nobody's answers are copied; picture files are shared.

    `only`: ids of the images to copy; None: all of them. `annotated`: an annotation that came with an image is copied.
    """
    there = project.images.values("name")
    wanted = source.images.exclude(name__in=there).order_by("position")
    ids = [image for image in wanted.values_list("pk", flat=True) if only is None or image in only]
    begin(len(ids))
    version = current_settings(project.pk)[0]
    last = project.images.aggregate(last=Max("position"))["last"]
    position = 0 if last is None else last + 1
    for first in range(0, len(ids), IMAGES_PER_BATCH):
        images = Image.objects.filter(pk__in=ids[first : first + IMAGES_PER_BATCH]).order_by("position")
        for image in images.prefetch_related("captions", "mentions__caption", "known_boxes").select_related("gold"):
            with transaction.atomic():
                _copy_image(image, project, position, version, annotated=annotated)
            position += 1
            step()


def _copy_image(image: Image, project: Project, position: int, version: int, *, annotated: bool) -> None:
    """Copy one image: with the annotation that it was imported with, else with its present phrases and no chains."""
    mentions = _in_reading_order(image.mentions.all())
    annotation = _imported_chains(image) if annotated else {}
    loaded = DatasetImage(
        name=image.name,
        width=image.width,
        height=image.height,
        captions=tuple(loaded_caption(caption) for caption in image.captions.all()),
        mentions=tuple(
            DatasetMention(mention.caption.number, mention.start, mention.end, tuple(mention.types))
            for mention in mentions
        ),
        boxes=tuple(DatasetBox(box.box, category=box.category) for box in image.known_boxes.all()),
        source=image.source,
        path=image.path,
        coco_id=image.coco_id,
    )
    copy = import_image(
        project, position, loaded, picture=image.picture, gold=False, settings_version=version, annotation=annotation
    )
    copy.known_boxes.update(exported=not image.known_boxes.filter(exported=False).exists())
    if hasattr(image, "gold"):
        places = places_in_copy(mentions)
        chains = [_renumbered(chain, places) for chain in image.gold.chains]
        Gold.objects.create(image=copy, chains=chains, complete=image.gold.complete)


def places_in_copy(mentions: Iterable[Mention]) -> dict[int, int]:
    """Return the number that the copy of an image gives each of its phrases: their places in reading order."""
    return {mention.number: place for place, mention in enumerate(_in_reading_order(mentions))}


def _in_reading_order(mentions: Iterable[Mention]) -> list[Mention]:
    return sorted(mentions, key=lambda one: (one.caption.number, one.start))


def _imported_chains(image: Image) -> dict[str, Any]:
    """Return the chains and boxes that the image was imported with, if its phrases are still those of the import."""
    data = Entry.objects.filter(image=image, sequence=0).values_list("data", flat=True).get()
    if "chains" not in data:
        return {}
    numbers = sorted(mention.number for mention in image.mentions.all())
    same = numbers == sorted(row[0] for row in data["mentions"]) == list(range(len(numbers)))
    return {"chains": data["chains"], "boxes": data["boxes"]} if same else {}


def _renumbered(chain: dict[str, Any], places: dict[int, int]) -> dict[str, Any]:
    return {**chain, "mentions": [places[number] for number in chain["mentions"] if number in places]}


@transaction.atomic
def make_draft(
    user: User | None,
    *,
    name: str,
    title: str = "",
    settings: Settings | None = None,
    card: Mapping[str, str] = MappingProxyType({}),
) -> Project:
    """Make the draft, with these settings or the paper's; the user, if there is one, becomes its requester.

    `card`: what the requester tells of the data set, by the names of CARD_FIELDS.
    Raises NameTakenError, and ValidationError for a name or a title that does not fit.
    """
    project = make_project(name=name, title=title, settings=settings, state=ProjectState.DRAFT)
    if card:
        project.data_card = to_store(card)
        project.save(update_fields=["data_card"])
    if user is not None:
        add_member(user, project, Role.REQUESTER)
    return project


IMAGES, WORKERS = 20, 25
"""Images that a dry run copies, and its workers: enough that no question starves."""
CROWD = "paper"
HISTORY = timedelta(hours=12)
"""The time before now at which the simulated workers begin. Their clock is quicker than the real one."""
SUFFIX = "dry-run"
DRY_RUN_NAME = "dry_run"
"""The operation that makes one."""


@transaction.atomic
def make_dry_run(
    source: Project, user: User | None, *, suffix: str = SUFFIX, about: str = "", settings: Settings | None = None
) -> Project:
    """Make the scratch project, without images. It runs, but no person has access to it as a worker.

    `suffix` ends its name, and `about` its title. `settings`: instead of those that the source has now.
    """
    taken = set(Project.objects.filter(name__startswith=source.name[:80]).values_list("name", flat=True))
    names = (f"{source.name[:80]}-{suffix}{f'-{number}' if number > 1 else ''}" for number in count(1))
    title = f"Dry run of {source.title or source.name}"[: 200 - len(about)] + about
    make = partial(copy_project, source, title=title, user=user, settings=settings)
    project = _first_free(make, (name for name in names if name not in taken))
    project.state, project.dry_run = ProjectState.RUNNING.value, True
    project.save(update_fields=["state", "dry_run"])
    return project


def _first_free(make: Callable[..., Project], names: Iterator[str]) -> Project:
    """Make the copy under the first name that nobody takes in this moment."""
    for name in names:
        with suppress(NameTakenError):
            return make(name=name)
    raise AssertionError("names do not end")


def dry_runs_of(source: Project) -> list[Project]:
    """Return the dry runs of a project, the newest first."""
    copies = Run.objects.filter(operation=DRY_RUN_NAME, input__source_id=source.pk).values("project")
    return list(Project.objects.filter(dry_run=True, pk__in=copies).order_by("-id"))


def sampled_project(dry: Project) -> str:
    """Return the name of the project that a dry run was made of; empty if it is gone."""
    run = dry.runs.filter(operation=DRY_RUN_NAME).first()
    of = run.input["source_id"] if run else 0
    return Project.objects.filter(pk=of).values_list("name", flat=True).first() or ""


def play(
    source: Project,
    project: Project,
    *,
    begin: Callable[[int], object],
    step: Callable[[], object],
    look: Callable[[], object],
) -> None:
    """Copy the sample, give it truths, and let simulated workers answer until nothing is open.

    Safe to run again: what is there stays. `step` is called for each image copied and each finished, `look` between
    rounds of answers; both may raise to stop.
    """
    ids = draw_images(list(phrases_of(source.pk)), IMAGES, source.pk)
    copy_sample(source, project, ids, seed=project.pk, begin=lambda images: begin(2 * len(ids)), step=step)
    let_answer(project, seed=project.pk, look=lambda answers: look())
    for _ in ids:
        step()


def copy_sample(
    source: Project,
    project: Project,
    ids: Sequence[int],
    *,
    seed: int,
    step: Callable[[], object],
    begin: Callable[[int], object] = lambda images: None,
) -> None:
    """Copy these images, and give each a truth: the known one, or one drawn with the seed."""
    with before_the_answers():
        copy_images(source, project, begin=begin, step=step, only=set(ids), annotated=False)
        _draw_truths(source, project, ids, seed)


def before_the_answers() -> AbstractContextManager[None]:
    """Move the clock to the time before the simulated workers begin."""
    return clock.moved(-HISTORY)


def let_answer(project: Project, *, seed: int, look: Callable[[int], object]) -> None:
    """Let simulated workers answer until nothing is open. `look` gets the number of answers after each round."""
    gold = load_gold(project)
    crowd = MixedCrowd(CROWDS[CROWD](list(link_images(project, gold)), seed), kinds_of(WORKERS, 0), seed)
    workers = virtual_workers(project, project.name, WORKERS)
    with clock.moved(_start(project) - clock.now()):
        SimulatedWork(project, gold, crowd, workers, seed).until_nothing_is_open(None, look)


def _start(project: Project) -> datetime:
    """Return when the workers go on: after their last answer."""
    last = Entry.objects.filter(project=project).order_by("-created_at").values_list("created_at", flat=True).first()
    return max(last or clock.now() - HISTORY, clock.now() - HISTORY)


def _draw_truths(source: Project, project: Project, ids: Sequence[int], seed: int) -> None:
    """Give every copied image a truth that has none, or one that is still disputed: that of the finished image, or a
    drawn one."""
    prior = fitted_prior(current_settings(source.pk)[1])
    belief = belief_of(read_subjects(known_images(source.pk, 0)), prior)
    without = Image.objects.filter(project=project).exclude(gold__complete=True).in_bulk(field_name="id")
    copies = {image.name: image for image in without.values()}
    for subject in read_subjects(ids, use_gold=False):
        if subject.key in copies:
            truth = TruthDrawer(subject, belief).draw(random.Random(f"{seed} {subject.key}"))
            # The copy numbers its phrases anew, in reading order.
            places = {mention.number: place for place, mention in enumerate(subject.mentions)}
            made = {"chains": _as_gold(truth, places), "complete": True}
            Gold.objects.update_or_create(image=copies[subject.key], defaults=made)


def _as_gold(truth: TrueImage, places: dict[int, int]) -> list[dict[str, object]]:
    return [
        {
            "name": chain.name,
            "mentions": [places[number] for number in chain.mentions if number in places],
            "scene": chain.scene,
            "open": False,
            "boxes": [list(box) for box in chain.boxes],
        }
        for chain in truth.chains
    ]


class NotDryError(ValueError):
    """The project is not a dry run, or something other than a simulated worker has worked in it."""


def delete_dry_run(project: Project) -> None:
    """Delete the dry run. Its work stops first, at its next answer.

    Raises NotDryError: of a real project no answer is ever deleted.
    """
    if not project.dry_run:
        raise NotDryError("This project is not a dry run: nothing was deleted.")
    if Assignment.objects.filter(project=project).exclude(worker__kind=Worker.Kind.VIRTUAL).exists():
        raise NotDryError("A person or a program has worked in this dry run: nothing was deleted.")
    if LedgerEntry.objects.filter(project=project).exists():
        raise NotDryError("Money was booked in this dry run: nothing was deleted.")
    Run.objects.filter(project=project, state__in=Run.OPEN).update(requested=Run.Request.CANCEL)
    _delete(project)


@transaction.atomic
def _delete(project: Project) -> None:
    """Delete rows before those that they hang on."""
    Project.objects.select_for_update().get(pk=project.pk)
    workers = list(Worker.objects.filter(accesses__project=project, kind=Worker.Kind.VIRTUAL).distinct())
    Transition.objects.filter(project=project).delete()
    Entry.objects.filter(project=project).delete()
    Skip.objects.filter(assignment__project=project).delete()
    Judgment.objects.filter(assignment__project=project).delete()
    Assignment.objects.filter(project=project).delete()
    TrustChange.objects.filter(project=project).delete()
    TrustStatus.objects.filter(project=project).delete()
    while ids := list(project.images.order_by("pk").values_list("pk", flat=True)[:IMAGES_PER_BATCH]):
        project.images.filter(pk__in=ids).delete()
    project.delete()
    # A worker of another project, too, is not a worker of this dry run alone.
    alone = [worker.pk for worker in workers if not worker.accesses.exists() and not worker.assignments.exists()]
    Worker.objects.filter(pk__in=alone).delete()
