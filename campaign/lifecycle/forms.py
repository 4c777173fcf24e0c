"""Forms for the name of a project: new, or a copy."""

from typing import Any

from django import forms
from django.utils.text import slugify

from annotation.models import Project
from pipeline.project.names import is_address
from pipeline.project.settings_versions import NameIsAddressError


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
        name = values.get("name") or slugify(values["title"])[:100].strip("-")
        try:
            Project._meta.get_field("name").clean(name, None)
        except forms.ValidationError:
            given = f"{name[:40]!r} is not a name" if name else "The title has no letters that a name could be made of"
            self.add_error("name", f"{given}: write letters a to z, digits, - and _.")
            return values
        if is_address(name):
            self.add_error("name", str(NameIsAddressError(name)))
        elif Project.objects.filter(name=name).exists():
            self.say_taken(name)
        return {**values, "name": name}

    def say_taken(self, name: str) -> None:
        """Add the error of a name that another project has, be it since this moment."""
        self.add_error("name", f"The name {name!r} is taken: choose another.")


class NewProjectForm(NameForm):
    """A new project: its names, and the language of its captions."""

    language = forms.RegexField(
        regex=r"^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$",
        max_length=35,
        initial="en",
        label="Language of the captions",
        help_text="A tag such as en, de or pt-BR. Phrases are found by themselves in English; in other languages mark "
        "them in the captions: [a man].",
        error_messages={"invalid": "Write a language tag such as en, de or pt-BR."},
    )
