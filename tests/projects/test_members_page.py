"""The page of members: invite by name or address, change roles, remove; and what invited people see."""

import re
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from accounts.members import MOST_OPEN, LastRequesterError, add_member, change_role, remove_member
from accounts.models import MemberInvitation, Membership, Role
from annotation.models import Project
from labelling.messages import send_due_mail
from pipeline.project.settings_versions import open_project
from runtime import clock
from tests.support.table import row
from workers.models import Worker

pytestmark = pytest.mark.django_db
PAGE = "/projects/birds/members/"


@pytest.fixture(autouse=True)
def _private(settings: Any) -> None:
    settings.GALLERY_PUBLIC = False


@pytest.fixture
def project() -> Project:
    return open_project(name="birds", title="Birds")


@pytest.fixture
def rita(project: Project) -> Client:
    """The requester."""
    return signed_in("rita", project, Role.REQUESTER)


def signed_in(name: str, project: Project | None = None, role: Role = Role.VIEWER) -> Client:
    user, client = User.objects.create_user(name), Client()
    if project is not None:
        add_member(user, project, role)
    client.force_login(user)
    return client


def role_of(name: str) -> str | None:
    return Membership.objects.filter(user__username=name).values_list("role", flat=True).first()


def link_in(page: str) -> str:
    return re.findall(r"/account/membership/[\w-]+/", page)[-1]


def invite(rita: Client, to: str, **given: str) -> str:
    return rita.post(PAGE, {"to": to, "role": "viewer", **given}, follow=True).text


def test_somebody_is_added_by_name_as_a_viewer_and_accepts_on_the_first_page(rita: Client) -> None:
    assert re.search(r'value="viewer"[^>]*checked', rita.get(PAGE).text), "viewer is preset"
    eve = signed_in("eve")
    invite(rita, "eve")
    assert role_of("eve") is None, "nobody is a member before accepting"
    link = link_in(eve.get("/").text)
    said = eve.get(link).text
    assert "Birds" in said and "looks at images" in said
    assert role_of("eve") is None, "nobody becomes a member by opening a link"
    assert eve.post(link, follow=True).redirect_chain[-1][0] == "/projects/birds/"
    assert (role_of("eve"), MemberInvitation.objects.count()) == ("viewer", 0)
    assert eve.post(link).status_code == 410, "it works once"


def test_an_unknown_name_is_answered_as_a_known_one(rita: Client) -> None:
    User.objects.create_user("known")

    def told(name: str) -> tuple[str, int]:
        page = invite(rita, name)
        MemberInvitation.objects.all().delete()
        # The link and the token of the form differ each time.
        plain = re.sub(r"membership/[\w-]+/|value=\"\w{64}\"|invitations/\d+/|<time.*?</time>", "", page)
        return plain.replace(name, "NAME"), len(plain) - len(name) * plain.count(name)

    assert told("known") == told("nobody") and "If there is such an account" in told("known")[0]


def test_an_invitation_to_a_name_is_for_that_account_alone(rita: Client) -> None:
    link, other = link_in(invite(rita, "eve")), signed_in("other")
    assert other.get(link).status_code == 410 and other.post(link).status_code == 410
    assert "/account/membership/" not in other.get("/").text
    assert Client().get(link)["Location"].startswith("/account/login/")


@pytest.mark.both_engines
def test_a_worker_who_chose_the_name_after_the_invitation_is_not_meant(rita: Client) -> None:
    link, eve = link_in(invite(rita, "eve")), signed_in("eve")
    Worker.objects.create(name="eve", user=User.objects.get(username="eve"))
    assert eve.post(link).status_code == 410 and role_of("eve") is None


@pytest.mark.both_engines
def test_a_worker_is_told_that_the_account_works_and_becomes_a_member_only_by_the_button(rita: Client) -> None:
    ada = signed_in("ada")
    Worker.objects.create(name="ada", user=User.objects.get(username="ada"))
    link = link_in(invite(rita, "ada"))
    assert "You answer questions with this account" in ada.get(link).text
    ada.post(link)
    assert role_of("ada") == "viewer" and "also answers questions with this account" in rita.get(PAGE).text


def test_an_invitation_to_an_address_is_mailed_and_whoever_has_the_link_accepts(
    rita: Client, settings: Any, mailoutbox: list[Any]
) -> None:
    assert "A mail with the link is on its way" in invite(rita, "eve@example.org", role="reviewer")
    send_due_mail()
    assert mailoutbox[0].to == ["eve@example.org"] and "Birds" in mailoutbox[0].subject
    link = link_in(mailoutbox[0].body)
    signed_in("whoever").post(link)
    assert role_of("whoever") == "reviewer"
    settings.EMAIL_BACKEND = "django.core.mail.backends.dummy.EmailBackend"
    assert "Pass on the link below" in invite(rita, "max@example.org") and send_due_mail() == 0


NEW = {"username": "eve", "password1": "engine and loom"}


