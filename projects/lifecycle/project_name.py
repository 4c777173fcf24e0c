"""The name of a new project, as it was given or made from its title."""

from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.text import slugify

from annotation.models import Project
from pipeline.project.settings_versions import NameTakenError
from projects.operation import Refused


class NameForm(forms.Form):
    """The title, and the name in addresses, which is made from the title if it is empty."""

    title = forms.CharField(max_length=200, help_text="As people read it.")
    name = forms.CharField(
        max_length=100,
        required=False,
        help_text="In addresses and commands: letters, digits, - and _. Left empty, it is made from the title.",
    )

    def clean(self) -> dict[str, Any]:
        values = super().clean() or {}
        if "title" not in values or "name" in self.errors:
            return values
        try:
            return {**values, "name": new_project_name(values.get("name", ""), values["title"])}
        except Refused as refused:
            self.refuse(refused)
            return values

    def refuse(self, refused: Refused) -> None:
        """Say why a project cannot have the name."""
        self.add_error("name", str(refused))


def new_project_name(name: str, title: str) -> str:
    """Return the name, or one made from the title if it is empty. Raises Refused for one without the right letters."""
    chosen = name or slugify(title)[:100].strip("-")
    try:
        Project._meta.get_field("name").clean(chosen, None)
    except ValidationError:
        subject = (
            f"{chosen[:40]!r} is not a name" if chosen else "The title has no letters that a name could be made of"
        )
        message = f"{subject}: write letters a to z, digits, - and _."
        raise Refused("invalid", message, 400, field="name") from None
    return chosen


def name_taken(error: NameTakenError) -> Refused:
    """Return the refusal of a name that another project has, or that is an address of the service."""
    return Refused("taken", str(error), field="name")
