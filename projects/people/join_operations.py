"""Operations on those who join: links for workers, members of a project, and their invitations."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from annotated_types import Ge, Le, MaxLen
from django.conf import settings
from django.contrib.auth.validators import UnicodeUsernameValidator
from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.urls import reverse
from pydantic import AfterValidator, Field, RootModel

from accounts.members import LastRequesterError, TooManyInvitationsError, is_address
from accounts.members import change_role as give_role
from accounts.members import invite_member as make_invitation
from accounts.members import remove_member as take_away
from accounts.models import MemberInvitation, Membership, Role
from annotation.models import Project
from annotation.rules.states import ProjectState
from labelling.messages import enqueue_mail, no_mail, write_mail
from pipeline.gold_questions.known_forecast import warnings
from pipeline.project.queries import NotAskedError, refuse_others
from projects.operation import (
    Acknowledgement,
    AsOption,
    Caller,
    Choice,
    Input,
    NoInput,
    Output,
    Refused,
    find_row,
    operation,
)
from projects.people.operations import TaskName
from workers.invitations import close_invitation, invite
from workers.models import Invitation

ROLES = tuple(role.value for role in Role)
SUBJECT = "Invitation to the project {project}"
TEXT = """{by} invites you to the project “{project}” as {role}.

Open this link to accept, until {until}. There you sign in, or make an account:

{link}

