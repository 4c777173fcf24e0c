"""Pages that show projects and images: the first page with a picture of each project, a project, an image."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.db.models import OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils.html import format_html
from django.views.decorators.http import require_safe

from accounts.may import Action, closed_sources, may, may_make_projects, may_see_picture, projects_for
from accounts.members import invitations_of
from accounts.this_machine import is_demo_here
from annotation.models import Image, Project
from annotation.pictures import SIZES, picture_response
from annotation.rules.states import ImageState, ProjectState
from exchange.load_project import ImageRow, stored_images
from exchange.registry import FORMATS, installed_formats
from pipeline.project.judgment_counts import JudgmentCounts
from pipeline.project.settings_versions import checked_of, current_settings, is_checking, with_checked
from projects.crew import crew_of
from projects.gallery.access import archived_page, needed_for, readers_only, visitors_only
from projects.gallery.image_page import WordRun, image_page, open_questions, pieces
from projects.gallery.project_page import find_images, in_short, read_images, status, survey_status
from projects.gallery.shown_boxes import ShownBox, final_boxes
from projects.long_table import ListColumn, LongTable, TableFilter, choice_field, search_field, show_table


@require_safe
@readers_only
def send_picture(request: HttpRequest, image_id: int, size: str) -> HttpResponseBase:
    rows = Image.objects.select_related("project").only("name", "picture", "project__survey")
    image = get_object_or_404(rows, id=image_id)
    if not image.picture or size not in SIZES or not may_see_picture(request.user, image):
        raise Http404("There is no such picture.")
    return picture_response(request, image.picture, size)


IMAGES_PER_PAGE = 24
EMPTY_OF_MANAGERS = 'There are no images yet. <a href="{}">Import some.</a>'
COLUMNS_OF_SURVEY: tuple[ListColumn[Image], ...] = (
    ListColumn("image", lambda row: row.name, "name", sort="name"),
    ListColumn("imported", lambda row: row.position, "order of import", sort="position"),
    ListColumn("width", lambda row: row.width),
    ListColumn("height", lambda row: row.height),
    ListColumn("source", lambda row: row.source),
)
COLUMNS: tuple[ListColumn[Image], ...] = (
    *COLUMNS_OF_SURVEY,
    ListColumn("state", lambda row: row.state, "state", sort="state"),
    ListColumn("chains", lambda row: vars(row)["chain_count"]),
    ListColumn("boxes", lambda row: vars(row)["box_count"]),
)


class WordFilter(TableFilter):
    """The field of a survey's pictures."""

    words = search_field("Words", "in names")


class ImageFilter(TableFilter):
    """The fields of a project's images."""

    words = search_field("Words", "in names and captions")
    state = choice_field("State", [(state.value, state.value) for state in ImageState])


@require_safe
@visitors_only
def first_page(request: HttpRequest) -> HttpResponseBase:
    """List the visitor's projects. A visitor with a single project sees that project at once, unless `all` is asked."""
    projects = projects_for(request.user, Action.LOOK)
    invited = invitations_of(request.user) if isinstance(request.user, User) else []
    if "all" not in request.GET and not invited and len(only := projects.order_by("name")[:2]) == 1:
        return _project(request, only[0])
    cards = cards_of(projects)
    context: dict[str, Any] = {"cards": cards, "is_empty": not Project.objects.exists(), "invited": invited}
    context |= {"may_make": may_make_projects(request.user)}
    if not request.user.is_authenticated:
        context |= {"to_try": project_to_try(cards), "to_see": card_to_see(cards), "demo": is_demo_here(request)}
    return render(request, "projects/gallery/start.html", context)


@require_safe
@readers_only
def project(request: HttpRequest, name: str) -> HttpResponseBase:
    return _project(request, get_object_or_404(with_checked(Project.objects.all()), name=name))


def _project(request: HttpRequest, project: Project) -> HttpResponseBase:
    if project.away is not None:
        return archived_page(request, project)
    filters = (WordFilter if project.survey else ImageFilter)(request.GET)
    is_manager = may(request.user, Action.MANAGE, project)
    empty = EMPTY_OF_MANAGERS if is_manager else "There are no images yet."
    table = LongTable(
        "images",
        "image",
        COLUMNS_OF_SURVEY if project.survey else COLUMNS,
        filters,
        "imported",
        format_html(empty, reverse("projects:items" if project.survey else "projects:data", args=[project.name])),
        fill=read_images,
        per_page=IMAGES_PER_PAGE,
    )
    by, is_down = table.order()
    ids = find_images(project, state=filters.value("state"), words=filters.value("words"), by=by.sort, is_down=is_down)
    _, project_settings = current_settings(project.pk)
    crew = crew_of(project, project_settings)
    context = {
        "survey": survey_status(project) if project.survey else None,
        "status": None if project.survey else status(project, project_settings, crew),
        "crew": crew,
        "state": filters.value("state"),
        "formats": []
        if project.survey
        else [FORMATS[name] for name in installed_formats() if may(request.user, needed_for(name), project)],
        "checked": is_manager and is_checking(project),
        "manages": is_manager,
        "may_review": may(request.user, Action.REVIEW, project),
        "closed": bool(project.survey and closed_sources(request.user, project)),
    }
    return show_table(request, project, table, ids, "projects/gallery/project.html", context)


@require_safe
@readers_only
def image(request: HttpRequest, name: str, image_id: int) -> HttpResponse:
    return show_image(request, read_image(name, image_id))


def read_image(name: str, image_id: int) -> Image:
    """Return the image with what its page reads of it."""
    rows = Image.objects.select_related("project", "progress").annotate(checks=checked_of("project_id"))
    image = get_object_or_404(rows, id=image_id, project__name=name)
    vars(image.project)["checks"] = vars(image)["checks"]  # as `with_checked` has it
    return image


def show_image(request: HttpRequest, row: Image, *, unsaid: int | None = None, status: int = 200) -> HttpResponse:
    """Show the page. `unsaid`: the chain that was to be sent to review without a reason."""
    context = {
        "page": image_page(row),
        "project": row.project,
        "open": open_questions(row),
        "may_review": may(request.user, Action.REVIEW, row.project),
        "unsaid": unsaid,
    }
    return render(request, "projects/gallery/image.html", context, status=status)


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
    """Return the project in which a guest may answer at once: rather one without a test, and with many open images.

    None: guests may not.
    """
    if not settings.TRY_AS_WORKER:
        return None

    def welcomes(card: ProjectCard) -> tuple[bool, int]:
        open_images = sum(number for state, number in card.images if state is not ImageState.MERGED)
        return current_settings(card.project.pk)[1].guests_trusted, open_images

    running = [card for card in cards if card.project.state == ProjectState.RUNNING.value]
    return max(running, key=welcomes).project if running else None


def card_to_see(cards: Sequence[ProjectCard]) -> ProjectCard | None:
    """Return the project whose image has most boxes; None: no image has any."""
    boxed = [(len(card.sample.boxes), card) for card in cards if card.sample is not None and card.sample.boxes]
    return max(boxed, key=lambda pair: pair[0])[1] if boxed else None
