"""Everybody who may come near a project: signed in, each with a client, beside a project with a row of every model."""

from collections.abc import Iterator
from contextlib import contextmanager
from copy import copy, deepcopy
from dataclasses import dataclass
from io import BytesIO
from typing import Any
from unittest import mock

from django.contrib import auth
from django.contrib.auth.models import AnonymousUser, Group, User
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.template import Template
from django.test import Client
from django.test.signals import template_rendered
from django.urls import reverse
from drf_spectacular.views import SpectacularAPIView
from rest_framework.response import Response
from unfold.sites import UnfoldAdminSite

from accounts.members import add_member
from accounts.models import MemberInvitation, Role
from annotation.models import Image, Project
from annotation.pictures import store_picture
from pipeline.models import Question
from projects.models import GoldImage
from tests.support.members import add_factor_and_session, maker, member
from tests.support.pictures import plain_jpeg
from tests.support.projects import phrases, project_of
from tests.support.rows import make_story
from workers.models import Worker
from workers.tokens import make_page_token

ACTORS = {
    "A": "anonymous",
    "W": "worker",
    "S": "an account with every right and no membership",
    "O": "requester of another project",
    "V": "viewer without any right",
    "R": "reviewer",
    "B": "reviewer who is requester of another project",
    "Q": "requester",
    "D": "administrator",
}
ALL, SIGNED_IN, NOBODY = "AWSOVRQD", "WSOVRQD", ""
MAKER, STAFF = "SD", "SORQD"
"""Rights that no role gives: to make projects, and to enter the admin pages. O, R and Q have the last."""
LOOK, RECORD, MANAGE, ADMIN = "VRQD", "RQD", "QD", "D"
STRONG = {"o": None, "v": Role.VIEWER, "r": Role.REVIEWER, "q": Role.REQUESTER}
"""Users with this role in ours, every right, and requesters of another project: all that must not help there."""


def expected(allowed: str) -> set[str]:
    """Return the actors of a row in a table. B, who is both R and O, gets in where one of them does."""
    return set(allowed) | ({"B"} if set("RO") & set(allowed) else set())


@dataclass(frozen=True)
class Place:
    """A project with a row of every model, and everybody who may come near it."""

    project: Project
    image: Image
    story: Image
    users: dict[str, User]
    clients: dict[str, Client]
    headers: dict[str, dict[str, str]]


def make_place() -> Place:
    """Make both projects and all users. The gallery must not be public."""
    project = project_of(phrases("people: a man"), name="ours")
    other = project_of(phrases("people: a man"), name="other")
    image = project.images.get()
    image.picture = store_picture(BytesIO(plain_jpeg()), picture_format="JPEG")
    image.save()
    GoldImage.objects.create(image=image, place=1, annotators=1)
    story = make_story(project)
    story.boxes.update(state="accepted")  # it is part of a merged box
    story.picture = image.picture
    story.save()
    shown = {"mentions": [[0, 0, 0, 2]], "boxes": [[10, 10, 40, 70]], "new_box": [10, 10, 40, 70]}
    Question.objects.filter(image=story).update(shown=shown)
    Group.objects.create(name="group")
    ada = Worker.objects.get(accesses__project=project)
    ada.user = User.objects.create_user("ada")
    ada.save()
    add_factor_and_session()
    users = {
        "W": ada.user,
        "S": maker("staff"),
        "O": member(other, Role.REQUESTER, "outsider"),
        "V": add_member(User.objects.create_user("viewer"), project, Role.VIEWER).user,
        "R": member(project, Role.REVIEWER, "reviewer"),
        "Q": member(project, Role.REQUESTER, "requester"),
        "B": _both(project, other),
        "D": User.objects.create_superuser("boss"),
        **{letter: _strong(project, role, other) for letter, role in STRONG.items()},
    }
    MemberInvitation.objects.update(made_by=users["Q"])  # it counts as long as its maker manages the project
    clients = {letter: Client() for letter in (*ACTORS, *STRONG)}
    for letter, user in users.items():
        clients[letter].force_login(user)
    headers = {"W": {"Authorization": f"Bearer {make_page_token(ada.pk, None)}"}}
    return Place(project, image, story, users, clients, headers)


def _both(project: Project, other: Project) -> User:
    user = member(project, Role.REVIEWER, "both")
    add_member(user, other, Role.REQUESTER)
    return user


def _strong(project: Project, role: Role | None, other: Project) -> User:
    user = maker(f"strong {role or 'stranger'}")
    add_member(user, other, Role.REQUESTER)
    if role:
        add_member(user, project, role)
    return user


def answer(place: Place, actor: str, method: str, address: str, data: dict[str, Any] | None = None) -> Any:
    """Ask as this actor, and undo whatever that did. An error of the service is raised."""
    client = place.clients[actor]
    cookies = deepcopy(client.cookies)
    with transaction.atomic():
        extra: dict[str, Any] = {"headers": place.headers.get(actor), "ACTOR": actor}
        if method == "GET":
            found = client.get(address, **extra)
        else:
            found = client.post(address, data or {"action": "send"}, **extra)
        transaction.set_rollback(True)
    if found.streaming:
        b"".join(found)  # closes the file
    client.cookies = cookies
    return found


def gets_in(response: HttpResponse) -> bool:
    """Tell whether the answer is neither a refusal, nor "not found", nor a way to sign in."""
    if response.status_code in (401, 403, 404, 405):
        return False
    to = response.get("Location", "").split("?")[0]
    # The admin leads from a row that the user does not see to its first page.
    return to not in (reverse("admin:login"), reverse("account_login"), reverse("admin:index"))


@contextmanager
def quick(place: Place) -> Iterator[None]:
    """Leave pages empty and read no sessions, which halves the time. The views decide as always."""

    def leave_empty(template: Template, context: Any) -> str:
        template_rendered.send(sender=template, template=template, context=context)
        return ""

    def find_user(request: HttpRequest) -> User | AnonymousUser:
        # A new object for each request, as Django makes it: what it remembers ends with the request.
        return copy(place.users.get(request.META["ACTOR"])) or AnonymousUser()

    with (
        mock.patch.object(Template, "_render", leave_empty),
        mock.patch.object(UnfoldAdminSite, "each_context", lambda site, request: {}),
        mock.patch.object(SpectacularAPIView, "_get_schema_response", lambda view, request: Response({})),
        mock.patch.object(auth, "get_user", find_user),
    ):
        yield
