"""Admin pages of what is annotated, with what was asked about it: the story goes on where `annotation` ends it."""

from typing import Any

from django.contrib import admin
from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from annotation.models import Chain, Image, Project
from annotation.rules.states import BoxState
from backoffice.data.annotation_admin import ChainAdmin, ImageAdmin, Part, ProjectAdmin, anchor, of_chain, of_image
from backoffice.stock.shown import gallery_url
from backoffice.stock.stock import stock_in_short
from pipeline.models import Assignment, Entry, Judgment, Progress, Question, SettingsVersion, Transition
from pipeline.rules.tasks.task import QuestionState

PICTURE_WIDTH = 480
COLORS = {BoxState.ACCEPTED.value: "#15803d", BoxState.PENDING.value: "#d97706", BoxState.DISCARDED.value: "#b91c1c"}


def of_project(row: Project) -> dict[str, Any]:
    return {"project__id__exact": row.pk}


def questions_in(state: str) -> Part:
    return Part(Question, lambda row: {**of_project(row), "state__exact": state}, f"questions {state}")


class ProjectStoryAdmin(ProjectAdmin):
    fields = (*ProjectAdmin.fields, "settings", "stock")
    readonly_fields = (*ProjectAdmin.readonly_fields, "settings", "stock")
    parts = (
        *ProjectAdmin.parts,
        *(questions_in(state.value) for state in QuestionState),
        Part(Assignment, of_project),
        Part(SettingsVersion, of_project),
    )

    @admin.display(description="settings")
    def settings(self, row: Project) -> SafeString:
        url = reverse("admin:pipeline_settingsversion_add")
        return anchor(f"{url}?project={row.pk}", "change the settings")

    @admin.display(description="verification questions")
    def stock(self, row: Project) -> SafeString:
        return stock_in_short(row)


class ImageStoryAdmin(ImageAdmin):
    fields = (*ImageAdmin.fields[:4], "boxes", *ImageAdmin.fields[4:])
    readonly_fields = (*ImageAdmin.readonly_fields, "boxes")
    parts = (
        *ImageAdmin.parts,
        Part(Question, of_image),
        Part(Judgment, lambda row: {"question__image__id__exact": row.pk}),
        Part(Entry, of_image, "entries of its record"),
        Part(Transition, of_image),
        Part(Progress, of_image),
    )

    @admin.display(description="boxes")
    def boxes(self, row: Image) -> SafeString:
        return format_html("{}<br>{}", drawing(row), below(row))


class ChainStoryAdmin(ChainAdmin):
    parts = (
        *ChainAdmin.parts,
        Part(Question, of_chain),
        Part(Judgment, lambda row: {"question__image__id__exact": row.image_id, "question__chain__exact": row.name}),
        Part(
            Transition,
            lambda row: {"image__id__exact": row.image_id, "machine": "chain", "subject__exact": str(row.name)},
        ),
    )


RECTANGLE = (
    '<rect x="{}" y="{}" width="{}" height="{}" fill="none" stroke="{}" stroke-width="2" '
    'vector-effect="non-scaling-stroke"><title>box {}, chain {}, {}</title></rect>'
)


def drawing(image: Image) -> SafeString:
    """The image, small, with its boxes in the colour of their state."""
    pixels = gallery_url("picture", image.pk, "thumbnail") if image.picture else ""
    picture = format_html('<image href="{}" width="{}" height="{}"/>', pixels, image.width, image.height)
    boxes = (
        (b.x0, b.y0, b.x1 - b.x0, b.y1 - b.y0, COLORS[b.state], b.number, b.chain, b.state) for b in image.boxes.all()
    )
    return format_html(
        '<svg viewBox="0 0 {} {}" role="img" aria-label="boxes" style="{}">{}{}</svg>',
        image.width,
        image.height,
        f"background: #e5e7eb; width: {PICTURE_WIDTH}px; max-width: 100%; max-height: {PICTURE_WIDTH}px",
        picture if pixels else "",
        format_html_join("", RECTANGLE, boxes),
    )


def below(image: Image) -> SafeString:
    """What the colours mean, and the way to the image's page in the gallery."""
    legend = format_html_join(", ", '<span style="color: {}">{}</span>', ((c, state) for state, c in COLORS.items()))
    page = gallery_url("image", image.project.name, image.pk)
    return format_html("{} &middot; {}", legend, anchor(page, "in the gallery")) if page else legend


for model, page in {Project: ProjectStoryAdmin, Image: ImageStoryAdmin, Chain: ChainStoryAdmin}.items():
    admin.site.unregister(model)
    admin.site.register(model, page)
