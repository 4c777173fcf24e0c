"""Small pictures of images with boxes, and captions with the phrases marked, for admin pages."""

from collections.abc import Iterable
from typing import Any, NamedTuple

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from annotation.models import Caption, Image
from annotation.rules.states import BoxState
from backoffice.columns import anchor, gallery_url

SHOWN_COLOR, NEW_BOX_COLOR, MISSING_BOX_COLOR = "#2563eb", "#d97706", "#15803d"
STATE_COLOURS = {
    BoxState.ACCEPTED.value: "#15803d",
    BoxState.PENDING.value: "#d97706",
    BoxState.DISCARDED.value: "#b91c1c",
}
STYLE = "display: block; margin-bottom: 0.5rem; background: #e5e7eb; width: min(30rem, 75vw); max-height: 30rem"
RECTANGLE = (
    '<rect x="{}" y="{}" width="{}" height="{}" fill="none" stroke="{}" stroke-width="2" '
    'vector-effect="non-scaling-stroke"><title>{}</title></rect>'
)


class Rectangle(NamedTuple):
    """A box to draw: its edges in pixels, its colour, and what the pointer shows over it."""

    x0: int
    y0: int
    x1: int
    y1: int
    colour: str
    title: str


def drawing(image: Image, rectangles: Iterable[Rectangle]) -> SafeString:
    """Return the image, small, with the rectangles over it."""
    pixels = gallery_url("picture", image.pk, "thumbnail") if image.picture else ""
    picture = format_html('<image href="{}" width="{}" height="{}"/>', pixels, image.width, image.height)
    shapes = ((r.x0, r.y0, r.x1 - r.x0, r.y1 - r.y0, r.colour, r.title) for r in rectangles)
    return format_html(
        '<svg viewBox="0 0 {} {}" role="img" aria-label="boxes" style="{}">{}{}</svg>',
        image.width,
        image.height,
        STYLE,
        picture if pixels else "",
        format_html_join("", RECTANGLE, shapes),
    )


def image_drawing(image: Image) -> SafeString:
    """Return the image with its boxes in the colours of their states, a legend, and a link to the gallery."""
    boxes = image.boxes.all()
    rectangles = (
        Rectangle(b.x0, b.y0, b.x1, b.y1, STATE_COLOURS[b.state], f"box {b.number}, chain {b.chain}, {b.state}")
        for b in boxes
    )
    names = ((colour, state) for state, colour in STATE_COLOURS.items())
    legend = format_html_join(", ", '<span style="color: {}">{}</span>', names)
    page = gallery_url("image", image.project.name, image.pk)
    if page:
        legend = format_html("{} &middot; {}", legend, anchor(page, "in the gallery"))
    return format_html("{}{}", drawing(image, rectangles), legend)


def question_drawing(image: Image, shown: dict[str, Any], truth: Any = None) -> SafeString:
    """Return the image with the boxes that a question shows, the box to judge, and, if `truth` is a list of boxes,
    the missing boxes.
    """
    groups = [
        (SHOWN_COLOR, "shown", shown["boxes"]),
        (NEW_BOX_COLOR, "to judge", [shown["new_box"]] if shown["new_box"] else []),
    ]
    groups.append((MISSING_BOX_COLOR, "missing", truth if isinstance(truth, list) else []))
    rectangles = (
        Rectangle(x0, y0, x1, y1, colour, title) for colour, title, boxes in groups for x0, y0, x1, y1 in boxes
    )
    counts = ((colour, f"{len(boxes)} {title}") for colour, title, boxes in groups if boxes)
    legend = format_html_join(" ", '<span style="color: {}">&#9632;</span> {}', counts)
    return format_html("{}<div>{}</div>", drawing(image, rectangles), legend)


def phrases_of(image_id: int, shown: dict[str, Any]) -> SafeString:
    """Return the captions with the marked phrases in bold, one a line; of a survey, its caption or its atom."""
    if "survey" in shown:
        asked = shown["survey"]
        return format_html("{}", asked["caption"] if "caption" in asked else f"{asked['atom']} ({asked['category']})")
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
