"""Rights of accounts: given by an administrator, shown on one page, taken back, and never given by a membership.
The first administrator is made by the program, once.
The user named by an import becomes a requester of the project.
"""

from pathlib import Path

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.test import Client

from annotation.models import Project
from members.add_member import add_member
from members.change_members import remove_member
from members.first_account import first_account_words, make_first_account
from members.may import Action, has_right, may
from members.models import Membership, RightKind, Role
from members.rights import give_right
from pipeline.project.settings_versions import open_project
from scenes.write import write_source
from workers.models import Worker

pytestmark = pytest.mark.django_db

RIGHTS = "/account/rights/"


@pytest.fixture
def project() -> Project:
    return open_project(name="birds")


def client_of(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def rights_of(name: str) -> set[str]:
    return {kind.value for kind in RightKind if has_right(User.objects.get(username=name), kind)}


@pytest.mark.parametrize("role", Role)
def test_who_becomes_a_member_makes_no_projects_and_does_not_enter_the_admin_pages(project: Project, role: Role):
    eve = User.objects.create_user("eve")
    add_member(eve, project, role)
    assert not User.objects.get(pk=eve.pk).is_staff
    client = client_of(eve)
    assert client.get("/projects/new/").status_code == 403
    assert client.post("/projects/new/", {"title": "Mine", "language": "en"}).status_code == 403
    assert client.get("/projects/new/survey/").status_code == 403
    assert client.post("/api/v1/requester/projects/", {"name": "mine"}, "application/json").status_code == 403
    assert client.get("/admin/").status_code == 302 and client.get("/projects/birds/").status_code == 200
    assert Project.objects.count() == 1


def test_staff_by_the_flag_alone_enters_nothing() -> None:
    client = client_of(User.objects.create_user("eve", is_staff=True))
    assert client.get("/projects/new/").status_code == 403 and client.get("/admin/").status_code == 302


@pytest.mark.both_engines
def test_an_administrator_gives_a_right_and_takes_it_back_on_one_page(project: Project) -> None:
    boss, eve = User.objects.create_superuser("boss"), User.objects.create_user("eve")
    page = client_of(boss)
    assert page.post(RIGHTS, {"user": "eve", "kind": ["projects", "admin"]}).status_code == 302
    assert rights_of("eve") == {"projects", "admin"} and client_of(eve).get("/projects/new/").status_code == 200
    assert client_of(eve).get("/admin/").status_code == 200 and "given by boss" in page.get(RIGHTS).text
    assert page.post(RIGHTS, {"user": eve.pk, "take": "projects"}).status_code == 302 and rights_of("eve") == {"admin"}
    assert [one.change_message for one in LogEntry.objects.filter(object_id=str(eve.pk)).order_by("id")] == [
        "Gave the right to make projects.",
        "Gave the right to enter the admin pages.",
        "Took back the right to make projects.",
    ]


def test_nobody_else_opens_the_page_of_rights(project: Project) -> None:
    eve = User.objects.create_user("eve")
    add_member(eve, project, Role.REQUESTER)
    give_right(eve, RightKind.ADMIN, by=None)
    assert client_of(eve).get(RIGHTS).status_code == 404
    assert client_of(eve).post(RIGHTS, {"user": "eve", "kind": ["projects"]}).status_code == 404
    assert Client().get(RIGHTS)["Location"].startswith("/work/sign-in/")


@pytest.mark.both_engines
@pytest.mark.parametrize("end", ["removed", "deleted by the admin", "project deleted"])
def test_a_right_ends_with_the_membership_on_which_it_stands(project: Project, end: str) -> None:
    boss, eve = User.objects.create_superuser("boss"), User.objects.create_user("eve")
    member = add_member(eve, project, Role.REVIEWER)
    given = {"user": "eve", "kind": ["admin"], "project": "birds"}
    assert client_of(boss).post(RIGHTS, given).status_code == 302 and rights_of("eve") == {"admin"}
    if end == "removed":
        remove_member(member)
    elif end == "deleted by the admin":
        client_of(boss).post(f"/admin/members/membership/{member.pk}/delete/", {"post": "yes"})
    else:
        Project.objects.get(pk=project.pk).delete()
    assert (rights_of("eve"), Membership.objects.count()) == (set(), 0)


def test_a_right_for_a_workers_account_is_given_only_on_purpose() -> None:
    page = client_of(User.objects.create_superuser("boss"))
    Worker.objects.create(name="ada", user=User.objects.create_user("ada"))
    answer = page.post(RIGHTS, {"user": "ada", "kind": ["projects"]})
    assert (answer.status_code, rights_of("ada")) == (400, set())
    assert "answers questions with this account" in answer.text
    page.post(RIGHTS, {"user": "ada", "kind": ["projects"], "works": "on"})
    assert rights_of("ada") == {"projects"}


@pytest.mark.both_engines
def test_the_admin_makes_a_member_of_a_workers_account_only_on_purpose_and_presets_viewer(project: Project) -> None:
    page, address = client_of(User.objects.create_superuser("boss")), "/admin/members/membership/add/"
    Worker.objects.create(name="ada", user=User.objects.create_user("ada"))
    assert page.get(address).context["adminform"].form["role"].value() == "viewer"
    given = {"user": "ada", "project": project.pk, "role": "viewer"}
    assert "worker&#x27;s account" in page.post(address, given).text
    assert not Membership.objects.exists()
    page.post(address, {**given, "works": "on"})
    assert Membership.objects.get().user.username == "ada"


def test_a_new_database_gets_an_administrator_whose_password_is_shown_once() -> None:
    made = make_first_account()
    assert made is not None
    user = User.objects.get(username=made[0])
    assert user.is_superuser and user.check_password(made[1]) and first_account_words() is None


@pytest.mark.both_engines
def test_somebody_called_admin_does_not_become_administrator() -> None:
    User.objects.create_user("admin")
    made = make_first_account()
    assert made is not None and made[0] == "admin-2" and not User.objects.get(username="admin").is_superuser


@pytest.mark.both_engines
def test_the_owner_of_an_import_may_do_everything_in_the_project_and_nothing_elsewhere(tmp_path: Path) -> None:
    write_source(tmp_path / "scenes", seed=1, count=1)
    ada = User.objects.create_user("ada")
    call_command("import_dataset", "drawn", str(tmp_path / "scenes"), owner="ada")
    other = Project.objects.create(name="other")
    assert all(may(ada, action, Project.objects.get(name="drawn")) for action in Action)
    assert not any(may(ada, action, other) for action in Action)


@pytest.mark.both_engines
def test_an_unknown_owner_is_refused_before_anything_is_imported(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="no user 'nobody'"):
        call_command("import_dataset", "drawn", str(tmp_path), owner="nobody")
    assert not Project.objects.exists()
