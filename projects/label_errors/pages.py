"""The page Check: how a check of a data set stands, and its labels, the most doubtful first."""

from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render

from annotation.models import Project
from pipeline.checking.doubt import LabelPart, LabelStatus
from pipeline.policies.compose import engine_of
from pipeline.project.settings_versions import checked_source, current_settings
from projects.access import reviewers_only
from projects.label_errors.most_doubtful import DoubtfulLabel, check_state, describe_labels, most_doubtful
from projects.label_errors.operations import MIN_FINISHED_IMAGES, wrong_labels
from projects.long_table import ListColumn, LongTable, TableFilter, choice_field, show_table

LABELS_PER_PAGE = 20
EMPTY = "No label yet: the images of the data set are still being linked."
PARTS = {LabelPart.MENTIONS: "phrases", LabelPart.BOXES: "boxes", LabelPart.FLAG: "box or none"}
COLUMNS: tuple[ListColumn[DoubtfulLabel], ...] = (
    ListColumn("image", lambda label: label.image.name, "image", sort="image__name"),
    ListColumn("chain", lambda label: label.row.chain),
    ListColumn("phrases", lambda label: label.phrases),
    ListColumn("boxes", lambda label: len(label.boxes)),
    ListColumn("state", lambda label: label.row.standing, "state", sort="standing"),
    ListColumn("most_in_doubt", lambda label: PARTS[LabelPart(label.row.part)]),
    ListColumn("doubt", lambda label: round(label.row.doubt, 4), "doubt", sort="doubt"),
    ListColumn("phrases_right", lambda label: round(label.row.mentions, 4)),
    ListColumn("boxes_right", lambda label: round(label.row.boxes, 4)),
    ListColumn("box_or_none_right", lambda label: round(label.row.flag, 4)),
    ListColumn("reasons", lambda label: [words for _, words in label.reasons]),
)


class LabelFilter(TableFilter):
    """The fields of the list of labels."""

    part = choice_field("Most in doubt", [(part.value, words) for part, words in PARTS.items()])
    standing = choice_field("Label", [(status.value, status.value) for status in LabelStatus])


@reviewers_only("GET", surveys=False)
def check(request: HttpRequest, project: Project) -> HttpResponseBase:
    """Show the state of the check, and its labels."""
    source = checked_source(project.pk)
    if not source:
        return render(request, "projects/label_errors/nothing.html", {"project": project}, status=404)
    filters, state = LabelFilter(request.GET), check_state(project, source)
    part, standing = filters.value("part"), filters.value("standing")
    table = LongTable(
        "labels",
        "label",
        COLUMNS,
        filters,
        "-doubt",
        EMPTY,
        fill=lambda rows: describe_labels(project, rows),
        per_page=LABELS_PER_PAGE,
    )
    rows = most_doubtful(project, part=part, status=standing)
    count = state.count(standing, part)  # counted with all others, and not once more
    return show_table(request, project, table, rows, "projects/label_errors/check.html", {"state": state}, count=count)


@reviewers_only("GET", surveys=False)
def wrong_labels_page(request: HttpRequest, project: Project) -> HttpResponse:
    """Show the shares by type."""
    checks = engine_of(current_settings(project.pk)[1]).source.program
    context = {
        "project": project,
        "checks": checks,
        "enough": MIN_FINISHED_IMAGES,
        "found": wrong_labels(project) if checks else None,
    }
    return render(request, "projects/label_errors/wrong_labels.html", context, status=200 if checks else 404)
