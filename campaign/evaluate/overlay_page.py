"""The page that shows scored phrases on their pictures."""

from django.core.cache import cache
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils.http import urlencode
from django.views.decorators.http import require_safe

from annotation.models import Project
from annotation.rules.mention_type import MentionType
from campaign.access import managers_only
from campaign.evaluate.archive import read_file
from campaign.evaluate.overlays import LIST, cards, chosen, read_overlays
from campaign.models import Evaluation
from evaluation.localization.confusion import CLASSES

PER_PAGE = 24
KEPT_SECONDS = 600


@require_safe
@managers_only
def overlays(request: HttpRequest, project: Project, evaluation_id: int) -> HttpResponse:
    """Show the phrases of a report on their pictures, the worst first."""
    found = get_object_or_404(Evaluation, project=project, pk=evaluation_id, state=Evaluation.State.DONE)
    table = cache.get_or_set(f"evaluation-{found.pk}", lambda: read_file(found, LIST), KEPT_SECONDS)
    if table is None:
        raise Http404("This report lists no phrases with boxes.")
    wanted = {name: request.GET.get(name, "")[:80] for name in ("verdict", "type", "words")}
    fitting = chosen(read_overlays(table), verdict=wanted["verdict"], kind=wanted["type"], words=wanted["words"])
    page = Paginator(fitting, PER_PAGE).get_page(request.GET.get("page"))
    context = {
        "project": project,
        "evaluation": found,
        "title": found.values.get("title", ""),
        "cards": cards(project, list(page.object_list)),
        "page": page,
        "wanted": wanted,
        "address": urlencode({name: value for name, value in wanted.items() if value}),
        "verdicts": CLASSES,
        "types": [one.value for one in MentionType],
    }
    return render(request, "campaign/evaluate/overlays.html", context)
