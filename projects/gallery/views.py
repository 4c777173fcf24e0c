"""Pages that show projects and images."""

from typing import Any
from urllib.parse import urlencode

from django.contrib.auth.models import User
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from accounts.invitations import invitations_of
from accounts.may import Action, closed_sources, may, may_make_projects, projects_for
from annotation.models import Image, Project
from annotation.rules.states import ImageState
from exchange.registry import installed_formats
from pipeline.project.settings_versions import checked_of, is_checking, with_checked
from projects.gallery.access import needed_for, readers_only, visitors_only
from projects.gallery.archived_page import archived_page
from projects.gallery.image_page import image_page, open_questions
from projects.gallery.project_page import find_images, read_images, status, survey_status
from projects.gallery.start_page import card_to_see, cards_of, project_to_try

IMAGES_PER_PAGE = 24


@require_safe
@visitors_only
def first_page(request: HttpRequest) -> HttpResponse:
    """List the visitor's projects. A visitor with a single project sees that project at once, unless `all` is asked."""
    projects = projects_for(request.user, Action.LOOK)
    invited = invitations_of(request.user) if isinstance(request.user, User) else []
    if "all" not in request.GET and not invited and len(only := projects.order_by("name")[:2]) == 1:
        return _project(request, only[0])
    cards = cards_of(projects)
    context: dict[str, Any] = {"cards": cards, "is_empty": not Project.objects.exists(), "invited": invited}
    context |= {"may_make": may_make_projects(request.user)}
    if not request.user.is_authenticated:
        context |= {"to_try": project_to_try(cards), "to_see": card_to_see(cards)}
    return render(request, "projects/gallery/start.html", context)


@require_safe
@readers_only
def project(request: HttpRequest, name: str) -> HttpResponse:
    return _project(request, get_object_or_404(with_checked(Project.objects.all()), name=name))


def _project(request: HttpRequest, project: Project) -> HttpResponse:
    if project.away is not None:
        return archived_page(request, project)
    state = request.GET.get("state", "")
    words = request.GET.get("words", "").strip()
    ids = find_images(project, state=state if state in set(ImageState) else "", words=words)
    page = Paginator(ids, IMAGES_PER_PAGE).get_page(request.GET.get("page"))
    shown = read_images(list(page.object_list))
    context = {
        "project": project,
        "survey": survey_status(project) if project.survey else None,
        "status": None if project.survey else status(project),
        "page": page,
        "images": shown,
        "state": state,
        "words": words,
        "states": list(ImageState),
        "formats": []
        if project.survey
        else [format_ for format_ in installed_formats() if may(request.user, needed_for(format_), project)],
        "checked": may(request.user, Action.MANAGE, project) and is_checking(project),
        "may_review": may(request.user, Action.REVIEW, project),
        "closed": bool(project.survey and closed_sources(request.user, project)),
        "filters": f"&{urlencode({'state': state, 'words': words})}",
    }
    return render(request, "projects/gallery/project.html", context)


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
