"""The page Check: how a check of a data set stands, and its labels, the most doubtful first."""

from urllib.parse import urlencode

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from annotation.models import Project
from pipeline.checking.doubt import LabelPart, LabelStatus
from pipeline.project.settings_versions import checked_source
from projects.access import reviewers_only
from projects.label_errors.most_doubtful import LabelFilters, describe_labels, most_doubtful
from projects.label_errors.state import check_state

LABELS_PER_PAGE = 20


@reviewers_only("GET", surveys=False)
def check(request: HttpRequest, project: Project) -> HttpResponse:
    """Show the state of the check, and its labels."""
    source = checked_source(project.pk)
    if not source:
        return render(request, "projects/label_errors/nothing.html", {"project": project}, status=404)
    filters, state = LabelFilters.of(request.GET), check_state(project, source)
    paginator = Paginator(most_doubtful(project, filters), LABELS_PER_PAGE)
    paginator.count = state.count(**filters.query)  # counted with all others, and not once more
    page = paginator.get_page(request.GET.get("page"))
    context = {
        "project": project,
        "state": state,
        "page": page,
        "labels": describe_labels(project, page.object_list),
        "chosen": filters,
        "parts": list(LabelPart),
        "standings": list(LabelStatus),
        "filters": f"&{urlencode(filters.query)}" if filters.query else "",
    }
    return render(request, "projects/label_errors/check.html", context)
