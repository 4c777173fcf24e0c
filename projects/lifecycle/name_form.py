"""The form for the name of a project that is made from another, or of a survey."""

from typing import Any

from django import forms

from projects.lifecycle.project_name import new_project_name
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
