"""The page that shows a sample of the phrases in the colours of their types, where words can be given other types."""

from collections.abc import Iterator
from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.urls import reverse

from annotation.models import Caption, Image, Mention, Project
from annotation.rules.deciding_word import deciding_place
from annotation.rules.mention_type import NOUN_TYPES, MentionType
from annotation.rules.states import ProjectState
from exchange.checks import parse_json
from exchange.chunk_captions import why_no_chunker
from exchange.chunk_project import waiting_images
from exchange.problems import Defect
from pipeline.project.settings_versions import current_settings
from projects.access import managers_only
from projects.data.mend_word import NO_PHRASE, MendError, mend_word
from projects.data.operations import apply_types
from projects.data.phrase_types import PhraseTypes
from projects.operation_page import do_by_page
from projects.runs import row_of

IMAGES = 12
COLOUR = {kind.value: number for number, kind in enumerate(MentionType)}
"""The number of each type's colour."""


@managers_only("GET", surveys=False)
def preview(request: HttpRequest, project: Project) -> HttpResponse:
    settings = current_settings(project.pk)[1]
    newest = project.runs.filter(operation=apply_types.name).first()
    context = {
        "project": project,
        "types": [(kind.value, COLOUR[kind.value]) for kind in NOUN_TYPES],
        "pronoun": COLOUR[MentionType.PRONOUN.value] if settings.pronouns else None,
        "no_phrase": NO_PHRASE,
        "is_draft": project.state == ProjectState.DRAFT.value,
        "images": project.images.count(),
        "waiting": len(waiting_images(project)),
        "no_chunker": why_no_chunker(settings.caption_language),
        "newest": row_of(newest) if newest else None,
    }
    return render(request, "projects/data/preview.html", context)


@managers_only("GET", surveys=False)
def sample_of(request: HttpRequest, project: Project) -> HttpResponse:
    """Return the sample as JSON, another dozen for each `page`."""
    page = request.GET.get("page", "0")
    return JsonResponse(sample(project, page=int(page) if page.isdecimal() and len(page) < 8 else 0))


@managers_only("POST", surveys=False)
def types(request: HttpRequest, project: Project) -> HttpResponse:
    """Give a phrase's word another type, as {"words", "type", "page"}; or, as a form, apply the lists to all images."""
    if request.content_type != "application/json":
        do_by_page(apply_types, request, project)
        return redirect("projects:preview", name=project.name)
    try:
        asked = parse_json(request.body)
        words, choice, page = list(asked["words"]), str(asked["type"]), int(asked.get("page", 0))
    except (Defect, ValueError, TypeError, KeyError):
        return JsonResponse({"error": "Send words, a list, and type."}, status=400)
    if project.state != ProjectState.DRAFT.value:
        return JsonResponse({"error": "Only a draft's word lists are changed here."}, status=409)
    try:
        said = mend_word(project, words, choice, request.user if request.user.is_authenticated else None)
    except MendError as error:
        return JsonResponse({"error": str(error)}, status=400)
    return JsonResponse({"said": said, **sample(project, page=max(page, 0))})


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
        "differing": sum(len(change.retyped) + len(change.hidden) + len(change.shown) for change in changes),
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
                "parts": list(
                    _parts(caption, [mention for mention in mentions if mention.caption_id == caption.pk], types)
                ),
                "waits": not caption.chunked,
            }
            for caption in image.captions.all()
        ],
    }


def _parts(caption: Caption, mentions: list[Mention], types: PhraseTypes) -> Iterator[dict[str, Any]]:
    """Yield the caption in parts: text between phrases, and phrases with their types and the word that decides."""
    spans: list[tuple[int, int, Mention | None]] = [(mention.start, mention.end, mention) for mention in mentions]
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