def test_whoever_has_no_account_makes_one_behind_the_link_and_is_a_member(rita: Client) -> None:
    link, visitor = link_in(invite(rita, "eve@example.org", role="reviewer")), Client()
    page = visitor.get(link).text
    assert "Birds" in page and 'value="eve@example.org"' in page and f"/account/login/?next={link}" in page
    assert visitor.post(link, {**NEW, "password1": "password"}).status_code == 200 and role_of("eve") is None
    sent = visitor.post(link, {**NEW, "email": "eve@example.org"}, follow=True)
    assert sent.redirect_chain == [("/projects/birds/", 302)] and "You are reviewer of this project now." in sent.text
    assert role_of("eve") == "reviewer" and User.objects.get(username="eve").email == "eve@example.org"
    assert not Worker.objects.exists(), "a collaborator is no worker"


def test_a_link_that_ended_makes_no_account(rita: Client) -> None:
    link = link_in(invite(rita, "eve@example.org"))
    MemberInvitation.objects.all().delete()
    assert Client().post(link, NEW)["Location"].startswith("/account/login/")
    assert not User.objects.filter(username="eve").exists()


@pytest.mark.both_engines
@pytest.mark.parametrize("end", ["withdrawn", "expired", "its maker lost the role", "its maker's account was closed"])
def test_an_invitation_that_ended_lets_nobody_in(rita: Client, project: Project, end: str) -> None:
    eve, link = signed_in("eve"), link_in(invite(rita, "eve"))
    if end == "withdrawn":
        rita.post(f"{PAGE}invitations/{MemberInvitation.objects.get().pk}/")
    elif end == "expired":
        MemberInvitation.objects.update(expires_at=clock.now() - timedelta(seconds=1))
    elif end == "its maker lost the role":
        Membership.objects.filter(user__username="rita").update(role=Role.REVIEWER)
    else:
        User.objects.filter(username="rita").update(is_active=False)
    assert eve.post(link).status_code == 410 and "/account/membership/" not in eve.get("/").text
    assert role_of("eve") is None


@row("", "required")
@row("a b", "Write a name as people sign in")
@row("a@b", "valid email")
@row("rita", "is a member already")
@row("x" * 300, "at most 254")
def test_what_is_no_name_and_no_address_is_refused(to: str, said: str, rita: Client) -> None:
    answer = rita.post(PAGE, {"to": to, "role": "viewer"})
    assert answer.status_code == 400 and said in answer.text and not MemberInvitation.objects.exists()


def test_a_names_second_invitation_replaces_the_first_and_there_is_a_limit(rita: Client, project: Project) -> None:
    first = link_in(invite(rita, "eve"))
    invite(rita, "eve", role="reviewer")
    assert (MemberInvitation.objects.get().role, signed_in("eve").post(first).status_code) == ("reviewer", 410)
    maker, until = User.objects.get(username="rita"), clock.now() + timedelta(days=1)
    rows = [
        MemberInvitation(project=project, to=f"n{n}", code=f"c{n}", made_by=maker, expires_at=until)
        for n in range(MOST_OPEN - 1)
    ]
    MemberInvitation.objects.bulk_create(rows)
    assert "withdraw some" in rita.post(PAGE, {"to": "one-more", "role": "viewer"}).text


@pytest.mark.both_engines
def test_roles_are_changed_and_members_removed_but_never_the_last_requester(rita: Client, project: Project) -> None:
    eve, own = signed_in("eve", project), Membership.objects.get(user__username="rita")
    one = Membership.objects.get(user__username="eve")
    rita.post(f"{PAGE}{one.pk}/", {"role": "reviewer"})
    assert role_of("eve") == "reviewer"
    for what in ({"role": "viewer"}, {"remove": "1"}):
        assert "the project&#x27;s last requester" in rita.post(f"{PAGE}{own.pk}/", what, follow=True).text
    assert role_of("rita") == "requester"
    assert rita.post(f"{PAGE}{one.pk}/", {"role": "owner"}, follow=True).status_code == 200
    rita.post(f"{PAGE}{one.pk}/", {"role": "requester"})
    assert rita.post(f"{PAGE}{own.pk}/", {"remove": "1"})["Location"] == "/"
    assert (role_of("rita"), role_of("eve")) == (None, "requester")
    assert rita.get(PAGE).status_code == 404 and eve.get(PAGE).status_code == 200


def test_two_requesters_who_remove_each_other_leave_one(project: Project) -> None:
    for name in ("rita", "eve"):
        signed_in(name, project, Role.REQUESTER)
    first, second = Membership.objects.order_by("pk")
    remove_member(first)
    with pytest.raises(LastRequesterError):
        remove_member(second)  # read before the other one was removed
    with pytest.raises(Membership.DoesNotExist):
        change_role(first, Role.VIEWER)


def test_a_requester_whose_account_is_closed_does_not_count(project: Project) -> None:
    signed_in("rita", project, Role.REQUESTER)
    signed_in("gone", project, Role.REQUESTER)
    User.objects.filter(username="gone").update(is_active=False)
    with pytest.raises(LastRequesterError):
        remove_member(Membership.objects.get(user__username="rita"))
