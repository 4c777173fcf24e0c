"""Form fields that the admin's forms share."""

from typing import Any

from django import forms
from unfold.widgets import UnfoldAdminSelectWidget, UnfoldAdminTextareaWidget

from annotation.models import Project
from pipeline.rules.tasks.task import Task

TASKS = [(task.value, task.label) for task in Task]


def project_field(**options: Any) -> forms.ModelChoiceField:
    """Return a choice among the projects, by name."""
    return forms.ModelChoiceField(Project.objects.order_by("name"), widget=UnfoldAdminSelectWidget, **options)


def choice_field(choices: list[tuple[str, str]], **options: Any) -> forms.ChoiceField:
    """Return a choice in the theme's look."""
    return forms.ChoiceField(choices=choices, widget=UnfoldAdminSelectWidget, **options)


def reason_field(**options: Any) -> forms.CharField:
    """Return a required text of up to 1,000 characters."""
    return forms.CharField(max_length=1000, widget=UnfoldAdminTextareaWidget(attrs={"rows": 3}), **options)
