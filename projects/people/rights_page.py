"""The page of rights, for administrators: who may make projects, read the server's folders, enter the admin pages."""

from typing import Any, cast

from django import forms
from django.contrib import messages
from django.contrib.admin.models import CHANGE, LogEntry
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods

from accounts.models import Membership, RightKind
from accounts.rights import accounts_of_staff, give_right, take_right
from projects.access import administrators_only
from workers.models import Worker


class RightForm(forms.Form):
    """A right for an account. Administrators may learn which names there are."""

    user = forms.ModelChoiceField(
        User.objects.filter(is_active=True),
        to_field_name="username",
        label="Account",
        widget=forms.TextInput({"autocomplete": "off", "autocapitalize": "none", "spellcheck": "false"}),
        help_text="The name with which somebody signs in.",
        error_messages={"invalid_choice": "There is no active account of this name."},
    )
    kind = forms.MultipleChoiceField(choices=RightKind.choices, widget=forms.CheckboxSelectMultiple, label="May")
    project = forms.CharField(
        max_length=100,
        required=False,
        label="As long as they are a member of",
        help_text="The name of a project, as in its address. Empty: until you take the right back.",
    )
    works = forms.BooleanField(required=False, label="It is a worker's account, and this is meant")

    def clean(self) -> dict[str, Any]:
        values = super().clean() or {}
        user, project = values.get("user"), values.get("project")
        if user is not None and not values.get("works") and Worker.objects.filter(user=user).exists():
            self.add_error("works", f"{user} answers questions with this account. Tick this if it is meant.")
        if user is not None and project:
            values["membership"] = Membership.objects.filter(user=user, project__name=project).first()
            if values["membership"] is None:
                self.add_error("project", f"{user} is not a member of a project of this name.")
        return values


@require_http_methods(["GET", "HEAD", "POST"])
@administrators_only
def rights(request: HttpRequest) -> HttpResponse:
    """Show every account that is more than a worker's; a POST gives a right or takes one back."""
    if "take" in request.POST:
        return _take(request)
    form = RightForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        user = form.cleaned_data["user"]
        for kind in form.cleaned_data["kind"]:
            by = cast(User, request.user)
            give_right(user, RightKind(kind), by=by, membership=form.cleaned_data.get("membership"))
            _log(request, user, f"Gave the right to {RightKind(kind).label}.")
        messages.success(request, f"{user} has the right now.")
        return redirect("projects:rights")
    context = {"form": form, "accounts": accounts_of_staff(), "kinds": RightKind.choices}
    return render(request, "projects/rights.html", context, status=400 if form.errors else 200)


def _take(request: HttpRequest) -> HttpResponse:
    wanted = request.POST["take"]
    if wanted in RightKind.values:
        name = request.POST.get("user", "")
        user = get_object_or_404(User, pk=name) if name.isdecimal() and len(name) < 19 else None
        if user is not None and take_right(user, RightKind(wanted)):
            _log(request, user, f"Took back the right to {RightKind(wanted).label}.")
            messages.success(request, f"{user} may not {RightKind(wanted).label} any more.")
            return redirect("projects:rights")
    messages.error(request, "This account does not have the right.")
    return redirect("projects:rights")


def _log(request: HttpRequest, user: User, words: str) -> None:
    """Note it in the account's history on the admin pages."""
    rows = User.objects.filter(pk=user.pk)
    LogEntry.objects.log_actions(cast(int, request.user.pk), rows, CHANGE, words, single_object=True)
