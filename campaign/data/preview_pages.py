"""The page that shows a sample of the phrases in the colours of their types, where words can be given other types."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST, require_safe

from annotation.models import Project
from annotation.rules.mention_type import MentionType
from annotation.rules.states import ProjectState
from campaign.access import managers_only
from campaign.data.mend_word import NO_PHRASE, MendError, mend_word
from campaign.data.runs import begin, standing
from campaign.data.sample import COLOUR, sample
from campaign.long_work import BusyError
from campaign.models import ImportRun
from exchange.checks import parse_json
from exchange.chunk_captions import why_no_chunker
from exchange.chunk_project import waiting_images
from exchange.problems import Defect
from pipeline.project.settings_versions import current_settings


@require_safe
@managers_only
def preview(request: HttpRequest, project: Project) -> HttpResponse:
    newest = project.import_runs.filter(kind=ImportRun.Kind.TYPES).order_by("-id").first()
    context = {
        "project": project,
        "types": [(kind.value, COLOUR[kind.value]) for kind in MentionType],
        "no_phrase": NO_PHRASE,
        "is_draft": project.state == ProjectState.DRAFT.value,
        "images": project.images.count(),
        "waiting": len(waiting_images(project)),
        "no_chunker": why_no_chunker(current_settings(project.pk)[1].caption_language),
        "newest": newest,
        "standing": standing(newest) if newest else None,
    }
    return render(request, "campaign/data/preview.html", context)


@require_safe
@managers_only
def sample_of(request: HttpRequest, project: Project) -> HttpResponse:
    """Return the sample as JSON, another dozen for each `page`."""
    page = request.GET.get("page", "0")
    return JsonResponse(sample(project, page=int(page) if page.isdecimal() and len(page) < 8 else 0))


@require_POST
@managers_only
def types(request: HttpRequest, project: Project) -> HttpResponse:
    """Give a phrase's word another type, as {"words", "type", "page"}; or, as a form, apply the lists to all images."""
    if request.content_type != "application/json":
        return _apply(request, project)
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


def _apply(request: HttpRequest, project: Project) -> HttpResponse:
    if project.state != ProjectState.DRAFT.value:
        messages.error(request, "Workers have begun: change phrases on the pages of their images.")
    else:
        try:
            begin(project, request.user if request.user.is_authenticated else None, ImportRun.Kind.TYPES)
        except BusyError as error:
            messages.error(request, str(error))
    return redirect("campaign:preview", name=project.name)
