"""Admin pages of projects: where their images and questions stand, and what deleting one would take along."""

from collections.abc import Callable
from typing import Any

from django.contrib import admin, messages
from django.db.models import Count, QuerySet
from django.http import HttpRequest, HttpResponseBase
from django.urls import reverse
from django.utils.safestring import SafeString

from annotation.models import Image, Project
from annotation.project_terms import terms_of
from annotation.rules.states import ImageState
from backoffice.base import Part, StoryAdmin, of_project
from backoffice.columns import Column
from backoffice.data.delete_project import line
from backoffice.links import anchor, list_of
from campaign.lifecycle.plan_deletion import plan_deletion
from members.models import Membership
from pipeline.models import Assignment, Question, SettingsVersion
from pipeline.rules.tasks.task import QuestionState

TERMS = ("requester", "contact", "purpose", "kept_days")
WHAT = {"requester": "who asks", "contact": "how to reach the requester", "purpose": "what the answers are for"}


def project_page(name: str, page: str) -> Column:
    """Return a field that leads to a requesters' page of the project."""

    @admin.display(description=name.lower())
    def column(row: Project) -> SafeString:
        return anchor(reverse(page, args=[row.name]), name)

    return column


PAGES = (
    project_page("Settings", "campaign:settings"),
    project_page("Known questions", "campaign:gold"),
    project_page("Workers", "campaign:workers"),
    project_page("Recruiting", "campaign:recruit"),
)


def in_state(state: str) -> Callable[[Project], dict[str, Any]]:
    """Return the filter that finds the project's rows in `state`."""
    return lambda row: {**of_project(row), "state__exact": state}


@admin.register(Project)
class ProjectAdmin(StoryAdmin):
    project_path = "pk"
    actions = None  # projects are deleted one at a time, each after its own page
    list_display = ("name", "title", "image_count", "created_at")
    search_fields = ("name", "title")
    ordering = ("name",)
    fields = ("name", "title", *TERMS, "created_at", "story", *PAGES)
    readonly_fields = ("name", "created_at", "story", *PAGES)
    parts = (
        *(Part(Image, in_state(state.value), f"images {state.value}") for state in ImageState),
        *(Part(Question, in_state(state.value), f"questions {state.value}") for state in QuestionState),
        Part(Assignment, of_project),
        Part(SettingsVersion, of_project),
        Part(Membership, of_project),
    )
    delete_confirmation_template = "backoffice/delete_project.html"

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False  # the page “New project” and imports make projects, with their settings

    def get_queryset(self, request: HttpRequest) -> QuerySet[Project]:
        return super().get_queryset(request).annotate(images_in_it=Count("images"))

    @admin.display(description="images", ordering="images_in_it")
    def image_count(self, row: Any) -> SafeString:
        return list_of(Image, f"{row.images_in_it:,}", of_project(row))

    def render_change_form(self, request: HttpRequest, context: dict[str, Any], **options: Any) -> HttpResponseBase:
        missing = terms_of(context["original"]).missing
        if missing and self.has_change_permission(request, context["original"]):
            messages.warning(request, f"People who join are not told: {', '.join(WHAT[name] for name in missing)}.")
        return super().render_change_form(request, context, **options)

    # --- Deleting ---

    def get_deleted_objects(self, objs: Any, request: HttpRequest) -> tuple[list[Any], dict[str, int], set[str], Any]:
        """Return what Django's delete page asks for, in counts; `render_delete_form` shows them."""
        (project,) = objs
        plan = plan_deletion(project)
        counts = {str(one.model._meta.verbose_name_plural): one.count for one in plan.deleted}
        # Whoever may delete the project may delete what hangs on it: no page deletes these rows by themselves.
        return (
            [line(one, project) for one in plan.deleted],
            counts,
            set(),
            [line(one, project) for one in plan.protected],
        )

    def render_delete_form(self, request: HttpRequest, context: dict[str, Any]) -> HttpResponseBase:
        pictures = Image.objects.filter(project=context["object"]).exclude(picture="").values("picture").distinct()
        return super().render_delete_form(request, {**context, "pictures": pictures.count()})
