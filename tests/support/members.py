"""Signing in as a member of a project."""

from allauth.mfa.models import Authenticator
from allauth.usersessions.models import UserSession
from django.contrib.auth.models import User
from django.test import Client

from accounts.members import add_member
from accounts.models import RightKind, Role
from accounts.rights import give_right
from annotation.models import Project


def member(project: Project, role: Role, name: str = "reader") -> User:
    """Return a new user with this role, who may enter the admin pages."""
    user = with_rights(User.objects.create_user(name), RightKind.ADMIN)
    add_member(user, project, role)
    return User.objects.get(pk=user.pk)


def with_rights(user: User, *kinds: RightKind) -> User:
    """Give the user these rights; without any, all of them. Returns the user."""
    for kind in kinds or RightKind:
        give_right(user, kind, by=None)
    return user


def maker(name: str = "rita") -> User:
    """Return a new user with every right, and a member of no project."""
    return with_rights(User.objects.create_user(name))


def add_factor_and_session() -> None:
    """Make an account with a second factor, and a browser in which it is signed in."""
    user = User.objects.create_user("holder of a key")
    Authenticator.objects.create(user=user, type="webauthn", data={"name": "a key"})
    UserSession.objects.create(user=user, ip="192.0.2.7", session_key=f"session of {user}", user_agent="a browser")


def sign_in(client: Client, project: Project, role: Role, name: str = "reader") -> None:
    """Sign the client in as a new user with this role."""
    client.force_login(member(project, role, name))
