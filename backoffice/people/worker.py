"""Admin pages that say what each worker may be asked and has answered."""

from typing import Any, cast

from django import forms
from django.contrib import admin
from django.http import HttpRequest
from unfold.admin import TabularInline
from unfold.widgets import UnfoldAdminSelectWidget

from annotation.models import Project
from backoffice.data.annotation_admin import Part, StoryAdmin, row_link
from backoffice.filters import ProjectIdFilter, TaskFilter
from backoffice.people.workers_admin import WorkerAdmin
from backoffice.project_column import OfProject
from pipeline.models import Assignment, Judgment
from pipeline.rules.tasks.task import Task
from platforms.models import Identity, Session
from workers.models import Access, Worker

TASKS = [(task.value, task.label) for task in Task]


class AccessForm(forms.ModelForm):
    """The project by its name and the task from the list; the row itself knows only an id and a word."""

    project_id = forms.ModelChoiceField(Project.objects.order_by("name"), label="project")
    task = forms.ChoiceField(choices=TASKS)

    class Meta:
        model = Access
        fields = ("worker", "project_id", "task")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name in {"project_id", "task"} & set(self.fields):
            field = cast(forms.ChoiceField, self.fields[name])
            field.widget = UnfoldAdminSelectWidget(choices=field.choices)

    def clean_project_id(self) -> int:
        return self.cleaned_data["project_id"].pk


class NeverChanged(OfProject):
    """An access is given or taken away, not changed."""

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


class AccessAdmin(NeverChanged, StoryAdmin):
    form = AccessForm
    list_display = ("id", row_link("worker"), "project", "task", "granted_at")
    list_display_links = ("id", "task")
    list_filter = (ProjectIdFilter, TaskFilter)
    list_select_related = ("worker",)
    search_fields = ("worker__name",)
    ordering = ("-id",)
    autocomplete_fields = ("worker",)
    readonly_fields = ("project", "granted_at")

    def get_fields(self, request: HttpRequest, obj: Any = None) -> tuple[str, ...]:
        return ("worker", "project", "task", "granted_at") if obj else ("worker", "project_id", "task")


class AccessInline(NeverChanged, TabularInline):
    model = Access
    form = AccessForm
    extra = 0
    fields = ("project", "project_id", "task")
    readonly_fields = ("project",)


STORY = (Judgment, Assignment, Access, Identity, Session)


class WorkerStoryAdmin(WorkerAdmin, StoryAdmin):
    inlines = (AccessInline,)
    fields = (*WorkerAdmin.fields, "story")
    readonly_fields = (*WorkerAdmin.readonly_fields, "story")
    parts = tuple(Part(model, lambda row: {"worker__id__exact": row.pk}) for model in STORY)


admin.site.unregister(Worker)
admin.site.register(Worker, WorkerStoryAdmin)
admin.site.register(Access, AccessAdmin)
