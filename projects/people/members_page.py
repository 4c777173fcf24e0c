"""The page of members: who has which role in the project, and invitations for others."""

from typing import cast

from allauth.account.forms import SignupForm
from allauth.account.utils import complete_signup
from allauth.decorators import rate_limit
from django import forms
from django.contrib import messages
from django.contrib.auth.models import User
from django.contrib.auth.views import redirect_to_login
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from accounts.members import DAYS, MemberInvitationError, accept_invitation, find_invitation, open_invitations
from accounts.models import MemberInvitation, Membership, Role
from annotation.models import Project
from projects.access import operation_page
from projects.operation_form import CheckedChoice, form_for
from projects.operation_page import action_page, do_by_page, submit_form
from projects.people.join_operations import change_role, invite_member, remove_member, withdraw_invitation
from workers.models import Worker

DUTIES = {
    Role.VIEWER.value: "looks at images, pictures and statistics, and exports the annotation",
    Role.REVIEWER.value: "also corrects images, and reads who answered what",
    Role.REQUESTER.value: "manages everything here: settings, members, workers, money, deleting",
}
ROLES = tuple((role, f"{role}: {duty}") for role, duty in DUTIES.items())
MemberForm = form_for(
    invite_member,
    to=forms.CharField(
        label="Name or e-mail address",
        help_text="The name with which they sign in here, or an address.",
        widget=forms.TextInput({"autocomplete": "off", "autocapitalize": "none", "spellcheck": "false"}),
    ),
    role=CheckedChoice(choices=ROLES, initial=Role.VIEWER.value, widget=forms.RadioSelect, label="Role"),
)


@operation_page(invite_member, "GET", "POST")
def members(request: HttpRequest, project: Project) -> HttpResponse:
    """List the members and the open invitations; a POST makes an invitation."""
    form = MemberForm(request.POST or None)
    if submit_form(form, request, project):
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


def _link(request: HttpRequest, row: MemberInvitation) -> str:
    return request.build_absolute_uri(reverse("projects:accept", args=[row.code]))


@operation_page(change_role, "POST")
def member(request: HttpRequest, project: Project, member: int) -> HttpResponse:
    """Give a member another role, or remove the member. Who leaves the project sees its first page no more."""
    own = Membership.objects.filter(pk=member, user=cast(User, request.user)).exists()
    do_by_page(remove_member if "remove" in request.POST else change_role, request, project, member=member)
    leaves = own and not Membership.objects.filter(pk=member, role=Role.REQUESTER).exists()
    if leaves and not request.user.is_superuser:
        return redirect("gallery:start")
    return redirect("projects:members", project.name)


withdraw = action_page(withdraw_invitation, "projects:members")


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@rate_limit(action="signup")
def accept(request: HttpRequest, code: str) -> HttpResponse:
    """Show the invitation; a POST accepts it. Nobody becomes a member by opening a link.

    A visitor with an invitation to an address makes an account with the same press.
    """
    user = request.user
    try:
        invitation = find_invitation(code, user)
        form = None if isinstance(user, User) else _form(request, invitation)
        if request.method == "POST" and (form is None or form.is_valid()):
            return _accept(request, code, form)
    except MemberInvitationError as error:
        if not user.is_authenticated:
            return redirect_to_login(request.get_full_path())
        return render(request, "projects/accept.html", {"problem": str(error)}, status=410)
    context = {
        "invitation": invitation,
        "about": DUTIES[invitation.role],
        "works": Worker.objects.filter(user=user.pk).exists(),
        "form": form,
    }
    return render(request, "projects/accept.html", context)


def _form(request: HttpRequest, invitation: MemberInvitation) -> SignupForm:
    """Return the form of a new account. The password is typed once: a mail to the address brings another."""
    form = SignupForm(request.POST or None, initial={"email": invitation.to})
    del form.fields["password2"]
    return form


def _accept(request: HttpRequest, code: str, form: SignupForm | None) -> HttpResponse:
    with transaction.atomic():
        user = form.save(request) if form else cast(User, request.user)
        made = accept_invitation(code, user)
    address = reverse("gallery:project", args=[made.project.name])
    answer = complete_signup(request, user, None, address) if form else redirect(address)
    messages.success(request, f"You are {made.role} of this project now.")
    return answer
