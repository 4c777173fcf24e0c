"""Phrases for a project's captions that were imported without: their images can be linked afterwards."""

from collections.abc import Callable

from django.db import transaction

from annotation.models import Image, Project
from annotation.rules.dictionaries import Dictionaries
from exchange.checks import describe_excess, words_of
from exchange.chunk_captions import Chunker, chunk_image, make_chunker, why_no_chunker
from exchange.dataset import DatasetImage, DatasetMention
from exchange.load_project import loaded_caption
from pipeline.project.settings_versions import current_settings
from pipeline.record.intervene import act_as_expert


class NoChunkerError(Exception):
    """Phrases in these captions are not found."""

    def __init__(self, language: str) -> None:
        super().__init__(f"{why_no_chunker(language)}: mark the phrases in the source.")


def waiting_images(project: Project) -> list[int]:
    """Return the ids of images with a caption without phrases, in import order."""
    images = project.images.filter(captions__chunked=False).order_by("position").distinct()
    return list(images.values_list("id", flat=True))


def chunk_project(project: Project, *, actor: str, step: Callable[[], object] = lambda: None) -> int:
    """Chunk every waiting image by itself, and return the number of images chunked.

    Images with too many phrases (annotation/bounds.py) keep waiting. Raises NoChunkerError without the optional extra.
    """
    done = 0
    waiting = waiting_images(project)
    settings = current_settings(project.id)[1]
    dictionaries = settings.edited_dictionaries()
    chunker = make_chunker(dictionaries, settings.caption_language) if waiting else None
    if waiting and chunker is None:
        raise NoChunkerError(settings.caption_language)
    for image in Image.objects.filter(id__in=waiting).order_by("position").prefetch_related("captions"):
        assert chunker is not None  # made above if any image waits
        done += _chunk(image, chunker, dictionaries, actor)
        step()
    return done


def _chunk(image: Image, chunker: Chunker, dictionaries: Dictionaries, actor: str) -> bool:
    """Chunk an image unless that gives too many phrases. The parser runs before the transaction begins."""
    rows = list(image.captions.all())
    bare = DatasetImage(
        name=image.name,
        width=image.width,
        height=image.height,
        captions=tuple(loaded_caption(row) for row in rows),
        mentions=tuple(_marked(image)),
    )
    chunked = chunk_image(bare, chunker, dictionaries)
    if describe_excess(chunked):
        return False
    there = {(mention.caption, mention.start) for mention in bare.mentions}
    new = [mention for mention in chunked.mentions if (mention.caption, mention.start) not in there]
    first = len(there)
    add = [[first + n, m.caption, m.start, m.end, list(m.types), words_of(chunked, m)] for n, m in enumerate(new)]
    with transaction.atomic():
        for row, caption in zip(rows, chunked.captions, strict=True):
            row.non_visual, row.chunked = [list(span) for span in caption.non_visual], True
            row.save(update_fields=["non_visual", "chunked"])
        act_as_expert(image_id=image.id, action={"action": "chunk", "add": add}, actor=actor, reason="phrases found")
    return True


def _marked(image: Image) -> list[DatasetMention]:
    """Return the mentions of captions whose phrases were marked in the source."""
    rows = image.mentions.select_related("caption").order_by("caption__number", "start")
    return [DatasetMention(row.caption.number, row.start, row.end, tuple(row.types)) for row in rows]