If you expected no invitation, do nothing.
"""


def _named(to: str) -> str:
    try:
        if is_address(to):
            validate_email(to)
        else:
            UnicodeUsernameValidator(message="Write a name as people sign in with it, or an e-mail address.")(to)
    except ValidationError as error:
        raise ValueError(" ".join(error.messages)) from error
    return to


RoleName = Annotated[str, Choice(ROLES), AsOption(), Field(title="Role")]


class TermsOfLink(Input):
    trusted: bool = False
    """Everybody who joins is trusted: no test, no probation."""
    tasks: list[TaskName] = Field(default_factory=list)
    """Choose none to invite to all of them."""
    most: Annotated[int, Ge(1), Le(100_000), Field(title="Maximum number of people")] | None = None
    """The link can be passed on. Empty: no limit."""
    days: Annotated[float, Ge(0.01), Le(3650), Field(title="Valid for (days)")] | None = None
    """Empty: until you close it."""
    note: Annotated[str, MaxLen(200)] = ""
    """For you: “spring class”."""


class InvitationNumber(Input):
    invitation: int


class NewMember(Input):
    to: Annotated[str, MaxLen(254), AfterValidator(_named), Field(title="Name or e-mail address")]
    """The name with which they sign in here, or an address."""
    role: RoleName = Role.VIEWER.value


class MemberNumber(Input):
    member: int


class RoleOfMember(MemberNumber):
    role: RoleName


class LinkForWorkers(Output):
    link: str
    warnings: list[str]
    """Sentences on known questions that newcomers lack."""


class MemberOfProject(Output):
    id: int
    name: str
    role: RoleName
    created_at: datetime


class MembersOfProject(RootModel[list[MemberOfProject]]):
    pass


@operation(
    surveys=True,
    path="invitations/",
    status=201,
    command="invite",
    guide="../how-to/find_workers.md",
    say=lambda made: "\n".join((made.link, *made.warnings)),
)
def invite_workers(project: Project, inputs: TermsOfLink, caller: Caller) -> LinkForWorkers:
    """Make a link by which workers join."""
    try:
        refuse_others(project, inputs.tasks)
    except NotAskedError as error:
        raise Refused("invalid", str(error), 400, field="tasks") from error
    made = invite(project_id=project.pk, **inputs.model_dump())
    must_qualify = not made.trusted and project.state != ProjectState.DRAFT
    return LinkForWorkers(
        link=settings.ADDRESS.rstrip("/") + reverse("join", args=[made.code]),
        warnings=[str(warning) for warning in warnings(project.pk)] if must_qualify else [],
    )


@operation(surveys=True, path="invitations/<int:invitation>/", method="delete")
def close_link(project: Project, inputs: InvitationNumber, caller: Caller) -> Acknowledgement:
    """Close a link: nobody joins by it any more, and whoever joined stays."""
    close_invitation(find_row(Invitation.objects.filter(project=project), inputs.invitation, "link"))
    return Acknowledgement(sentence="The link is closed. Whoever joined by it stays.")


@operation(name="members", surveys=True, archived=True, path="members/", method="get")
def list_members(project: Project, inputs: NoInput, caller: Caller) -> MembersOfProject:
    """List the members of a project with their roles."""
    rows = Membership.objects.filter(project=project).select_related("user").order_by("user__username")
    return MembersOfProject(
        [
            MemberOfProject(id=row.pk, name=row.user.get_username(), role=row.role, created_at=row.created_at)
            for row in rows
        ]
    )


@operation(surveys=True, archived=True, path="members/", status=201, password=True)
def invite_member(project: Project, inputs: NewMember, caller: Caller) -> Acknowledgement:
    """Invite somebody to become a member. Whether there is such an account is not looked up, and so not told."""
    if caller.user is None:
        raise Refused("invalid", "An invitation has an author: invite on the page Members, or by the API.", 400)
    if Membership.objects.filter(project=project, user__username=inputs.to).exists():
        message = f"{inputs.to} is a member already: change the role in the list."
        raise Refused("invalid", message, 400, field="to")
    try:
        made = make_invitation(project, inputs.to, Role(inputs.role), by=caller.user)
    except TooManyInvitationsError as error:
        raise Refused("invalid", str(error), 400, field="to") from error
    if not is_address(made.to):
        found = "If there is such an account, it finds the invitation on its first page."
    elif no_mail():
        found = f"{no_mail()} Pass on the link below."
    else:
        found = "A mail with the link is on its way."
        _mail(made)
    return Acknowledgement(sentence=f"{made.to} is invited. {found}")


def _mail(invitation: MemberInvitation) -> None:
    """Write the mail with the link. A job sends it: no page waits for a mail server."""
    project = invitation.project.title or invitation.project.name
    text = TEXT.format(
        by=invitation.made_by.get_username(),
        project=project,
        role=invitation.role,
        until=f"{invitation.expires_at:%Y-%m-%d}",
        link=settings.ADDRESS.rstrip("/") + reverse("projects:accept", args=[invitation.code]),
    )
    write_mail(invitation.to, SUBJECT.format(project=project), text)
    enqueue_mail()


@operation(surveys=True, archived=True, path="members/<int:member>/", method="patch", refusals=(409,), password=True)
def change_role(project: Project, inputs: RoleOfMember, caller: Caller) -> Acknowledgement:
    """Give a member another role. A project keeps one requester at least."""
    row = _member(project, inputs)
    try:
        give_role(row, Role(inputs.role))
    except LastRequesterError as error:
        raise Refused("not_possible", str(error)) from error
    except Membership.DoesNotExist as error:
        raise _gone(row) from error
    return Acknowledgement(sentence=f"{row.user} is {inputs.role} now.")


@operation(surveys=True, archived=True, path="members/<int:member>/", method="delete", refusals=(409,), password=True)
def remove_member(project: Project, inputs: MemberNumber, caller: Caller) -> Acknowledgement:
    """Remove a member, or leave the project yourself. A project keeps one requester at least."""
    row = _member(project, inputs)
    try:
        take_away(row)
    except LastRequesterError as error:
        raise Refused("not_possible", str(error)) from error
    except Membership.DoesNotExist as error:
        raise _gone(row) from error
    own = caller.user is not None and row.user_id == caller.user.pk
    return Acknowledgement(sentence="You have left the project." if own else f"{row.user} is no longer a member.")


@operation(surveys=True, archived=True, path="members/invitations/<int:invitation>/", method="delete")
def withdraw_invitation(project: Project, inputs: InvitationNumber, caller: Caller) -> Acknowledgement:
    """Withdraw an invitation of a member that nobody has accepted."""
    row = find_row(MemberInvitation.objects.filter(project=project), inputs.invitation, "invitation")
    row.delete()
    return Acknowledgement(sentence=f"The invitation for {row.to} is withdrawn.")


def _member(project: Project, inputs: MemberNumber) -> Membership:
    return find_row(Membership.objects.filter(project=project).select_related("user"), inputs.member, "member")


def _gone(row: Membership) -> Refused:
    return Refused("not_possible", f"{row.user} was removed by somebody else in this moment.")
