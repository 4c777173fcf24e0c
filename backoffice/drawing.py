"""What a worker is shown of a question, for admin pages: the phrases in their captions, and the boxes."""

from typing import Any

from django.urls import NoReverseMatch, reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from annotation.models import Caption, Image

STYLE = "display: block; margin-bottom: 0.5rem; background: #e5e7eb; width: 30rem; max-width: 100%; max-height: 30rem"
SHOWN, NEW, MISSING = "#2563eb", "#d97706", "#15803d"
RECTANGLE = (
    '<rect x="{}" y="{}" width="{}" height="{}" fill="none" stroke="{}" stroke-width="2" '
    'vector-effect="non-scaling-stroke"><title>{}</title></rect>'
)


def phrases_of(image_id: int, shown: dict[str, Any]) -> SafeString:
    """The captions with the marked phrases in bold, one a line."""
    marked: dict[int, list[tuple[int, int]]] = {}
    for _, caption, start, end in shown["mentions"]:
        marked.setdefault(caption, []).append((start, end))
    captions = Caption.objects.filter(image=image_id, number__in=marked).order_by("number")
    lines = ((_marked(caption.words, sorted(marked[caption.number])),) for caption in captions)
    return format_html_join(SafeString("<br>"), "{}", lines)


def _marked(words: list[str], spans: list[tuple[int, int]]) -> SafeString:
    parts, place = [], 0
    for start, end in spans:
        parts += [(" ".join(words[place:start]), " ".join(words[start:end]))]
        place = end
    before = format_html_join(" ", "{} <strong>{}</strong>", parts)
    return format_html("{} {}", before, " ".join(words[place:]))


def picture_of(image: Image, shown: dict[str, Any], truth: Any = None) -> SafeString:
    """The image, small, with the boxes shown, the one to judge, and, if `truth` is a list of boxes, those missing."""
    pixels = gallery_url("picture", image.pk, "thumbnail") if image.picture else ""
    picture = format_html('<image href="{}" width="{}" height="{}"/>', pixels, image.width, image.height)
    groups = [(SHOWN, "shown", shown["boxes"]), (NEW, "to judge", [shown["new_box"]] if shown["new_box"] else [])]
    groups.append((MISSING, "missing", truth if isinstance(truth, list) else []))
    boxes = ((x0, y0, x1 - x0, y1 - y0, colour, what) for colour, what, some in groups for x0, y0, x1, y1 in some)
    words = ((colour, f"{len(some)} {what}") for colour, what, some in groups if some)
    return format_html(
        '<svg viewBox="0 0 {} {}" role="img" aria-label="boxes" style="{}">{}{}</svg><div>{}</div>',
        image.width,
        image.height,
        STYLE,
        picture if pixels else "",
        format_html_join("", RECTANGLE, boxes),
        format_html_join(" ", '<span style="color: {}">&#9632;</span> {}', words),
    )


def gallery_url(name: str, *args: Any) -> str:
    """An address of the gallery, known by name alone; empty where the service runs without it."""
    try:
        return reverse(f"gallery:{name}", args=args)
    except NoReverseMatch:
        return ""
