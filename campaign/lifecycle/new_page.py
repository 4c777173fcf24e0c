"""The page that makes a project."""

from typing import cast

from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from campaign.access import makers_only
from campaign.lifecycle.forms import NewProjectForm
from campaign.lifecycle.make_draft import make_draft
from pipeline.project.settings_versions import NameTakenError
from pipeline.rules.settings.protocol import ProtocolSettings


@require_http_methods(["GET", "HEAD", "POST"])
@makers_only
def new(request: HttpRequest) -> HttpResponse:
    """Make a draft, and lead to the page that fills it. The maker becomes its requester."""
    form = NewProjectForm(request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        given = form.cleaned_data
        settings = ProtocolSettings(caption_language=given["language"])
        user = cast(User, request.user)
        try:
            project = make_draft(user, name=given["name"], title=given["title"], settings=settings)
            return redirect("campaign:data", name=project.name)
        except NameTakenError:
            form.say_taken(given["name"])
    status = 400 if form.is_bound else 200
    return render(request, "campaign/lifecycle/new.html", {"form": form}, status=status)
