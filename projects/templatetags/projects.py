"""Parts of requesters' pages: a project's menu with the buttons that move it, and words on its crew and uploads."""

from collections.abc import Mapping
from typing import Any

from django import template
from django.conf import settings
from django.urls import reverse

from accounts.may import Action, may
from annotation.models import Project
from annotation.rules.states import MOVES, ProjectState
from pipeline.project.settings_versions import is_checking
from projects.crew import ProjectCrew, crew_of, only_others
from projects.lifecycle.change_state import steps_of
from projects.lifecycle.copies import sampled_project
from workers.invitations import open_invitations

register = template.Library()
register.simple_tag(crew_of)
register.simple_tag(only_others)


@register.filter
def at(values: Mapping[str, Any], name: str) -> Any:
    """Return a value of a mapping, by a name that the template makes: live|at:"chain.linking"."""
    return values.get(name, "")


Pages = tuple[tuple[str, str, Action], ...]
"""The pages of a group of the menu, in order: address, name, and what a visitor must be allowed to do to see it."""

MENU: dict[str, Pages] = {
    "Progress": (
        ("projects:dashboard", "Dashboard", Action.MANAGE),
        ("gallery:project", "Images", Action.LOOK),
        ("projects:explore", "Explore", Action.LOOK),
        ("projects:alerts", "Alerts", Action.MANAGE),
    ),
    "Preparation": (
        ("projects:data", "Data", Action.MANAGE),
        ("projects:preview", "Phrases", Action.MANAGE),
        ("projects:settings", "Settings", Action.MANAGE),
        ("projects:gold", "Known questions", Action.REVIEW),
        ("projects:predict", "Predict", Action.MANAGE),
        ("projects:models", "Models", Action.MANAGE),
    ),
    "People": (
        ("projects:workers", "Workers", Action.MANAGE),
        ("projects:recruit", "Recruiting", Action.MANAGE),
        ("projects:members", "Members", Action.MANAGE),
    ),
    "Quality": (
        ("projects:check", "Check", Action.REVIEW),
        ("projects:review", "Review", Action.REVIEW),
        ("projects:evaluate", "Evaluate", Action.MANAGE),
    ),
}
MENU_OF_SURVEY: dict[str, Pages] = {
    "Progress": (
        ("projects:results", "Results", Action.REVIEW),
        ("gallery:project", "Pictures", Action.LOOK),
        ("projects:alerts", "Alerts", Action.MANAGE),
    ),
    "Preparation": (
        ("projects:items", "Items", Action.MANAGE),
        ("projects:settings", "Settings", Action.MANAGE),
        ("projects:gold", "Known questions", Action.REVIEW),
    ),
    "People": MENU["People"],
}
OF_AWAY = frozenset({"gallery:project", "projects:workers", "projects:members"})
"""Pages of a project whose images are in an archive."""
CHECK = "projects:check"
"""The page that only projects have which check a data set."""
STARTED_FROM = {
    ProjectState.DRAFT.value: ("projects:dashboard", "projects:preview", "projects:invitations"),
    ProjectState.PAUSED.value: ("projects:dashboard",),
}
"""The pages on which the button that starts or resumes the project is the main one, by the project's state."""
SHOWN_LINKS = 3
"""Links by which people join, of those that are open."""
MAX_PAGES_UNGROUPED = 5
"""The most pages that stand in one row, without groups."""


@register.inclusion_tag("projects/menu.html", takes_context=True)
def project_menu(context: Any, project: Project) -> dict[str, Any]:
    request = context["request"]
    groups = menu_groups(request, project)
    pages = [page for group in groups for page in group["pages"]]
    # Pages below one of the menu, like that of a worker, stand where its address begins theirs.
    above = [page["url"] for page in pages if request.path.startswith(page["url"])]
    here = max(above, key=len, default="")
    shown = [group for group in groups if any(page["url"] == here for page in group["pages"])] or groups[:1]
    manages = request.user.is_authenticated and may(request.user, Action.MANAGE, project)
    may_move = manages and project.away is None
    moves = [(state.value, name) for state, name in MOVES[ProjectState(project.state)].items()] if may_move else []
    steps = steps_of(project) if manages and project.state == ProjectState.DRAFT.value else []
    ready = not any(step.next for step in steps)
    starts = STARTED_FROM.get(project.state, ()) if ready else ()
    return {
        "request": request,
        "project": project,
        "starts": request.path in {reverse(address, args=[project.name]) for address in starts},
        "groups": groups if len(pages) > MAX_PAGES_UNGROUPED else [],
        "pages": shown[0]["pages"] if len(pages) > MAX_PAGES_UNGROUPED else pages,
        "here": here,
        "group": shown[0]["name"] if shown else "",
        "moves": moves,
        "manages": manages,
        "steps": steps,
        "ready": ready,
        "counts_are_away": project.away is not None and here == reverse("projects:workers", args=[project.name]),
        "dry_run_of": sampled_project(project) if project.dry_run and manages else "",
    }


def menu_groups(request: Any, project: Project) -> list[dict[str, Any]]:
    """Return the groups of the menu with the pages that the visitor may open. Each leads to its first page."""
    found = []
    for name, entries in (MENU_OF_SURVEY if project.survey else MENU).items():
        pages = [
            {"url": reverse(address, args=[project.name]), "name": page}
            for address, page, action in entries
            if may(request.user, action, project)
            and (address != CHECK or is_checking(project))
            and (project.away is None or address in OF_AWAY)
        ]
        if pages:
            found.append({"name": name, "pages": pages, "url": pages[0]["url"]})
    return found


@register.inclusion_tag("projects/missing_crew.html", takes_context=True)
def missing_crew(context: Any, project: Project, crew: ProjectCrew) -> dict[str, Any]:
    """Say that nobody can answer, with the links by which people join, or the way to make one."""
    codes = open_invitations(project.pk).order_by("-id").values_list("code", flat=True)[:SHOWN_LINKS]
    links = [context["request"].build_absolute_uri(reverse("join", args=[code])) for code in codes]
    return {
        "project": project,
        "needed": crew.needed,
        "links": links,
        "step": context.get("step"),
        "csrf_token": context.get("csrf_token"),
    }


@register.inclusion_tag("projects/data/upload_readers.html", takes_context=True)
def upload_readers(context: Any) -> dict[str, Any]:
    """Say beside the fields for uploads who sees and changes them besides the visitor."""
    user = context["user"]
    is_shared = settings.DEMO and not user.has_usable_password()
    return {"public": settings.GALLERY_PUBLIC, "shared": user.get_username() if is_shared else ""}
