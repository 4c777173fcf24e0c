"""Pages of members and of rights: who has which role, the links by which people join, and what accounts may do."""

from typing import Any, cast

from allauth.account.forms import SignupForm
from allauth.account.utils import complete_signup
from allauth.decorators import rate_limit
from django import forms
from django.contrib import messages
from django.contrib.admin.models import CHANGE, LogEntry
from django.contrib.auth.models import User
from django.contrib.auth.views import redirect_to_login
from django.db import transaction
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from accounts.members import DAYS, MemberInvitationError, accept_invitation, find_invitation, open_invitations
from accounts.models import MemberInvitation, Membership, RightKind, Role
from accounts.rights import accounts_of_staff, give_right, take_right
from annotation.models import Project
from annotation.rules.states import ProjectState
from pipeline.project.queries import tasks_of
from projects.access import administrators_only, operation_page
from projects.lifecycle.change_state import AdmissionWay, missing_known_questions, next_of_draft
from projects.operation_page import (
    CheckedChoice,
    CheckedChoices,
    OperationForm,
    action_page,
    do_by_page,
    done_or_refused,
    form_for,
    submit_form,
)
from projects.people.join_operations import (
    change_role,
    close_link,
    invite_member,
    invite_workers,
    remove_member,
    withdraw_invitation,
)
from runtime import clock
from workers.models import Invitation, Worker
from workers.task_words import task_name


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


WHO = (
    ("no", "newcomers: they take a test and are on probation, task by task"),
    ("yes", "people you know and trust: they work at once"),
)
InviteForm = form_for(
    invite_workers,
    trusted=forms.TypedChoiceField(
        choices=WHO, widget=forms.RadioSelect, initial="no", label="Who is it for?", coerce=lambda who: who == "yes"
    ),
    tasks=CheckedChoices(
        required=False,
        widget=forms.CheckboxSelectMultiple,
        label="Tasks",
        help_text="Choose none to invite to all of them.",
    ),
)


def invite_form(project: Project, sent: QueryDict | None) -> OperationForm:
    """Return the form of the terms of a link."""
    offered = tasks_of(project)
    waits = bool(missing_known_questions(project, [AdmissionWay("a link", frozenset(offered))]))
    form = InviteForm(sent, initial={"days": 14, "trusted": "yes" if waits else "no"})
    if waits:
        form.fields["trusted"].help_text = "Known questions are missing: newcomers would have to wait for them."
    tasks: Any = form.fields["tasks"]
    tasks.choices = [(task.value, task_name(task)) for task in offered]
    if len(offered) == 1:  # nothing to choose
        del form.fields["tasks"]
    return form


@operation_page(invite_workers, "GET", "POST")
def invitations(request: HttpRequest, project: Project) -> HttpResponse:
    """List the project's links; a POST makes one."""
    form = invite_form(project, request.POST or None)
    if made := done_or_refused(form, request, project):
        messages.success(request, "The link is made. Send it to the people whom you invite.")
        for warning in made.warnings:
            messages.warning(request, warning)
        return redirect("projects:invitations", project.name)
    is_draft = project.state == ProjectState.DRAFT.value
    links = [_invitation(request, project, row) for row in Invitation.objects.filter(project=project)]
    missing = missing_known_questions(project) if is_draft else []
    context = {
        "project": project,
        "form": form,
        "links": links,
        "draft": is_draft,
        "missing": missing,
        "is_done": bool(is_draft and links),
        "step": next_of_draft(project) if is_draft and links and not missing else None,
    }
    return render(request, "projects/invitations.html", context, status=400 if form.errors else 200)


def _invitation(request: HttpRequest, project: Project, row: Invitation) -> dict[str, Any]:
    offered = tasks_of(project)
    whole = task_name(offered[0]) if len(offered) == 1 else "all tasks"
    return {
        "row": row,
        "address": request.build_absolute_uri(reverse("join", args=[row.code])),
        "tasks": ", ".join(task_name(task) for task in offered if task.value in row.tasks) or whole,
        "why_closed": _why_closed(row),
    }


def _why_closed(row: Invitation) -> str:
    if row.expires_at and row.expires_at <= clock.now():
        return "expired or closed"
    return "used up" if row.most is not None and row.joined >= row.most else ""


close = action_page(close_link, "projects:invitations")


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
