"""A sample of a project's images with their captions, phrases and types, for the page that previews them."""

from collections.abc import Iterator
from typing import Any

from django.urls import reverse

from annotation.models import Caption, Image, Mention, Project
from annotation.rules.deciding_word import deciding_place
from annotation.rules.mention_type import MentionType
from campaign.data.phrase_types import PhraseTypes

IMAGES = 12
COLOUR = {kind.value: number for number, kind in enumerate(MentionType)}
"""The number of each type's colour."""


def sample(project: Project, *, page: int = 0) -> dict[str, Any]:
    """Return a dozen images, spread over the project, as the present word lists would have their phrases.

    `page` turns to the next dozen. `differing`: phrases of the sample that differ from what their images have.
    """
    types = PhraseTypes(project)
    images = list(_chosen(project, page))
    shown = [_image(image, types) for image in images]
    changes = [types.change_of(list(image.captions.all()), list(image.mentions.all())) for image in images]
    return {
        "images": shown,
        "differing": sum(len(one.retyped) + len(one.hidden) + len(one.shown) for one in changes),
        "page": page,
    }


def _chosen(project: Project, page: int) -> Iterator[Image]:
    """Yield every n-th image; each page begins one further on."""
    ids = list(project.images.order_by("position").values_list("pk", flat=True))
    stride = max(1, len(ids) // IMAGES)
    chosen = ids[page % stride :: stride][:IMAGES]
    rows = Image.objects.filter(pk__in=chosen).select_related("project").order_by("position")
    yield from rows.prefetch_related("captions", "mentions")


def _image(image: Image, types: PhraseTypes) -> dict[str, Any]:
    mentions = list(image.mentions.all())
    return {
        "name": image.name,
        "url": reverse("gallery:image", args=[image.project.name, image.pk]),
        "picture": reverse("gallery:picture", args=[image.pk, "thumbnail"]) if image.picture else "",
        "width": image.width,
        "height": image.height,
        "captions": [
            {
                "parts": list(_parts(caption, [one for one in mentions if one.caption_id == caption.pk], types)),
                "waits": not caption.chunked,
            }
            for caption in image.captions.all()
        ],
    }


def _parts(caption: Caption, mentions: list[Mention], types: PhraseTypes) -> Iterator[dict[str, Any]]:
    """Yield the caption in parts: text between phrases, and phrases with their types and the word that decides."""
    spans: list[tuple[int, int, Mention | None]] = [(one.start, one.end, one) for one in mentions]
    spans += [(start, end, None) for start, end in caption.non_visual]
    at = 0
    for start, end, mention in sorted(spans, key=lambda span: span[0]):
        begins, ends = caption.offsets[start], caption.offsets[end - 1] + len(caption.words[end - 1])
        if begins > at:
            yield {"text": caption.text[at:begins]}
        yield _phrase(caption, start, end, mention, types)
        at = ends
    if at < len(caption.text):
        yield {"text": caption.text[at:]}


def _phrase(caption: Caption, start: int, end: int, mention: Mention | None, types: PhraseTypes) -> dict[str, Any]:
    words = caption.words[start:end]
    fixed = mention is not None and not types.are_from_lists(words, mention.types)
    kinds = mention.types if fixed and mention else types.types(words) if types.is_phrase(words) else []
    place = None if fixed else deciding_place(words, types.now)
    begins, ends = caption.offsets[start], caption.offsets[end - 1] + len(caption.words[end - 1])
    head = [0, 0]
    if place is not None:
        first = caption.offsets[start + place] - begins
        head = [first, first + len(words[place])]
    return {
        "text": caption.text[begins:ends],
        "words": words,
        "types": kinds,
        "colour": COLOUR[kinds[0]] if kinds else None,
        "head": head,
    }
