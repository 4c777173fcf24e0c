"""Find: a requester's projects, their pages and settings, and the documentation, for the dialog that Ctrl-K opens."""

from collections.abc import Iterator
from typing import NamedTuple

from django.contrib.auth.models import User
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from accounts.may import Action, is_of_staff, may, projects_for
from annotation.models import Project
from config.help import search
from pipeline.settings.guide import Section, applies, in_section
from projects.templatetags.projects import menu_groups

MOST_HITS = 6
"""The most hits that a group shows."""


class Hit(NamedTuple):
    name: str
    about: str
    address: str

    def holds(self, words: list[str]) -> bool:
        text = f"{self.name} {self.about}".casefold()
        return all(word in text for word in words)


@require_safe
def find(request: HttpRequest) -> HttpResponse:
    """Return the hits as a part of a page: without words, the pages of the project and all projects."""
    user = request.user
    if not isinstance(user, User) or not is_of_staff(user):
        raise Http404("There is nothing here.")
    query = request.GET.get("q", "").strip()[:100]
    words = query.casefold().split()
    readable = projects_for(user, Action.LOOK).order_by("name")
    project = readable.filter(name=request.GET.get("project", "")).first()
    projects = (Hit(row.title or row.name, row.name, reverse("gallery:project", args=[row.name])) for row in readable)
    groups = {
        "Pages of this project": _chosen(_pages(request, project), words),
        "Settings of this project": _chosen(_settings(user, project), words) if words else [],
        "Projects": _chosen(projects, words),
        "Help": [
            Hit(section.title, page.title, f"{reverse('help:page', args=[page.name])}#{section.anchor}")
            for page, section, _ in search(query)[:MOST_HITS]
        ],
    }
    return render(request, "config/find.html", {"groups": groups, "any": any(groups.values())})


def _chosen(hits: Iterator[Hit], words: list[str]) -> list[Hit]:
    """Return the hits that hold all words, those whose name begins with the first word before others."""
    found = [hit for hit in hits if hit.holds(words)]
    if not words:
        return found
    return sorted(found, key=lambda hit: not hit.name.casefold().startswith(words[0]))[:MOST_HITS]


def _pages(request: HttpRequest, project: Project | None) -> Iterator[Hit]:
    for group in menu_groups(request, project) if project else []:
        for page in group["pages"]:
            yield Hit(page["name"], group["name"], page["url"])


def _settings(user: User, project: Project | None) -> Iterator[Hit]:
    if project is None or not may(user, Action.MANAGE, project):
        return
    address = reverse("projects:settings", args=[project.name])
    for section in Section:
        for setting in in_section(section):
            if applies(setting, is_survey=bool(project.survey)):
                yield Hit(setting.label, f"{section.value}: {setting.changes}", f"{address}#s-{setting.name}")
