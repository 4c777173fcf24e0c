"""Admin pages of access: which worker may be asked questions of which task, in which project."""

from typing import Any

from django import forms
from django.contrib import admin
from django.http import HttpRequest
from unfold.admin import TabularInline

from backoffice.base import StoryAdmin
from backoffice.columns import row_link
from backoffice.filters import TaskFilter
from backoffice.form_fields import TASKS, choice_field, project_field
from workers.models import Access


class AccessForm(forms.ModelForm):
    project = project_field()
    task = choice_field(TASKS)

    class Meta:
        model = Access
        fields = ("worker", "project", "task")


@admin.register(Access)
class AccessAdmin(StoryAdmin):
    """An access is given or taken away, not changed."""

    form = AccessForm
    list_display = ("id", row_link("worker"), row_link("project"), "task", "granted_at")
    list_display_links = ("id", "task")
    list_filter = ("project", TaskFilter)
    list_select_related = ("worker", "project")
    search_fields = ("worker__name",)
    ordering = ("-id",)
    autocomplete_fields = ("worker",)
    readonly_fields = ("granted_at",)

    def get_fields(self, request: HttpRequest, obj: Any = None) -> tuple[str, ...]:
        return ("worker", "project", "task", "granted_at") if obj else ("worker", "project", "task")

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


class AccessInline(TabularInline):
    """The accesses of a worker, on the worker's page."""

    model = Access
    form = AccessForm
    extra = 0
    fields = ("project", "task")

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False
