"""Rights of accounts: given by an administrator, shown on one page, taken back, and never given by a membership.
The first administrator is made by the program, once.
The user named by an import becomes a requester of the project.
The event log: sign-ins, refusals, rights, keys, links, exports of the record; rows and JSON lines, never a secret.
"""

import io
import json
import logging
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from accounts import events
from accounts.may import Action, has_right, may
from accounts.members import add_member, remove_member
from accounts.models import Membership, RequesterToken, RightKind, Role, SecurityEvent
from accounts.rights import first_account_words, give_right, make_first_account
from annotation.models import Project
from config.logs import log_settings
from labelling.joining.account_adapter import recovery_link
from pipeline.project.settings_versions import open_project
from simulation.scenes.scene import write_source
from tests.support.members import member
from tests.support.table import case
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
        client_of(boss).post(f"/admin/accounts/membership/{member.pk}/delete/", {"post": "yes"})
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
    page, address = client_of(User.objects.create_superuser("boss")), "/admin/accounts/membership/add/"
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


# --- The event log ---

NEW = {"password1": "a loom engine", "password2": "a loom engine"}
ALERTS, HOOK = "/projects/birds/alerts/", "https://example.org/x"
PASSWORD_OF_EVE, API = "/admin/auth/user/77/password/", "/api/v1/requester/"
NEW_OF_EVE = {"password1": "a loom engine", "password2": "a loom engine", "usable_password": "true"}


def logged(**wanted: str) -> list[tuple[str, str, str, str]]:
    return list(SecurityEvent.objects.filter(**wanted).order_by("pk").values_list("actor", "address", "what", "result"))


@pytest.fixture
def root() -> Client:
    return client_of(User.objects.create_superuser("root"))


def test_sign_ins_and_failed_ones_are_logged_with_who_from_where_and_never_what_was_typed(client: Client) -> None:
    User.objects.create_user("ada", password="engine and loom")
    for name, password in (("ada", "engine and loom"), ("ada", "engine and lamp"), ("my password, by mistake", "x")):
        client.post("/account/login/", {"login": name, "password": password}, REMOTE_ADDR="192.0.2.7")
        client.post("/account/logout/", REMOTE_ADDR="192.0.2.7")
    assert logged(kind="sign in") == [("ada", "192.0.2.7", "/account/login/", "done")]
    assert logged(kind="sign out") == [("ada", "192.0.2.7", "/account/logout/", "done")]
    assert logged(kind="failed sign in") == [
        ("ada", "192.0.2.7", "/account/login/", "refused"),
        ("", "192.0.2.7", "/account/login/, a name that nobody has", "refused"),
    ]
    at = SecurityEvent.objects.earliest("pk").at
    assert at.utcoffset() == timedelta()


@pytest.mark.both_engines
def test_refusals_are_logged_by_address_without_codes_and_tokens(project: Project, client: Client) -> None:
    eve = User.objects.create_user("eve")
    add_member(eve, project, Role.VIEWER)
    client.force_login(eve)
    assert client.get("/projects/birds/members/?page=secret").status_code == 403
    for header in ("Token secret", "Key secret", "Bearer secret"):
        Client().get("/api/v1/preferences/", headers={"Authorization": header})
    Client().post("/api/v1/assignments/00000000-0000-0000-0000-000000000001/submit/")
    found = logged(kind="refusal")
    assert found[0] == ("eve", "127.0.0.1", "GET /projects/birds/members/", "403")
    assert found[-1] == ("", "127.0.0.1", "POST /api/v1/assignments/<uuid:token>/submit/", "401")
    assert "secret" not in str(found)


def test_a_flood_of_refusals_writes_one_row_and_seldom(client: Client) -> None:
    with CaptureQueriesContext(connection) as statements:
        for _ in range(100):
            client.get("/api/v1/preferences/")
    assert sum("accounts_securityevent" in one["sql"] for one in statements) == 7
    assert SecurityEvent.objects.get().count == 64, "the row says at least how many"


