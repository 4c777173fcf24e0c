"""The pages of the queue and of the workbench."""

from urllib.parse import urlencode

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse

from annotation.models import Project
from annotation.rules.mention_type import MentionType
from pipeline.errors import StateMovedError
from pipeline.project.settings_versions import is_checking
from pipeline.protocol.image.expert import ExpertError
from pipeline.record.intervene import act_as_expert
from projects.access import reviewers_only
from projects.gallery.views import read_image, show_image
from projects.review.queue import QueueFilters, reasons, waiting_chains, waiting_places
from projects.review.workbench import address

CHAINS_PER_PAGE = 50


@reviewers_only("GET", surveys=False)
def queue(request: HttpRequest, project: Project) -> HttpResponse:
    filters = QueueFilters.of(request.GET)
    page = Paginator(waiting_places(project, filters), CHAINS_PER_PAGE).get_page(request.GET.get("page"))
    shown = waiting_chains(list(page.object_list))
    context = {
        "project": project,
        "page": page,
        "lines": [(chain, address(project, chain.image, chain.name, filters)) for chain in shown],
        "chosen": filters,
        "reasons": reasons(project),
        "types": list(MentionType),
        "checks": is_checking(project),
        "filters": f"&{urlencode(filters.query)}" if filters.query else "",
    }
    return render(request, "projects/review/queue.html", context)


@reviewers_only("GET", surveys=False)
def workbench(request: HttpRequest, project: Project, image_id: int) -> HttpResponse:
    image = get_object_or_404(project.images, id=image_id)
    chain, filters = request.GET.get("chain", ""), QueueFilters.of(request.GET)
    chosen = {"chain": chain} if chain.isdecimal() and len(chain) < 10 else {}
    context = {
        "project": project,
        "image": image,
        "query": urlencode({**chosen, **filters.query}),
        "filters": filters.model_dump_json(),
        "queue": reverse("projects:changes" if filters.changes else "projects:review", args=[project.name]),
    }
    return render(request, "projects/review/bench.html", context)


@reviewers_only("POST", surveys=False)
def send(request: HttpRequest, project: Project, image_id: int) -> HttpResponse:
    """Send a chain to review, with a reason, from any page that shows it."""
    image = get_object_or_404(project.images, id=image_id)
    reason, chain = request.POST.get("reason", "").strip()[:500], request.POST.get("chain", "")
    if not chain.isdecimal() or len(chain) > 9:
        messages.error(request, "Nothing was done: choose one of the chains of this image.")
    elif not reason:
        return show_image(request, read_image(project.name, image.id), unsaid=int(chain), status=400)
    else:
        actor = request.user.get_username()
        try:
            act_as_expert(
                image_id=image.id, action={"action": "review", "chain": int(chain)}, actor=actor, reason=reason
            )
        except (ExpertError, StateMovedError) as error:
            messages.error(request, f"Nothing was done: {error}")
        else:
            messages.success(request, "The chain waits in review, or will as soon as its phrases are linked.")
    return redirect(f"{reverse('gallery:image', args=[project.name, image.id])}#main")
