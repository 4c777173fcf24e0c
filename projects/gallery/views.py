"""Pages that show projects and images: the first page with a picture of each project, a project, an image."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.db.models import Count, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils.html import format_html
from django.views.decorators.http import require_safe

from accounts.may import Action, closed_sources, may, may_make_projects, may_see_picture, projects_for
from accounts.members import invitations_of
from accounts.this_machine import is_demo_here
from annotation.models import Caption, Chain, Image, MergedBox, Project
from annotation.pictures import SIZES, picture_response
from annotation.rules.states import ChainState, ImageState, ProjectState
from annotation.word_search import Reads
from exchange.load_project import ImageRow, stored_images
from exchange.registry import FORMATS, installed_formats
from pipeline.policies.workers_needed import workers_needed
from pipeline.project.open_questions import open_by_task
from pipeline.project.queries import JudgmentCounts, judgment_counts, tasks_of
from pipeline.project.settings_versions import checked_of, current_settings, is_checking, with_checked
from pipeline.protocol.tasks.task import QuestionState, Task
from pipeline.record.starve_questions import starved_questions
from pipeline.settings.settings import Settings
from projects.crew import ProjectCrew, crew_of
from projects.gallery.access import archived_page, needed_for, readers_only, visitors_only
from projects.gallery.image_page import ShownBox, WordRun, colour_class, final_boxes, image_page, open_questions, pieces
from projects.long_table import ListColumn, LongTable, TableFilter, choice_field, search_field, show_table
from runtime.database import cached_read
from workers.models import Access


@dataclass(slots=True)
class TaskRow:
    task: Task
    open: int
    answered: int
    judgments: int
    workers: int
    needed: int
    starved: int


@dataclass(slots=True)
class Status:
    images: list[tuple[ImageState, int]]
    chains: list[tuple[ChainState, int]]
    tasks: list[TaskRow]
    judgments: JudgmentCounts
    strategy: str

    @property
    def merged(self) -> int:
        return dict(self.images)[ImageState.MERGED]

    @property
    def unfinished(self) -> int:
        return sum(count for _, count in self.images) - self.merged

    @property
    def in_review(self) -> int:
        return dict(self.chains).get(ChainState.REVIEW, 0)

    @property
    def starved(self) -> int:
        return sum(row.starved for row in self.tasks)


def status(project: Project, settings: Settings, crew: ProjectCrew) -> Status:
    images = _counts(project.images.all(), "state")
    chains = cached_read(f"chains:{project.pk}", lambda: _counts(Chain.objects.filter(image__project=project), "state"))
    waiting = open_by_task(project.id)
    answered = _counts(project.questions.filter(state=QuestionState.ANSWERED.value), "task")
    judgments = judgment_counts([project.pk])[project.pk]
    starved = cached_read(
        f"starved:{project.pk}", lambda: Counter(question.task for question in starved_questions(project.pk))
    )
    workers, needed = crew.workers, workers_needed(settings)
    rows = [
        TaskRow(task, waiting[task], answered[task], judgments.tasks[task], workers[task], needed[task], starved[task])
        for task in tasks_of(project)
    ]
    return Status(
        images=[(state, images[state]) for state in ImageState],
        chains=[(state, chains[state]) for state in ChainState if chains[state]],
        tasks=rows,
        judgments=judgments,
        strategy=settings.strategy.value,
    )


def in_short(projects: Sequence[Project]) -> list[tuple[Project, list[tuple[ImageState, int]], JudgmentCounts]]:
    """Return each project with its images by state and its judgments, in two statements."""
    images: dict[int, Counter[str]] = defaultdict(Counter)
    rows = Image.objects.filter(project__in=projects).order_by().values_list("project", "state")
    for project, state, number in rows.annotate(Count("pk")):
        images[project][state] = number
    judgments = judgment_counts([project.pk for project in projects])
    return [
        (project, [(state, images[project.pk][state]) for state in ImageState], judgments[project.pk])
        for project in projects
    ]


def _counts(rows: QuerySet[Any], column: str) -> Counter[Any]:
    counted = rows.order_by().values(column).annotate(number=Count("pk"))
    return Counter({row[column]: row["number"] for row in counted})


def find_images(project: Project, *, state: str, words: str, by: str, is_down: bool) -> list[int]:
    """Return the ids of the images, sorted by a field. `words`: text to find in names and captions.

    All of them at once: a search would read every caption a second time to count what it finds.
    """
    images = project.images.order_by(f"{'-' if is_down else ''}{by}", "position")
    if state:
        images = images.filter(state=state)
    if words:
        # Not over a join: the captions are read once, and no image twice.
        said = Caption.objects.filter(Reads("text", words), image__project=project).values("image")
        images = images.filter(Q(Reads("name", words)) | Q(pk__in=said))
    return list(images.values_list("pk", flat=True))


def read_images(ids: Sequence[int]) -> list[Image]:
    """Return these images, in this order, with the number of their final chains, and their final boxes."""
    found = Image.objects.in_bulk(ids)
    chains = _counts(Chain.objects.filter(image_id__in=ids, merged_into=None), "image_id")
    boxes: defaultdict[int, list[ShownBox]] = defaultdict(list)
    for merged in MergedBox.objects.filter(image_id__in=ids):
        x0, y0, x1, y1 = merged.box
        boxes[merged.image_id].append(ShownBox(x0, y0, x1 - x0, y1 - y0, [], colour_class(merged.number + 1)))
    for image in found.values():
        of_image = boxes[image.id]
        vars(image).update(chain_count=chains[image.id], box_count=len(of_image), shown_boxes=of_image)
    return [found[image] for image in ids if image in found]


@dataclass(frozen=True, slots=True)
class SurveyStatus:
    task: Task
    open: int
    """Questions that still need a vote, or whose vote is not counted yet."""
    decided: int
    judgments: int
    workers: int
    """Workers who may answer."""
    votes: int
    """Votes that a question needs."""


def survey_status(project: Project) -> SurveyStatus:
    task = Task(project.survey)
    rows = project.questions.order_by().values_list("state").annotate(Count("pk"))
    by_state: dict[str, int] = dict(rows)
    decided = by_state.pop(QuestionState.CLOSED.value, 0)
    return SurveyStatus(
        task=task,
        open=sum(by_state.values()),
        decided=decided,
        judgments=judgment_counts([project.pk])[project.pk].tasks[task],
        workers=Access.objects.filter(project=project, task=task.value).count(),
        votes=current_settings(project.pk)[1].survey_votes,
    )


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
