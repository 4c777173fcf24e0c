"""The page of known questions: what there is and what is missing, the sampled images, and the page of one image."""

from dataclasses import dataclass
from typing import cast

from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render

from accounts.may import Action, may
from annotation.models import Project
from annotation.rules.states import ProjectState
from projects.access import reviewers_only
from projects.gallery.access import refusal
from projects.gold.gold_report import gold_report
from projects.gold.known_question_operations import use_imported_gold
from projects.gold.make_questions import imported_gold
from projects.gold.operations import draw_images, remove_from_sample
from projects.gold.sheets import MOST_AT_ONCE, is_compared
from projects.gold.workbench import waits_for
from projects.lifecycle.new_workers import missing_known_questions
from projects.models import GoldImage
from projects.operation_page import action_page, do_by_page
from projects.surveys.pages import known_questions_page

USUAL = 12
"""Images that the form suggests, if it is not known how many are missing."""


@dataclass(frozen=True, slots=True)
class Line:
    """One sampled image in the list: how far it is, and whether the visitor can do something for it."""

    row: GoldImage
    state: str
    about: str
    waits: bool


@reviewers_only("GET", "POST")
def gold(request: HttpRequest, project: Project) -> HttpResponse:
    """Show the page; a POST draws images to annotate."""
    manages = may(cast(User, request.user), Action.MANAGE, project)
    if project.survey:
        return known_questions_page(request, project)
    if request.method == "POST":
        if not manages:
            raise refusal(project.name, Action.MANAGE, "draw images")
        do_by_page(draw_images, request, project)
        return redirect("projects:gold", project.name)
    rows = GoldImage.objects.filter(image__project=project).select_related("image").prefetch_related("annotations")
    lines = [_line(row, cast(User, request.user)) for row in rows]
    found = gold_report(project)
    missing = found.recommended_images
    context = {
        "project": project,
        "outlook": found,
        "lines": lines,
        "first": next((line.row for line in lines if line.waits), None),
        "draft": project.state == ProjectState.DRAFT.value,
        "missing": missing_known_questions(project, list(found.ways))
        if project.state == ProjectState.DRAFT.value
        else [],
        "manages": manages,
        "imported": imported_gold(project).exists(),
        "count": min(max(missing - sum(line.waits for line in lines), 1), MOST_AT_ONCE) if missing else USUAL,
        "most": MOST_AT_ONCE,
    }
    return render(request, "projects/gold/gold.html", context)


def _line(row: GoldImage, user: User) -> Line:
    own = [annotation for annotation in row.annotations.all() if not annotation.settles]
    done, names = (
        [annotation for annotation in own if annotation.finished_at],
        ", ".join(annotation.name for annotation in own),
    )
    if row.settled_at:
        return Line(row, "settled", names, False)
    if is_compared(row):
        many = "" if row.disputes == 1 else "s"
        return Line(row, "disputed", f"{row.disputes} disagreement{many}: {names}", waits_for(row, user))
    state = f"{len(done)} of {row.annotators} annotated" if row.annotators > 1 else "begun" if own else "waiting"
    return Line(row, state, names, waits_for(row, user))


remove = action_page(remove_from_sample, "projects:gold")
use_import = action_page(use_imported_gold, "projects:gold")


@reviewers_only("GET", surveys=False)
def gold_image(request: HttpRequest, project: Project, image_id: int) -> HttpResponse:
    """Show the page on which an image is annotated."""
    row = get_object_or_404(GoldImage.objects.select_related("image"), image__project=project, image_id=image_id)
    return render(request, "projects/gold/image.html", {"project": project, "image": row.image})
