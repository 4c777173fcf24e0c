"""Admin pages of access: which worker may be asked questions of which task, in which project."""

from typing import Any

from django import forms
from django.contrib import admin
from django.http import HttpRequest
from unfold.admin import TabularInline
from unfold.widgets import UnfoldBooleanWidget

from accounts.may import Action
from backoffice.base import StoryAdmin
from backoffice.columns import row_link
from backoffice.filters import TaskFilter
from backoffice.form_fields import TASKS, choice_field, project_field, refuse_tasks
from backoffice.of_members import OfMembers, limit_projects
from workers.grant_access import begin_with_test
from workers.models import Access


class AccessForm(forms.ModelForm):
    """An access. The worker starts with the qualification test, unless the requester ticks *trusted*."""

    project = project_field()
    task = choice_field(TASKS)
    trusted = forms.BooleanField(
        required=False,
        widget=UnfoldBooleanWidget,
        help_text="The worker needs no test and no probation. Trust that the worker has, or lost, stays as it is.",
    )

    class Meta:
        model = Access
        fields = ("worker", "project", "task")

    def clean(self) -> dict[str, Any]:
        values = super().clean() or self.cleaned_data
        refuse_tasks(self, "task", values)
        return values

    def _save_m2m(self) -> None:
        """Begin the worker's trust. Django calls this once the access is saved."""
        super()._save_m2m()  # type: ignore[misc]  # Django's own hook, which the stubs leave out
        if not self.cleaned_data.get("trusted"):
            begin_with_test(self.instance.worker_id, self.instance.project_id, [self.instance.task])


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
        return ("worker", "project", "task", "granted_at") if obj else ("worker", "project", "task", "trusted")

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


class AccessInline(OfMembers, TabularInline):
    """The accesses of a worker, on the worker's page. New ones start with the qualification test."""

    model = Access
    form = AccessForm
    to_see = Action.MANAGE
    extra = 0
    fields = ("project", "task")

    def may(self, request: HttpRequest, action: Action, row: Any = None) -> bool:
        return super().may(request, action)  # Django asks with the worker, and shows only the accesses of get_queryset

    def get_formset(self, request: HttpRequest, obj: Any = None, **kwargs: Any) -> Any:
        formset = super().get_formset(request, obj, **kwargs)
        limit_projects(formset.form.base_fields, request)
        return formset

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return self.may(request, self.to_change)

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False
