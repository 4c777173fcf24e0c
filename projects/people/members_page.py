"""The page of members: who has which role in the project, and invitations for others."""

from typing import Any, cast

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import User
from django.contrib.auth.validators import UnicodeUsernameValidator
from django.core.validators import validate_email
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from accounts.change_members import LastRequesterError, change_role, remove_member
from accounts.invitations import (
    DAYS,
    InvitationError,
    TooManyInvitationsError,
    accept_invitation,
    find_invitation,
    invite_member,
    is_address,
    open_invitations,
)
from accounts.models import MemberInvitation, Membership, Role
from annotation.models import Project
from labelling.messages.jobs import enqueue_mail
from labelling.messages.outbox import no_mail, write_mail
from projects.access import managers_only
from workers.models import Worker

DUTIES = {
    Role.VIEWER.value: "looks at images, pictures and statistics, and exports the annotation",
    Role.REVIEWER.value: "also corrects images, and reads who answered what",
    Role.REQUESTER.value: "manages everything here: settings, members, workers, money, deleting",
}
ROLES = tuple((role, f"{role}: {duty}") for role, duty in DUTIES.items())
SUBJECT = "Invitation to the project {project}"
TEXT = """{by} invites you to the project “{project}” as {role}.

Open this link and sign in to accept, until {until}:

{link}

If you have no account there, ask {by} or an administrator for one. If you expected no invitation, do nothing.
"""


class MemberForm(forms.Form):
    """An invitation. Whether there is such an account is not looked up, and so not told."""

    to = forms.CharField(
        max_length=254,
        label="Name or e-mail address",
        help_text="The name with which they sign in here, or an address.",
        widget=forms.TextInput({"autocomplete": "off", "autocapitalize": "none", "spellcheck": "false"}),
    )
    role = forms.ChoiceField(choices=ROLES, initial=Role.VIEWER.value, widget=forms.RadioSelect, label="Role")

    def __init__(self, project: Project, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.project = project

    def clean_to(self) -> str:
        to: str = self.cleaned_data["to"]
        if is_address(to):
            validate_email(to)
            return to
        UnicodeUsernameValidator(message="Write a name as people sign in with it, or an e-mail address.")(to)
        if Membership.objects.filter(project=self.project, user__username=to).exists():
            raise forms.ValidationError(f"{to} is a member already: change the role in the list.")
        return to


@managers_only("GET", "POST", archived=True)
def members(request: HttpRequest, project: Project) -> HttpResponse:
    """List the members and the open invitations; a POST makes an invitation."""
    form = MemberForm(project, request.POST or None)
    if request.method == "POST" and form.is_valid():
        to, role = form.cleaned_data["to"], Role(form.cleaned_data["role"])
        try:
            made = invite_member(project, to, role, by=cast(User, request.user))
        except TooManyInvitationsError as error:
            form.add_error("to", str(error))
        else:
            messages.success(request, _sent_words(request, made))
            return redirect("projects:members", project.name)
    rows = list(Membership.objects.filter(project=project).select_related("user").order_by("user__username"))
    working = Worker.objects.filter(user__in=[row.user_id for row in rows], closed_at=None)
    works = set(working.values_list("user_id", flat=True))
    context = {
        "project": project,
        "form": form,
        "members": [(row, row.user_id in works) for row in rows],
        "roles": [role.value for role in reversed(Role)],
        "invitations": [(row, _link(request, row)) for row in open_invitations(project)],
        "days": DAYS,
    }
    return render(request, "projects/members.html", context, status=400 if form.errors else 200)


def _sent_words(request: HttpRequest, made: MemberInvitation) -> str:
    """Return what follows, in the same words whether or not there is such an account."""
    if not is_address(made.to):
        return f"{made.to} is invited. If there is such an account, it finds the invitation on its first page."
    if no_mail():
        return f"{made.to} is invited. {no_mail()} Pass on the link below."
    mail_invitation(made, _link(request, made))
    return f"{made.to} is invited. A mail with the link is on its way."


def _link(request: HttpRequest, row: MemberInvitation) -> str:
    return request.build_absolute_uri(reverse("projects:accept", args=[row.code]))


@managers_only("POST", archived=True)
def member(request: HttpRequest, project: Project, member_id: int) -> HttpResponse:
    """Give a member another role, or remove the member. Who leaves the project sees its first page no more."""
    row = get_object_or_404(Membership.objects.select_related("user"), pk=member_id, project=project)
    name, own = row.user.get_username(), row.user_id == request.user.pk
    role = request.POST.get("role", "")
    try:
        if "remove" in request.POST:
            remove_member(row)
            messages.success(request, "You have left the project." if own else f"{name} is no longer a member.")
        elif role in Role.values:
            change_role(row, Role(role))
            messages.success(request, f"{name} is {role} now.")
        else:
            messages.error(request, f"Choose one of the roles {', '.join(Role.values)}.")
    except LastRequesterError as error:
        messages.error(request, str(error))
    except Membership.DoesNotExist:
        messages.error(request, f"{name} was removed by somebody else in this moment.")
    leaves = own and not Membership.objects.filter(pk=member_id, role=Role.REQUESTER).exists()
    if leaves and not request.user.is_superuser:
        return redirect("gallery:start")
    return redirect("projects:members", project.name)


@managers_only("POST", archived=True)
def withdraw(request: HttpRequest, project: Project, invitation_id: int) -> HttpResponse:
    """Withdraw an invitation that nobody has accepted."""
    row = get_object_or_404(MemberInvitation, pk=invitation_id, project=project)
    row.delete()
    messages.success(request, f"The invitation for {row.to} is withdrawn.")
    return redirect("projects:members", project.name)


@never_cache
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def accept(request: HttpRequest, code: str) -> HttpResponse:
    """Show the invitation; a POST accepts it. Nobody becomes a member by opening a link."""
    user = request.user
    assert isinstance(user, User)
    try:
        if request.method == "POST":
            made = accept_invitation(code, user)
            messages.success(request, f"You are {made.role} of this project now.")
            return redirect("gallery:project", made.project.name)
        invitation = find_invitation(code, user)
    except InvitationError as error:
        return render(request, "projects/accept.html", {"problem": str(error)}, status=410)
    context = {
        "invitation": invitation,
        "about": DUTIES[invitation.role],
        "works": Worker.objects.filter(user=user).exists(),
    }
    return render(request, "projects/accept.html", context)


def mail_invitation(invitation: MemberInvitation, link: str) -> None:
    """Write the mail with the link. A job sends it: no page waits for a mail server."""
    project = invitation.project.title or invitation.project.name
    text = TEXT.format(
        by=invitation.made_by.get_username(),
        project=project,
        role=invitation.role,
        until=f"{invitation.expires_at:%Y-%m-%d}",
        link=link,
    )
    write_mail(invitation.to, SUBJECT.format(project=project), text)
    enqueue_mail()
