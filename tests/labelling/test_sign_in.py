"""Signing in, limits for whoever guesses, and links for forgotten passwords."""

import re
import time
from collections.abc import Callable
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.contrib.auth.password_validation import validate_password
from django.core import mail
from django.core.exceptions import ValidationError
from django.core.management import CommandError, call_command
from django.test import Client, RequestFactory
from django.urls import reverse

from accounts.add_member import add_member
from accounts.models import RightKind, Role, SecurityEvent
from annotation.models import Project
from labelling.joining import forms, throttle
from labelling.joining.recovery import recovery_link
from labelling.messages.outbox import send_due_mail
from labelling.models import OutgoingMail
from pipeline.project.settings_versions import open_project
from tests.labelling.conftest import with_account
from tests.support.members import member, with_rights
from tests.support.projects import phrases, project_of, worker
from tests.support.table import case, row
from workers.address_of import address_of
from workers.grant_access import worker_for
from workers.models import Worker

pytestmark = pytest.mark.django_db
SIGN_IN, HOME = "/work/sign-in/", "/work/"
PASSWORD, WRONG = "engine and loom", [("ada", "wrong")] * 4


@pytest.fixture(autouse=True)
def still(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the sentences about how long to wait not depend on how long the tries took."""
    moment = datetime.now(UTC)
    monkeypatch.setattr(throttle, "clock", SimpleNamespace(now=lambda: moment))


@pytest.fixture
def ada() -> User:
    return User.objects.create_user("ada", password=PASSWORD)


def sign_in(client: Client, name: str = "ada", password: str = PASSWORD, **more: Any) -> Any:
    return client.post(SIGN_IN, {"username": name, "password": password, **more})


def test_the_right_password_leads_to_the_work(client: Client, ada: User) -> None:
    response = sign_in(client)
    assert (response.status_code, response["Location"]) == (302, HOME)
    assert client.session["_auth_user_id"] == str(ada.pk)


@pytest.mark.both_engines
def test_staff_who_sign_in_at_the_workers_page_come_to_the_projects(client: Client) -> None:
    eve = with_rights(User.objects.create_user("eve", password=PASSWORD))
    assert sign_in(client, "eve")["Location"] == reverse("gallery:start")
    assert client.get(SIGN_IN)["Location"] == reverse("gallery:start")
    page = client.get(HOME).text
    assert f'href="{reverse("gallery:start")}">Go to the projects' in page
    assert f'href="{reverse("admin:index")}">Go to the admin pages' in page
    worker_for(eve)
    assert client.get(SIGN_IN)["Location"] == HOME, "staff who work, too, come to their work"


def test_a_page_that_needs_signing_in_is_shown_after_it(client: Client, ada: User) -> None:
    asked = client.get("/work/drawn/")
    assert asked["Location"] == f"{SIGN_IN}?next=/work/drawn/"
    assert 'name="next" value="/work/drawn/"' in client.get(asked["Location"]).text
    assert sign_in(client, next="/work/drawn/")["Location"] == "/work/drawn/"


def test_signing_in_never_leads_to_another_site(client: Client, ada: User) -> None:
    assert sign_in(client, next="https://evil.example/")["Location"] == HOME


def test_an_unknown_name_a_wrong_password_and_a_closed_account_are_answered_alike(client: Client, ada: User) -> None:
    User.objects.create_user("bob", password=PASSWORD, is_active=False)
    said = [
        sign_in(client, name, password).context["form"].non_field_errors()
        for name, password in (("ada", "wrong"), ("nobody", "wrong"), ("bob", PASSWORD))
    ]
    assert said[0] == said[1] == said[2] == ["The name or the password is wrong. Both are case-sensitive."]


def test_after_five_wrong_passwords_even_the_right_one_has_to_wait(client: Client, ada: User) -> None:
    for name in ("ada", "Ada", "ADA", "aDa", "adA"):
        assert sign_in(client, name, "wrong").status_code == 200
    response = sign_in(client)
    assert response.status_code == 429 and "Too many tries. Wait 15 minutes, then try again." in response.text
    assert "_auth_user_id" not in client.session


def test_the_wait_is_as_long_for_a_name_that_nobody_has(client: Client) -> None:
    assert [sign_in(client, "nobody", "wrong").status_code for _ in range(6)] == [200] * 5 + [429]


@case("the wait for one name leaves the others alone", [("bob", "wrong")] * 6, 302)
@case("a success clears the count of the account", [*WRONG, ("ada", PASSWORD), *WRONG], 302)
@case("an empty password does not clear the count", [*WRONG, ("ada", ""), ("ada", "wrong")], 429)
def test_what_wrong_passwords_count_for(tries: list[tuple[str, str]], status: int, client: Client, ada: User) -> None:
    for name, password in tries:
        client.logout()
        sign_in(client, name, password)
    assert sign_in(client).status_code == status


def test_the_wait_ends(client: Client, ada: User, monkeypatch: pytest.MonkeyPatch) -> None:
    for _ in range(6):
        sign_in(client, password="wrong")
    later = time.time() + throttle.WINDOW + 1
    monkeypatch.setattr("time.time", lambda: later)
    assert sign_in(client).status_code == 302


def test_an_address_that_tries_many_names_has_to_wait(client: Client, ada: User, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(forms, "TRIES_PER_ADDRESS", 3)
    for name in ("one", "two", "three"):
        sign_in(client, name, "wrong")
    assert sign_in(client).status_code == 429
    client.defaults["REMOTE_ADDR"] = "192.0.2.7"
    assert sign_in(client).status_code == 302


def test_successes_do_not_count_against_an_address(client: Client, ada: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(forms, "TRIES_PER_ADDRESS", 1)
    for _ in range(3):
        client.logout()
        assert sign_in(client).status_code == 302


@row("192.0.2.7", "192.0.2.7")
@row("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64")
@row("2001:db8:1:2:ffff::", "2001:db8:1:2::/64")
@row("", "")
def test_a_long_address_counts_by_the_part_that_one_customer_has(given: str, counted: str) -> None:
    assert address_of(RequestFactory(REMOTE_ADDR=given).get("/")) == counted


@row("/work/password/")
@row("/admin/password_change/")
def test_the_old_password_is_asked_for_five_times_in_a_quarter_of_an_hour(address: str, client: Client) -> None:
    client.force_login(User.objects.create_superuser("eve", password=PASSWORD))
    new = {"new_password1": "difference no 2", "new_password2": "difference no 2"}
    tries = [client.post(address, {"old_password": "wrong", **new}).status_code for _ in range(5)]
    refused = client.post(address, {"old_password": PASSWORD, **new})
    assert (tries, refused.status_code) == ([200] * 5, 429) and "Too many tries." in refused.text
    assert User.objects.get().check_password(PASSWORD)
    assert SecurityEvent.objects.filter(kind="failed sign in", actor="eve").count() == 1


@row("Chainbox rules")
@row("my CHAIN-BOX 77")
@row("blackbirds 2026")
@row("all the black-birds")
@row("we love boxes.example")
def test_a_password_with_the_name_of_the_service_or_of_a_project_is_refused(password: str, settings: Any) -> None:
    settings.ADDRESS = "https://boxes.example.org"
    open_project(name="black-birds")
    with pytest.raises(ValidationError, match="name of this service or of a project"):
        validate_password(password)
    validate_password("difference no 2")


def test_a_link_cannot_sign_anybody_out(client: Client, ada: User) -> None:
    client.force_login(ada)
    assert client.get("/work/sign-out/").status_code == 405
    assert client.post("/work/sign-out/")["Location"] == SIGN_IN and "_auth_user_id" not in client.session


@pytest.mark.both_engines
def test_a_password_is_changed_with_the_old_one(client: Client, ada: User) -> None:
    client.force_login(ada)
    new = {"new_password1": "difference no 2", "new_password2": "difference no 2"}
    assert client.post("/work/password/", {"old_password": "wrong", **new}).status_code == 200
    assert client.post("/work/password/", {"old_password": PASSWORD, **new})["Location"] == HOME
    ada.refresh_from_db()
    assert ada.check_password("difference no 2") and "_auth_user_id" in client.session


def test_a_member_who_signs_in_comes_to_the_projects_and_finds_no_door_that_is_closed(client: Client, db: None) -> None:
    add_member(User.objects.create_user("eve", password=PASSWORD), open_project(name="birds"), Role.VIEWER)
    assert sign_in(client, "eve")["Location"] == reverse("gallery:start")
    assert reverse("admin:index") not in client.get("/").text


class TestTheCornerOfEveryPage:
    @pytest.fixture(autouse=True)
    def public(self, settings: Any) -> None:
        settings.GALLERY_PUBLIC = True

    def corner(self, client: Client) -> list[str]:
        page = client.get("/").text
        header = page[page.index("</nav>") : page.index("</header>")]
        return [word for word in ("Sign in", "My work", "Admin") if f">{word}</a>" in header]

    def test_a_reader_may_sign_in(self, client: Client) -> None:
        assert self.corner(client) == ["Sign in"]

    def test_a_worker_finds_their_work(self, client: Client, ada: User) -> None:
        client.force_login(ada)
        assert self.corner(client) == ["My work"]

    def test_staff_find_the_admin_pages_and_as_workers_their_work_too(self, client: Client, ada: User) -> None:
        client.force_login(with_rights(ada, RightKind.ADMIN))
        assert self.corner(client) == ["Admin"]
        worker_for(ada)
        assert self.corner(client) == ["My work", "Admin"]


def test_wrong_tries_from_elsewhere_lock_nobody_out(client: Client, ada: User) -> None:
    for _ in range(6):
        sign_in(client, password="wrong")
    assert sign_in(client).status_code == 429 and sign_in(Client(REMOTE_ADDR="192.0.2.7")).status_code == 302


@row(0, "192.0.2.7", "127.0.0.1")
@row(1, "192.0.2.7", "192.0.2.7")
@row(1, "10.0.0.1, 192.0.2.7", "192.0.2.7")
@row(2, "10.0.0.1, 192.0.2.7, 198.51.100.1", "192.0.2.7")
@row(2, "192.0.2.7", "127.0.0.1")
@row(1, "", "127.0.0.1")
def test_behind_a_proxy_the_visitor_is_counted_and_nobody_chooses_their_address(
    proxies: int, named: str, counted: str, settings: Any
) -> None:
    settings.PROXIES = proxies
    assert address_of(RequestFactory(HTTP_X_FORWARDED_FOR=named).get("/")) == counted


def test_the_sign_in_of_the_admin_has_the_same_limits(client: Client) -> None:
    User.objects.create_superuser("eve", password=PASSWORD)
    page = reverse("admin:login")
    for _ in range(5):
        client.post(page, {"username": "eve", "password": "wrong"})
    refused = client.post(page, {"username": "eve", "password": PASSWORD})
    assert refused.status_code == 200 and "Too many tries. Wait 15 minutes, then try again." in refused.text
    assert "_auth_user_id" not in client.session
    assert Client(REMOTE_ADDR="192.0.2.7").post(page, {"username": "eve", "password": PASSWORD}).status_code == 302


def test_workers_are_not_let_into_the_admin(client: Client, ada: User) -> None:
    assert client.post(reverse("admin:login"), {"username": "ada", "password": PASSWORD}).status_code == 200
    assert "_auth_user_id" not in client.session


@pytest.mark.parametrize("page", [HOME, "/", "/work/password/"])
def test_every_page_has_a_way_to_sign_out(client: Client, ada: User, page: str) -> None:
    assert "Sign out" not in client.get(SIGN_IN).text
    sign_in(client)
    html = client.get(page, follow=True).text
    assert html.count('action="/work/sign-out/"') == 1 and html.index("Sign out") < html.index("</header>")


FORGOTTEN = "/work/password/forgotten/"
NEW = {"new_password1": "a loom engine", "new_password2": "a loom engine"}


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    def run(task: Callable[[], None]) -> None:
        task()

    monkeypatch.setattr("labelling.joining.recovery.in_a_thread", run)
    monkeypatch.setattr("labelling.joining.recovery.connection.close", lambda: None)


@pytest.fixture
def forgetful() -> Worker:
    return with_account(worker(project_of(phrases("animals: a dog")), "ada"), "ada@example.org", "engine and loom")


def choose(client: Client, link: str) -> Any:
    """Open a link and choose a new password."""
    form = client.get(re.sub("^https?://[^/]*", "", link), follow=True)
    return client.post(form.redirect_chain[-1][0], NEW, follow=True) if form.redirect_chain else form


def test_a_mail_brings_a_link_that_sets_a_new_password_once(forgetful: Worker) -> None:
    client = Client()
    client.post(FORGOTTEN, {"email": "ADA@example.org"})
    assert not mail.outbox, "no visitor waits for a mail server"
    send_due_mail()
    (sent,) = mail.outbox
    (link,) = re.findall(r"http\S+", sent.body.split("open this link")[1])
    assert (sent.to, "account ada" in sent.body) == (["ada@example.org"], True)
    assert "Sign in with the new one." in choose(client, link).text
    assert User.objects.get().check_password("a loom engine")
    assert "This link does not work" in choose(Client(), link).text


@pytest.mark.both_engines
def test_an_unknown_address_gets_the_same_answer_and_no_mail(forgetful: Worker) -> None:
    known, unknown = (Client().post(FORGOTTEN, {"email": f"{who}@example.org"}, follow=True) for who in ("ada", "eve"))
    assert known.redirect_chain == unknown.redirect_chain
    strip = re.compile(r'value="[^"]{64}"')
    assert strip.sub("", known.text) == strip.sub("", unknown.text)
    assert [one.to for one in OutgoingMail.objects.all()] == ["ada@example.org"]


@pytest.mark.parametrize("state", ["closed", "guest"])
def test_accounts_that_are_closed_or_have_no_password_get_no_mail(forgetful: Worker, state: str) -> None:
    user = User.objects.get()
    user.is_active = state != "closed"
    user.set_unusable_password() if state == "guest" else None
    user.save()
    Client().post(FORGOTTEN, {"email": "ada@example.org"})
    assert not OutgoingMail.objects.exists()


def test_nobody_is_flooded_with_mail_and_nobody_asks_without_end(forgetful: Worker) -> None:
    tries = [Client().post(FORGOTTEN, {"email": "ada@example.org"}).status_code for _ in range(4)]
    assert (tries, OutgoingMail.objects.count()) == ([302] * 3 + [429], 3)
    others = [Client().post(FORGOTTEN, {"email": f"{n}@example.org"}).status_code for n in range(8)]
    assert others == [302] * 6 + [429] * 2


def test_a_service_without_mail_says_whom_to_ask_and_promises_no_mail(settings: Any, forgetful: Worker) -> None:
    settings.EMAIL_BACKEND = "django.core.mail.backends.dummy.EmailBackend"
    page = Client().get(FORGOTTEN).text
    assert "This service sends no mail. Ask the requester" in page and 'type="email"' not in page
    sent = Client().post(FORGOTTEN, {"email": "ada@example.org"}, follow=True).text
    assert "is on its way" not in sent and "This service sends no mail. Ask the requester" in sent


def test_a_mail_server_of_this_machine_gets_the_link_too(settings: Any, forgetful: Worker) -> None:
    settings.EMAIL_HOST = "localhost"
    page = Client().post(FORGOTTEN, {"email": "ada@example.org"}, follow=True).text
    assert "is on its way" in page and OutgoingMail.objects.get().to == "ada@example.org"


def test_a_new_password_signs_everybody_else_out(forgetful: Worker) -> None:
    user, thief = User.objects.get(), Client()
    thief.force_login(user)
    choose(Client(), recovery_link(user, ""))
    assert thief.get("/work/").status_code == 302


def test_a_link_ends_when_the_owner_signs_in(forgetful: Worker) -> None:
    link = recovery_link(User.objects.get(), "")
    Client().post("/work/sign-in/", {"username": "ada", "password": "engine and loom"})
    assert "This link does not work" in choose(Client(), link).text


def link_by(actor: User, of: Worker) -> str:
    """The link that a member makes on the admin page of workers; "" if it was refused."""
    client = Client()
    client.force_login(actor)
    form = {"action": "make_recovery_links", "_selected_action": [of.pk], "index": 0}
    page = client.post("/admin/workers/worker/", form, follow=True)
    return next(iter(re.findall(r"\S+/work/password/new/\S+?/\S+?/", page.text)), "")


def test_a_requester_makes_a_link_for_a_worker_of_their_own_projects_alone(forgetful: Worker) -> None:
    requester = member(Project.objects.get(), Role.REQUESTER, "boss")
    assert "Sign in with the new one." in choose(Client(), link_by(requester, forgetful)).text
    elsewhere = project_of(phrases("animals: a cat"), name="other")
    worker(elsewhere, "eve")
    from workers.grant_access import grant_access

    grant_access(forgetful, elsewhere.pk, ["box_quality"])
    assert link_by(requester, forgetful) == "", "the account opens another requester's project, too"
    assert link_by(User.objects.create_superuser("root"), forgetful)


@pytest.mark.slow
@pytest.mark.parametrize("of", ["a maker of projects", "an administrator"])
@pytest.mark.both_engines
def test_no_requester_opens_the_account_of_staff(forgetful: Worker, of: str) -> None:
    with_rights(User.objects.get(username="ada"), RightKind.PROJECTS)
    if of == "an administrator":
        User.objects.filter(username="ada").update(is_superuser=True)
    assert link_by(member(Project.objects.get(), Role.REQUESTER, "boss"), forgetful) == ""


@pytest.mark.both_engines
def test_the_command_prints_a_link(forgetful: Worker, capsys: pytest.CaptureFixture[str]) -> None:
    call_command("recovery_link", "ada", base="https://chainbox.example")
    link = capsys.readouterr().out.strip()
    assert link.startswith("https://chainbox.example/work/password/new/")
    assert "Sign in with the new one." in choose(Client(), link).text
    with pytest.raises(CommandError, match="no open account 'eve'"):
        call_command("recovery_link", "eve")
