"""The page that makes a project, and the form for the name of a project, new or a copy."""

from typing import Any, cast

from django import forms
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.text import slugify
from django.views.decorators.http import require_http_methods

from annotation.models import Project
from pipeline.project.names import is_address
from pipeline.project.settings_versions import NameIsAddressError, NameTakenError
from pipeline.settings.settings import Settings
from projects.access import makers_only
from projects.lifecycle.copy_project import make_draft


@require_http_methods(["GET", "HEAD", "POST"])
@makers_only
def new(request: HttpRequest) -> HttpResponse:
    """Make a draft, and lead to the page that fills it. The maker becomes its requester."""
    form = NewProjectForm(request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        given = form.cleaned_data
        settings = Settings(caption_language=given["language"])
        user = cast(User, request.user)
        try:
            project = make_draft(user, name=given["name"], title=given["title"], settings=settings)
            return redirect("projects:data", name=project.name)
        except NameTakenError:
            form.say_taken(given["name"])
    status = 400 if form.is_bound else 200
    return render(request, "projects/lifecycle/new.html", {"form": form}, status=status)


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
