"""The pages of the queue and of the workbench."""

from urllib.parse import urlencode

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.html import format_html

from annotation.models import Project
from annotation.rules.mention_type import MentionType
from pipeline.errors import StateMovedError
from pipeline.project.settings_versions import is_checking
from pipeline.protocol.image.expert import ExpertError
from pipeline.record.intervene import act_as_expert
from projects.access import reviewers_only
from projects.gallery.views import read_image, show_image
from projects.long_table import ListColumn, LongTable, TableFilter, choice_field, search_field, show_table
from projects.review.queue import QueueFilters, WaitingChain, reasons, waiting_chains, waiting_places

COLUMNS: tuple[ListColumn[WaitingChain], ...] = (
    ListColumn("image", lambda chain: chain.image_name, "image", sort="image"),
    ListColumn("chain", lambda chain: chain.name),
    ListColumn("phrases", lambda chain: chain.phrases),
    ListColumn("types", lambda chain: chain.types),
    ListColumn("reason", lambda chain: chain.reason, "reason", sort="reason"),
    ListColumn("expert_reason", lambda chain: chain.expert_reason),
    ListColumn("doubted", lambda chain: chain.doubted),
    ListColumn("disputed_questions", lambda chain: chain.disputes),
)
EMPTY = 'No chain waits: nothing is to be done here. <a href="{}">Count the errors</a> of a sample of finished images.'


class ChainFilter(TableFilter):
    """The fields of the queue, as `QueueFilters` reads them from the address."""

    reason = choice_field("Reason")
    type = choice_field("Type", [(kind.value, kind.value) for kind in MentionType])
    worker = search_field("Answered by", "a worker's name")
    disputed = choice_field("Answers", [("yes", "disputed")])


@reviewers_only("GET", surveys=False)
def queue(request: HttpRequest, project: Project) -> HttpResponseBase:
    """List the chains that wait, each with the address of the workbench."""
    filters = QueueFilters.of(request.GET)
    offered = [(reason, f"{reason} ({count})") for reason, count in reasons(project)]
    table = LongTable(
        "chains",
        "chain",
        COLUMNS,
        ChainFilter(request.GET, reason=offered),
        "reason",
        format_html(EMPTY, reverse("projects:samples", args=[project.name])),
        fill=waiting_chains,
        file="review",
    )
    context = {"checks": is_checking(project), "bench": f"&{urlencode(filters.query)}" if filters.query else ""}
    places = waiting_places(project, filters)
    return show_table(request, project, table, places, "projects/review/queue.html", context)


@reviewers_only("GET", surveys=False)
def workbench(request: HttpRequest, project: Project, image_id: int) -> HttpResponse:
    image = get_object_or_404(project.images, id=image_id)
    chain, filters = request.GET.get("chain", ""), QueueFilters.of(request.GET)
    chosen = {"chain": chain} if chain.isdecimal() and len(chain) < 10 else {}
    queue = reverse("projects:changes" if filters.changes else "projects:review", args=[project.name])
    context = {
        "project": project,
        "image": image,
        "query": urlencode({**chosen, **filters.query}),
        "filters": filters.model_dump_json(),
        "queue": f"{queue}?{urlencode(filters.query)}",
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
