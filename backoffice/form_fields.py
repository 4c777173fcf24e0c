"""What admin pages need whose rows know a project by its id alone."""

from typing import Any

from django import forms
from django.contrib import admin
from django.db.models import OuterRef, QuerySet, Subquery
from django.http import HttpRequest
from django.utils.safestring import SafeString
from unfold.widgets import UnfoldAdminSelectWidget

from annotation.models import Project
from backoffice.data.annotation_admin import page_of


class ProjectForm(forms.ModelForm):
    """The project by its name; the row itself knows only an id."""

    project_id = forms.ModelChoiceField(Project.objects.order_by("name"), label="Project")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if "project_id" in self.fields:
            field: Any = self.fields["project_id"]
            field.widget = UnfoldAdminSelectWidget(choices=field.choices)

    def clean_project_id(self) -> int | None:
        chosen = self.cleaned_data["project_id"]
        return chosen.pk if chosen else None


class OfProject:
    """Shows the project by its name."""

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        name = Project.objects.filter(pk=OuterRef("project_id")).values("name")
        return super().get_queryset(request).annotate(project_name=Subquery(name))  # type: ignore[misc]

    @admin.display(description="project", ordering="project_name")
    def project(self, row: Any) -> SafeString | str:
        if row.pk is None or row.project_id is None:
            return "" if row.pk is None else "-"  # a row that is being added, or one that concerns no single project
        return page_of(Project, row.project_id, row.project_name) if row.project_name else f"{row.project_id} (gone)"
