"""Form fields that the admin's forms share."""

from collections.abc import Sequence
from typing import Any

from django import forms
from django.contrib.admin.widgets import AutocompleteSelect
from unfold.widgets import UnfoldAdminSelectWidget

from annotation.models import Project
from pipeline.project.tasks import NotAskedError, refuse_others
from pipeline.protocol.tasks.task import Task

TASKS = [(task.value, task.label) for task in Task]


def refuse_tasks(form: forms.BaseForm, field: str, values: dict[str, Any]) -> None:
    """Add an error to the field if it names a task that the chosen project does not ask."""
    project, named = values.get("project"), values.get(field) or []
    if project is None:
        return
    try:
        refuse_others(project, [named] if isinstance(named, str) else named)
    except NotAskedError as error:
        form.add_error(field, str(error))


def project_field(**options: Any) -> forms.ModelChoiceField:
    """Return a choice among the projects, by name."""
    return forms.ModelChoiceField(Project.objects.order_by("name"), widget=UnfoldAdminSelectWidget, **options)


def choice_field(choices: list[tuple[str, str]], **options: Any) -> forms.ChoiceField:
    """Return a choice in the theme's look."""
    return forms.ChoiceField(choices=choices, widget=UnfoldAdminSelectWidget, **options)


class NumberedSelect(AutocompleteSelect):
    """A choice that is searched for by name. What was sent and is not a number is not looked up among the ids."""

    def optgroups(self, name: str, value: Sequence[str], attr: Any = None) -> Any:
        return super().optgroups(name, [one for one in value if not one or number_in(str(one)) is not None], attr)


def number_in(text: str) -> int | None:
    """Return the id that a parameter of an address or a form names; None if it names none that a table can have."""
    return int(text) if text.isdecimal() and len(text) < 19 else None
