"""A project's images, streamed from the database as the values that writers and reports take."""

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from typing import Any

from django.db.models import Min, Q, QuerySet
from pydantic_core import from_json as read_new

from annotation.models import Box, Caption, Chain, Image, KnownBox, Mention, MergedBox, Project
from annotation.rules.box import Box as BoxValue
from annotation.rules.mention_type import NOUN_TYPES
from annotation.rules.states import BoxState, ImageState
from exchange.dataset import DatasetBox, DatasetImage
from exchange.formats.format import Need
from exchange.json_columns import column_text
from exchange.json_text import read_json
from exchange.stored_image import BoxRow, CaptionRow, ChainRow, ImageRow, ImageRows, MentionRow, MergedRow
from exchange.who_answered import ImageAnswers, load_answers, programs_at_work
from pipeline.models import Progress, SettingsVersion
from pipeline.protocol.boxes.tallies import drawer_judged
from pipeline.protocol.state.progress_json import from_json, from_text
from pipeline.settings.policy_names import BoxPolicyName, LinkStrategy

IMAGES_AT_ONCE = 200
NAMED = 1000
"""The most ids that a statement names; of more, those of all images are read."""
CHANCES = ("chains", "boxes")
"""The parts of an image's progress that hold confidences."""
VOTES = "votes"
"""The part that says what is part of what."""
EDGES = BoxValue._fields


def stream_images(
    project: Project,
    *,
    include_unmerged: bool = False,
    only: Collection[int] | None = None,
    own_fields: bool = False,
    answers: bool = False,
    chances: bool = False,
    first: int = 1,
) -> Iterator[DatasetImage]:
    """Yield the images in import order. Chains are numbered over the whole stream, by image, then name.

    Merged images have their merged boxes and chains. With `include_unmerged`, other images have what exists so far.
    `only`: ids of the images to yield; None: all. `own_fields`: behind the others, boxes of the import that have a
    category and no chain. `answers`: with who answered, if programs are among them. `chances`: with confidences, and
    with what is part of what. `first`: the number of the first chain.
    """
    number = first
    # Only these ways to ask leave confidences or parts; elsewhere the progress of each image would be read for nothing.
    ways = Q(values__strategy=LinkStrategy.ADAPTIVE.value) | Q(values__box_policy=BoxPolicyName.BELIEF.value)
    ways |= Q(values__part_answers=True)
    versions = SettingsVersion.objects.filter(ways, project=project).order_by()
    sure = set(versions.values_list("values__part_answers", flat=True)) if chances else set()
    shown = (*CHANCES, VOTES) if True in sure else CHANCES
    programs = programs_at_work(project) if answers else {}
    ids = ids_in_order(project, only, include_unmerged=include_unmerged)
    for start in range(0, len(ids), IMAGES_AT_ONCE):
        part = ids[start : start + IMAGES_AT_ONCE]
        known = _known_boxes(part) if own_fields else {}
        said = load_answers(part, programs) if programs else {}
        progress = dict(_rows(Progress, part, column_text("state"))) if sure else {}
        for rows in stored_images(part):
            image = rows.image.id
            rows.answers = said.get(image, ImageAnswers()) if programs else None
            rows.progress = from_text(progress[image], *shown) if image in progress else None
            loaded = rows.loaded(number)
            number += len(loaded.chains)
            yield replace(loaded, boxes=(*loaded.boxes, *known[image])) if image in known else loaded


def load_needed(
    project: Project,
    needs: Collection[Need],
    *,
    include_unmerged: bool,
    only: Collection[int] | None,
    first: int = 1,
) -> Iterator[DatasetImage]:
    """Yield the images with what a format needs. The other arguments are those of `stream_images`."""
    return stream_images(
        project,
        include_unmerged=include_unmerged,
        only=only,
        own_fields=Need.OWN_FIELDS in needs,
        answers=Need.ANSWERS in needs,
        chances=Need.CHANCES in needs,
        first=first,
    )


def ids_in_order(project: Project, only: Collection[int] | None, *, include_unmerged: bool) -> list[int]:
    """Return the ids of the images of an export in its order. `only`: ids of the images that it may have; None: all."""
    images = project.images.order_by("position")
    if not include_unmerged:
        images = images.filter(state=ImageState.MERGED.value)
    if only is not None and len(only) <= NAMED:
        images = images.filter(id__in=only)
    return [image for image in images.values_list("id", flat=True) if only is None or image in only]


