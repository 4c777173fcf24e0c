"""Signing in as a member of a project."""

from django.contrib.auth.models import User
from django.test import Client

from annotation.models import Project
from members.add_member import add_member
from members.models import Role


def member(project: Project, role: Role, name: str = "reader") -> User:
    user = User.objects.create_user(name)
    add_member(user, project, role)
    return User.objects.get(pk=user.pk)


def sign_in(client: Client, project: Project, role: Role, name: str = "reader") -> None:
    """Sign the client in as a new user with this role."""
    client.force_login(member(project, role, name))
