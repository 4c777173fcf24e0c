"""{% campaign_menu project %}: a project's pages that the visitor may open, its state, and the buttons that move it."""

from typing import Any

from django import template
from django.urls import reverse

from annotation.models import Project
from annotation.rules.project_life import MOVES
from annotation.rules.states import ProjectState
from campaign.lifecycle.dry_run import source_of
from campaign.lifecycle.steps import steps_of
from members.may import Action, may

register = template.Library()

PAGES: tuple[tuple[str, str, Action], ...] = (
    ("campaign:dashboard", "Dashboard", Action.MANAGE),
    ("gallery:project", "Images", Action.LOOK),
    ("campaign:review", "Review", Action.REVIEW),
    ("campaign:gold", "Known questions", Action.REVIEW),
    ("campaign:explore", "Explore", Action.LOOK),
    ("campaign:workers", "Workers", Action.MANAGE),
    ("campaign:members", "Members", Action.MANAGE),
    ("campaign:settings", "Settings", Action.MANAGE),
    ("campaign:predict", "Predict", Action.MANAGE),
    ("campaign:data", "Data", Action.MANAGE),
    ("campaign:preview", "Phrases", Action.MANAGE),
    ("campaign:models", "Models", Action.MANAGE),
    ("campaign:evaluate", "Evaluate", Action.MANAGE),
    ("campaign:alerts", "Alerts", Action.MANAGE),
)
PAGES_OF_SURVEY: tuple[tuple[str, str, Action], ...] = (
    ("campaign:results", "Results", Action.REVIEW),
    ("gallery:project", "Pictures", Action.LOOK),
    ("campaign:items", "Items", Action.MANAGE),
    ("campaign:gold", "Known questions", Action.REVIEW),
    ("campaign:workers", "Workers", Action.MANAGE),
    ("campaign:members", "Members", Action.MANAGE),
    ("campaign:settings", "Settings", Action.MANAGE),
    ("campaign:alerts", "Alerts", Action.MANAGE),
)
"""The pages of the menu, in order: address, name, and what a visitor must be allowed to do to see the entry."""


@register.inclusion_tag("campaign/menu.html", takes_context=True)
def campaign_menu(context: Any, project: Project) -> dict[str, Any]:
    request = context["request"]
    here = request.resolver_match.view_name if request.resolver_match else ""
    pages = [
        {"url": reverse(address, args=[project.name]), "name": name, "here": address == here}
        for address, name, action in (PAGES_OF_SURVEY if project.survey else PAGES)
        if may(request.user, action, project)
    ]
    manages = request.user.is_authenticated and may(request.user, Action.MANAGE, project)
    moves = [(state.value, name) for state, name in MOVES[ProjectState(project.state)].items()] if manages else []
    steps = steps_of(project) if manages and project.state == ProjectState.DRAFT.value else []
    return {
        "request": request,
        "project": project,
        "pages": pages,
        "moves": moves,
        "manages": manages,
        "steps": steps,
        "ready": not any(one.next for one in steps),
        "dry_run_of": source_of(project) if project.dry_run and manages else "",
    }
