"""The first page: what the service is for, where a visitor begins, and each project with an image of its own."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.conf import settings
from django.db.models import OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce

from annotation.models import Image, Project
from annotation.rules.states import ImageState, ProjectState
from exchange.load_project import ImageRow, stored_images
from pipeline.project.judgment_counts import JudgmentCounts
from pipeline.project.settings_versions import current_settings
from projects.gallery.image_page import WordRun, pieces
from projects.gallery.project_page import in_short
from projects.gallery.shown_boxes import ShownBox, final_boxes

MOST_PICTURES = 24
"""Projects after these are shown without an image."""


@dataclass(slots=True)
class ProjectSample:
    """An image of a project with its boxes, and the caption that has most phrases with boxes."""

    image: ImageRow
    boxes: list[ShownBox]
    caption: list[WordRun]


@dataclass(slots=True)
class ProjectCard:
    project: Project
    images: list[tuple[ImageState, int]]
    judgments: JudgmentCounts
    sample: ProjectSample | None


def cards_of(projects: QuerySet[Project]) -> list[ProjectCard]:
    """Return the projects by name, each with a finished image if it has one. In a fixed number of statements."""
    pictures = Image.objects.filter(project=OuterRef("pk")).exclude(picture="").order_by("position").values("pk")
    finished = pictures.filter(state=ImageState.MERGED.value)
    chosen = Coalesce(Subquery(finished[:1]), Subquery(pictures[:1]))
    rows = list(projects.annotate(sample=chosen).order_by("name"))
    samples = _samples([row.sample for row in rows if row.sample is not None][:MOST_PICTURES])
    return [
        ProjectCard(project, images, judgments, samples.get(row.sample))
        for row, (project, images, judgments) in zip(rows, in_short(rows), strict=True)
    ]


def _samples(ids: Sequence[int]) -> dict[int, ProjectSample]:
    samples = {}
    for rows in stored_images(ids):
        image = rows.loaded(1)
        boxes = list(final_boxes(image))
        boxed = {chain for box in boxes for chain in box.chains}
        captions = [list(pieces(image, number, 0, {})) for number in range(len(image.captions))]
        caption = max(captions, key=lambda words: sum(piece.chain in boxed for piece in words), default=[])
        samples[rows.image.id] = ProjectSample(rows.image, boxes, caption)
    return samples


def project_to_try(cards: Sequence[ProjectCard]) -> Project | None:
    """Return the project in which a guest may answer at once; rather one without a test. None: guests may not."""
    if not settings.TRY_AS_WORKER:
        return None
    running = [card.project for card in cards if card.project.state == ProjectState.RUNNING.value]
    return min(running, key=lambda project: not current_settings(project.pk)[1].guests_trusted, default=None)


def card_to_see(cards: Sequence[ProjectCard]) -> ProjectCard | None:
    """Return the project whose image has most boxes; None: no image has any."""
    boxed = [(len(card.sample.boxes), card) for card in cards if card.sample is not None and card.sample.boxes]
    return max(boxed, key=lambda pair: pair[0])[1] if boxed else None
