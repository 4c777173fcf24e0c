"""Admin pages of projects: where their images and questions stand."""

from collections.abc import Callable
from typing import Any

from django.contrib import admin
from django.db.models import Count, QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils.safestring import SafeString

from accounts.models import Membership
from annotation.models import Image, Project
from annotation.rules.states import ImageState
from backoffice.base import Part, ReadOnlyAdmin, of_project
from backoffice.columns import Column
from backoffice.links import anchor, list_of
from pipeline.models import Assignment, Question, SettingsVersion
from pipeline.protocol.tasks.task import QuestionState

TERMS = ("requester", "contact", "purpose", "kept_days")


def project_page(name: str, page: str) -> Column:
    """Return a field that leads to a requesters' page of the project."""

    @admin.display(description=name.lower())
    def column(row: Project) -> SafeString:
        return anchor(reverse(page, args=[row.name]), name)

    return column


PAGES = (
    project_page("Settings", "projects:settings"),
    project_page("Known questions", "projects:gold"),
    project_page("Workers", "projects:workers"),
    project_page("Recruiting", "projects:recruit"),
    project_page("Delete", "projects:delete"),
)


def in_state(state: str) -> Callable[[Project], dict[str, Any]]:
    """Return the filter that finds the project's rows in `state`."""
    return lambda row: {**of_project(row), "state__exact": state}


@admin.register(Project)
class ProjectAdmin(ReadOnlyAdmin):
    project_path = "pk"
    list_display = ("name", "title", "image_count", "created_at")
    search_fields = ("name", "title")
    ordering = ("name",)
    fields = ("name", "title", *TERMS, "created_at", "story", *PAGES)
    readonly_fields = ("story", *PAGES)
    parts = (
        *(Part(Image, in_state(state.value), f"images {state.value}") for state in ImageState),
        *(Part(Question, in_state(state.value), f"questions {state.value}") for state in QuestionState),
        Part(Assignment, of_project),
        Part(SettingsVersion, of_project),
        Part(Membership, of_project),
    )

    def get_queryset(self, request: HttpRequest) -> QuerySet[Project]:
        return super().get_queryset(request).annotate(images_in_it=Count("images"))

    @admin.display(description="images", ordering="images_in_it")
    def image_count(self, row: Any) -> SafeString:
        return list_of(Image, f"{row.images_in_it:,}", of_project(row))
