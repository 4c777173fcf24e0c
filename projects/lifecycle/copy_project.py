"""Copy a project: settings, terms, and images with captions, phrases and pictures, with a record of their own."""

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import replace
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
from pipeline.models import Entry
from pipeline.project.settings_versions import current_settings, make_project
from pipeline.settings.settings import Settings

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
