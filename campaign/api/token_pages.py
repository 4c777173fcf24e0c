"""The page of a requester's tokens: make one, see it once, revoke it."""

from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST

from annotation.models import Project
from campaign.access import managers_of_something
from members.may import Action, projects_for
from members.models import RequesterToken, Scope
from members.requester_tokens import LONGEST_NAME, MOST_DAYS, make_requester_token, revoke_requester_token


class TokenForm(forms.Form):
    name = forms.CharField(max_length=LONGEST_NAME, help_text="Where the token is used: “nightly export”.")
    scopes = forms.MultipleChoiceField(
        choices=Scope.choices, widget=forms.CheckboxSelectMultiple, label="Allows", initial=[Scope.READ.value]
    )
    project = forms.ModelChoiceField(
        Project.objects.none(), required=False, to_field_name="name", empty_label="all of mine", label="Project"
    )
    days = forms.IntegerField(
        min_value=1, max_value=MOST_DAYS, required=False, initial=90, label="Days", help_text="Empty: it never expires."
    )

    def __init__(self, user: User, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        project = self.fields["project"]
        assert isinstance(project, forms.ModelChoiceField)
        project.queryset = projects_for(user, Action.LOOK).order_by("name")


@login_required
@managers_of_something
@require_http_methods(["GET", "HEAD", "POST"])
def tokens(request: HttpRequest) -> HttpResponse:
    """List the tokens, and make one. The new token is on the answer to the form, and nowhere else."""
    user = request.user
    assert isinstance(user, User)
    form = TokenForm(user, request.POST or None)
    made = ""
    if request.method == "POST" and form.is_valid():
        given = form.cleaned_data
        made = make_requester_token(
            user, name=given["name"], scopes=given["scopes"], project=given["project"], days=given["days"]
        )
        form = TokenForm(user)
    rows = RequesterToken.objects.filter(user=user, revoked_at=None).select_related("project")
    context = {"form": form, "made": made, "tokens": rows}
    response = render(request, "campaign/tokens.html", context, status=400 if form.errors else 200)
    response["Cache-Control"] = "no-store"
    return response


@require_POST
@login_required
def revoke(request: HttpRequest, token_id: int) -> HttpResponse:
    """Revoke a token of one's own."""
    user = request.user
    assert isinstance(user, User)
    if revoke_requester_token(user, token_id):
        messages.success(request, "The token is revoked: programs that use it are refused from now on.")
    else:
        messages.error(request, "You have no such token.")
    return redirect("campaign:tokens")
