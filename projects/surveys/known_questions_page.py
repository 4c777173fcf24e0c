"""The known questions of a survey: how many there are, and what newcomers need."""

from collections import Counter

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from accounts.may import Action, may
from annotation.models import Project
from annotation.rules.states import ProjectState
from pipeline.known.gold_needed import recommended_questions
from pipeline.known.question_mix import answer_name
from pipeline.models import KnownQuestion
from pipeline.project.settings_versions import current_settings
from pipeline.protocol.tasks.task import Task
from pipeline.stock.known_questions import Purpose
from pipeline.stock.stock_forecast import lasts_newcomer
from projects.lifecycle.new_workers import missing_known_questions, needed_questions, ways_in

PURPOSE_LABELS = {
    Purpose.VERIFICATION: ("Verification questions", "hidden among real ones, to measure everybody's work"),
    Purpose.TEST: ("Test questions", "for newcomers"),
    Purpose.EXAMPLE: ("Examples", "with explanations, to try before the test"),
}


def known_questions_page(request: HttpRequest, project: Project) -> HttpResponse:
    """Show the stock by purpose and right answer. It is filled by importing items."""
    task, settings = Task(project.survey), current_settings(project.pk)[1]
    mix: dict[str, Counter[str]] = {purpose.value: Counter() for purpose in PURPOSE_LABELS}
    rows = KnownQuestion.objects.filter(project=project, retired_at=None).order_by()
    for purpose, truth in rows.values_list("purpose", "truth"):
        mix[purpose][answer_name(task, truth)] += 1
    wanted = {purpose.value: least for purpose, least in needed_questions(settings).items()}
    ways = ways_in(project)
    draft = project.state == ProjectState.DRAFT.value
    context = {
        "project": project,
        "task": task,
        "stock": [
            (name, words, mix[purpose.value].total(), sorted(mix[purpose.value].items()), wanted.get(purpose.value, 0))
            for purpose, (name, words) in PURPOSE_LABELS.items()
        ],
        "recommended": recommended_questions(settings),
        "lasts": lasts_newcomer(settings, task, mix[Purpose.VERIFICATION].total()),
        "ways": ways,
        "missing": missing_known_questions(project, ways),
        "draft": draft,
        "manages": may(request.user, Action.MANAGE, project),
    }
    return render(request, "projects/surveys/stock.html", context)