def test_a_flood_of_different_refusals_ends_in_one_row(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(events, "MAX_REPEATED_PER_HOUR", 3)
    for number in range(40):
        client.get("/api/v1/preferences/", REMOTE_ADDR=f"192.0.2.{number}")
    assert [row.count for row in SecurityEvent.objects.order_by("pk")] == [1, 1, 1, 32]
    assert SecurityEvent.objects.latest("pk").what == events.OTHERS


def test_rights_roles_and_keys_are_logged_with_who_gave_and_took_them(root: Client, project: Project) -> None:
    User.objects.create_user("eve")
    give_right(User.objects.get(username="eve"), RightKind.PROJECTS, by=None)
    add_member(User.objects.get(username="eve"), project, Role.VIEWER)
    add_member(User.objects.get(username="eve"), project, Role.REVIEWER)
    Membership.objects.all().delete()
    call_command("make_api_key", "robot", project="birds")
    eve = client_of(User.objects.get(username="eve"))
    add_member(User.objects.get(username="eve"), project, Role.REQUESTER)
    eve.post("/account/tokens/", {"name": "nightly", "scopes": ["read"], "days": 30})
    eve.post(f"/account/tokens/{RequesterToken.objects.get().pk}/revoke/")
    User.objects.filter(username="root").get().delete()
    rights, keys = logged(kind="rights"), logged(kind="keys")
    assert [(actor, what, result) for actor, _, what, result in rights] == [
        ("this machine", "administrator root", "given"),
        ("this machine", "eve: right projects", "given"),
        ("this machine", "eve: viewer of birds", "given"),
        ("this machine", "eve: reviewer of birds", "changed"),
        ("this machine", "eve: reviewer of birds", "taken"),
        ("this machine", "eve: requester of birds", "given"),
        ("this machine", "administrator root", "taken"),
    ]
    assert [(actor, what.partition(" ")[0], result) for actor, _, what, result in keys] == [
        ("this machine", "key", "made"),
        ("eve", "token", "made"),
        ("eve", "token", "revoked"),
    ]
    assert RequesterToken.objects.get().prefix not in str(keys)


@case("a link", lambda root: call_command("recovery_link", "eve"), "recovery link", "link for eve", "made")
@case("a new password", lambda root: root.post(PASSWORD_OF_EVE, NEW_OF_EVE), "password", "password of eve", "changed")
@case("a webhook", lambda root: root.post(ALERTS, {"add": "hook", "url": HOOK}), "keys", "webhook 1 of birds", "made")
@case("an export", lambda root: list(root.get("/projects/birds/export/jsonl/")), "export", "jsonl of birds", "done")
@case("judgments", lambda root: root.get(f"{API}projects/birds/judgments/"), "export", "judgments of birds", "done")
@case("the ledger", lambda root: root.get(f"{API}projects/birds/ledger/"), "export", "ledger of birds", "done")
def test_what_opens_accounts_and_what_takes_out_the_record_is_logged(
    act: Callable[[Client], object], kind: str, what: str, result: str, root: Client, project: Project
) -> None:
    User.objects.create_user("eve", email="eve@example.org", pk=77)
    act(root)
    assert [(what, result) for _, _, what, result in logged(kind=kind)] == [(what, result)]


def test_a_link_that_opened_an_account_is_logged_as_used(client: Client) -> None:
    eve = User.objects.create_user("eve", password="engine and loom")
    form = client.get(recovery_link(eve, ""), follow=True)
    client.post(form.redirect_chain[-1][0], NEW)
    assert [(actor, what, result) for actor, _, what, result in logged(kind="recovery link")] == [
        ("this machine", "link for eve", "made"),
        ("eve", "link for eve", "used"),
    ]


def test_administrators_alone_read_the_log_and_nobody_changes_it(root: Client, project: Project) -> None:
    events.record(events.Kind.KEYS, "key 1 of robot", result="made")
    row = SecurityEvent.objects.latest("pk")
    page = root.get("/admin/accounts/securityevent/?kind__exact=keys").text
    assert "key 1 of robot" in page and f"{row.at:%Y-%m-%d %H:%M:%S}+00:00" in page
    assert root.post(f"/admin/accounts/securityevent/{row.pk}/change/", {}).status_code == 403
    assert client_of(member(project, Role.REQUESTER)).get("/admin/accounts/securityevent/").status_code == 403


def test_each_event_of_a_server_is_a_line_of_json(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, django_capture_on_commit_callbacks: Any
) -> None:
    told = io.StringIO()
    monkeypatch.setattr(logging.getLogger("accounts.events").handlers[0], "stream", told)
    for at_a_terminal, level in ((True, "WARNING"), (False, "INFO")):
        logs = log_settings("plain", "WARNING", event_lines=not at_a_terminal)
        assert logs["loggers"]["accounts.events"]["level"] == level
    caplog.set_level(logging.INFO, "accounts.events")
    with django_capture_on_commit_callbacks(execute=True):
        events.record(events.Kind.KEYS, 'key 1 of "robot"\nX', result="made")
    line = json.loads(told.getvalue())
    assert line["event"] == "keys" and line["what"] == 'key 1 of "robot"\nX' and line["at"].endswith("+00:00")
    assert {"actor", "address", "result", "request_id", "count"} <= set(line) and told.getvalue().count("\n") == 1
