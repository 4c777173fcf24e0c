"""Pages that show projects and images, and take the actions of experts."""

from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_POST, require_safe

from annotation.models import Image, Project
from annotation.rules.states import ImageState
from exchange.export_dataset import FORMATS
from gallery.access import experts_only, is_staff, readers_only
from gallery.expert_forms import FORMS, ExpertChoices, ExpertForm
from gallery.image_page import image_page, open_questions
from gallery.project_page import add_counts, chains_in_review, find_images, status
from pipeline.errors import StateMovedError
from pipeline.record.intervene import act_as_expert
from pipeline.rules.image.expert import ExpertError

IMAGES_PER_PAGE = 24


@require_safe
@readers_only
def start(request: HttpRequest) -> HttpResponse:
    """List the projects. A service with a single project shows that project at once."""
    projects = list(Project.objects.order_by("name"))
    if len(projects) == 1:
        return _project(request, projects[0])
    return render(request, "gallery/start.html", {"projects": [(one, status(one)) for one in projects]})


@require_safe
@readers_only
def project(request: HttpRequest, name: str) -> HttpResponse:
    return _project(request, get_object_or_404(Project, name=name))


def _project(request: HttpRequest, project: Project) -> HttpResponse:
    state = request.GET.get("state", "")
    words = request.GET.get("words", "").strip()
    images = find_images(project, state=state if state in set(ImageState) else "", words=words)
    page = Paginator(images, IMAGES_PER_PAGE).get_page(request.GET.get("page"))
    page.object_list = shown = list(page.object_list)
    add_counts(shown)
    context = {
        "project": project,
        "status": status(project),
        "page": page,
        "state": state,
        "words": words,
        "states": list(ImageState),
        "formats": FORMATS,
        "filters": f"&{urlencode({'state': state, 'words': words})}",
    }
    return render(request, "gallery/project.html", context)


@require_safe
@readers_only
def image(request: HttpRequest, name: str, image_id: int) -> HttpResponse:
    return _image(request, name, image_id)


def _image(request: HttpRequest, name: str, image_id: int, bound: ExpertForm | None = None) -> HttpResponse:
    row = get_object_or_404(Image.objects.select_related("project"), id=image_id, project__name=name)
    context: dict[str, Any] = {"page": image_page(row), "project": row.project, "open": open_questions(row)}
    if is_staff(request):
        choices = ExpertChoices(row)
        context["forms"] = [bound if bound and bound.name == name else form(choices) for name, form in FORMS.items()]
        context["bound"] = bound
    return render(request, "gallery/image.html", context, status=400 if bound else 200)


@require_POST
@experts_only
def expert(request: HttpRequest, name: str, image_id: int) -> HttpResponse:
    """Take one action of an expert. A refused action comes back in its form, with the reason."""
    row = get_object_or_404(Image, id=image_id, project__name=name)
    action = request.POST.get("action", "")
    if action not in FORMS:
        raise Http404(f"There is no action {action!r}.")
    form = FORMS[action](ExpertChoices(row), request.POST)
    if form.is_valid():
        try:
            act_as_expert(
                image_id=row.id,
                action=form.action(),
                actor=request.user.get_username(),
                reason=form.cleaned_data["reason"],
            )
        except (ExpertError, StateMovedError) as error:
            form.add_error(None, str(error))
        else:
            messages.success(request, f"Done: {form.title.lower()}.")
            return redirect("gallery:image", name=name, image_id=row.id)
    return _image(request, name, image_id, form)


@require_safe
@readers_only
def review(request: HttpRequest, name: str) -> HttpResponse:
    row = get_object_or_404(Project, name=name)
    page = Paginator(chains_in_review(row), 100).get_page(request.GET.get("page"))
    return render(request, "gallery/review.html", {"project": row, "page": page})
