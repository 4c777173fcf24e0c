"""Money, rights, deletion and every change on the admin pages ask for the password once more."""

import pytest
from django.contrib.auth.models import User
from django.test import Client

from accounts.add_member import add_member
from accounts.models import Membership, Right, RightKind, Role
from annotation.models import Project
from pipeline.project.settings_versions import open_project
from tests.support.members import with_rights
from tests.support.table import row

pytestmark = pytest.mark.django_db
PASSWORD, ASK = "engine and loom", "/account/reauthenticate/"


@pytest.fixture
def project() -> Project:
    return open_project(name="birds")


@pytest.fixture
def rita(project: Project, client: Client) -> Client:
    """The browser of a requester who has a password and every right, and who is an administrator."""
    rita = User.objects.create_superuser("rita", password=PASSWORD)
    add_member(with_rights(rita), project, Role.REQUESTER)
    client.force_login(rita)
    return client


@row("/projects/birds/workers/1/pay/")
@row("/projects/birds/workers/1/bonus/")
@row("/projects/birds/workers/1/assignments/")
@row("/projects/birds/recruit/prolific/offer/")
@row("/projects/birds/recruit/prolific/pay/")
@row("/projects/birds/recruit/prolific/payments/")
@row("/projects/birds/recruit/prolific/sessions/")
@row("/projects/birds/members/")
@row("/projects/birds/members/1/")
@row("/projects/birds/delete/")
@row("/account/rights/")
@row("/account/tokens/")
@row("/account/2fa/totp/activate/")
@row("/account/2fa/webauthn/add/")
@row("/account/email/")
@row("/admin/auth/user/add/")
@row("/admin/accounts/right/")
def test_the_password_is_asked_for_before(address: str, rita: Client) -> None:
    assert rita.post(address, {"action_add": "yes", "email": "new@example.org"})["Location"].startswith(ASK)


def test_what_was_sent_is_done_after_the_password_and_not_after_a_wrong_one(rita: Client, project: Project) -> None:
    eve = add_member(User.objects.create_user("eve"), project, Role.VIEWER)
    address = f"/projects/birds/members/{eve.pk}/"
    asked = rita.post(address, {"role": "reviewer"})["Location"]
    assert rita.post(asked, {"password": "wrong", "next": address}).status_code == 200
    assert Membership.objects.get(pk=eve.pk).role == "viewer"
    rita.post(asked, {"password": PASSWORD, "next": address})
    assert Membership.objects.get(pk=eve.pk).role == "reviewer"
    rita.post(address, {"role": "viewer"})
    assert Membership.objects.get(pk=eve.pk).role == "viewer", "once in a quarter of an hour is enough"


def test_a_change_on_the_admin_pages_is_done_after_the_password(rita: Client) -> None:
    right = Right.objects.get(kind=RightKind.ADMIN)
    address = f"/admin/accounts/right/{right.pk}/delete/"
    asked = rita.post(address, {"post": "yes"})["Location"]
    rita.post(asked, {"password": PASSWORD, "next": address})
    assert not Right.objects.filter(pk=right.pk).exists()


def test_who_has_neither_password_nor_factor_is_not_asked(project: Project, client: Client) -> None:
    rita = User.objects.create_user("rita")
    add_member(rita, project, Role.REQUESTER)
    client.force_login(rita)
    page = "/projects/birds/members/"
    assert client.post(page, {"to": "eve", "role": "viewer"})["Location"] == page