def categories_of(project: Project) -> list[str]:
    """Return the categories of boxes of imports, in the order in which they came first: later ones are added behind."""
    rows = KnownBox.objects.filter(image__project=project, exported=True).values("category")
    return list(rows.annotate(first=Min("id")).order_by("first").values_list("category", flat=True))


def _known_boxes(ids: Sequence[int]) -> dict[int, list[DatasetBox]]:
    found: dict[int, list[DatasetBox]] = defaultdict(list)
    for object_ in KnownBox.objects.filter(image_id__in=ids, exported=True).order_by("image_id", "id"):
        found[object_.image_id].append(DatasetBox(object_.box, category=object_.category))
    return found


def load_rows(image: Image) -> ImageRows:
    """Return the rows of one image. Its `loaded(1)` and `names` are what `load_images` yields."""
    (rows,) = stored_images([image.id])
    return rows


def load_images(ids: Sequence[int]) -> Iterator[tuple[DatasetImage, dict[str, int]]]:
    """Yield images in their present state, in import order, in a fixed number of statements.

    Each has its chains numbered from 1, and the name of each number's chain.
    """
    for rows in stored_images(ids):
        loaded = rows.loaded(1)
        yield loaded, rows.names


def stored_images(ids: Sequence[int]) -> Iterator[ImageRows]:
    """Yield the rows of images, in import order, in a fixed number of statements."""
    found = Image.objects.filter(id__in=ids).order_by("position").values_list(*ImageRow._fields)
    rows = {one[0]: ImageRows(ImageRow(*one)) for one in found}
    for image, *caption, words, offsets, non_visual, chunked in _rows(
        Caption, ids, "id", "number", "text", *map(column_text, ("words", "offsets", "non_visual")), "chunked"
    ).order_by("image_id", "number"):
        read = read_new(words), read_new(offsets), read_json(non_visual)
        rows[image].captions.append(CaptionRow._make((*caption, *read, chunked)))
    for image, *mention, types, text, chain, caption in _rows(
        Mention, ids, "caption__number", "start", "end", "number", column_text("types"), "text", "chain", "caption_id"
    ).order_by():
        rows[image].mentions.append(MentionRow._make((*mention, tuple(read_json(types)), text, chain, caption)))
    for image, *chain in _rows(Chain, ids, *ChainRow._fields).order_by("image_id", "name"):
        rows[image].chains[chain[0]] = ChainRow(*chain)
    accepted = _rows(Box, ids, "number", "chain", *EDGES).filter(state=BoxState.ACCEPTED.value)
    for image, number, chain, *edges in accepted.order_by("image_id", "number"):
        rows[image].boxes.append(BoxRow(number, chain, BoxValue(*edges)))
    for image, members, *edges in _rows(MergedBox, ids, column_text("members"), *EDGES).order_by("image_id", "number"):
        rows[image].merged.append(MergedRow(BoxValue(*edges), read_json(members)))
    # Most projects never let drawers judge, and need not read the progress of every image.
    allowing = SettingsVersion.objects.filter(project__images__in=ids, values__drawer_judges_coverage=True)
    if allowing.exists():
        for number, state in Progress.objects.filter(image_id__in=ids).values_list("image_id", "state"):
            chains = from_json(state).chains.values()
            rows[number].drawer_judged = {chain.name for chain in chains if drawer_judged(chain)}
    for row in rows.values():
        row.mentions.sort()
        yield row


def _rows(table: Any, ids: Sequence[int], *columns: Any) -> QuerySet[Any, tuple[Any, ...]]:
    """Return the rows of these images: the image's id, then these columns."""
    rows: QuerySet[Any, tuple[Any, ...]] = table.objects.filter(image_id__in=ids).values_list("image_id", *columns)
    return rows


def category_ids(project: Project) -> dict[int, str]:
    """Return the categories by their ids: the eight types, then categories of imports, which never change theirs."""
    return dict(enumerate(dict.fromkeys([*map(str, NOUN_TYPES), *categories_of(project)]), start=1))
