"""Signing in, limits for whoever guesses, and links for forgotten passwords."""

import re
import time
from datetime import timedelta
from typing import Any

import pytest
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.internal.auth import format_hotp_value, hotp_value, yield_hotp_counters_from_time
from django.contrib.auth.models import User
from django.contrib.auth.password_validation import validate_password
from django.core import mail
from django.core.exceptions import ValidationError
from django.core.management import CommandError, call_command
from django.test import Client, RequestFactory
from django.urls import reverse
from django.utils import timezone

from accounts.members import add_member
from accounts.models import RightKind, Role, SecurityEvent
from annotation.models import Project
from labelling.joining.account_adapter import recovery_link
from labelling.messages import send_due_mail
from labelling.models import OutgoingMail
from pipeline.project.settings_versions import open_project
from tests.labelling.conftest import with_account
from tests.support.members import member, with_rights
from tests.support.projects import phrases, project_of, worker
from tests.support.table import case, row
from workers.address_of import address_of
from workers.invitations import worker_for
from workers.models import Worker

pytestmark = pytest.mark.django_db
SIGN_IN, HOME = "/account/login/", "/work/"
PASSWORD, WRONG = "engine and loom", [("ada", "wrong")] * 4


@pytest.fixture
def ada() -> User:
    return User.objects.create_user("ada", password=PASSWORD)


def sign_in(client: Client, name: str = "ada", password: str = PASSWORD, **more: Any) -> Any:
    return client.post(SIGN_IN, {"login": name, "password": password, **more})


def test_the_right_password_leads_to_the_work(client: Client, ada: User) -> None:
    response = sign_in(client)
    assert (response.status_code, response["Location"]) == (302, HOME)
    assert client.session["_auth_user_id"] == str(ada.pk)


@pytest.mark.both_engines
def test_staff_who_sign_in_at_the_workers_page_come_to_the_projects(client: Client) -> None:
    eve = with_rights(User.objects.create_user("eve", password=PASSWORD))
    assert sign_in(client, "eve")["Location"] == reverse("gallery:start")
    page = client.get(HOME).text
    assert f'href="{reverse("gallery:start")}">Go to the projects' in page
    assert f'href="{reverse("admin:index")}">Go to the admin pages' in page
    worker_for(eve)
    assert sign_in(client, "eve")["Location"] == HOME, "staff who work, too, come to their work"


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


TOO_MANY = "Too many tries. Wait a quarter of an hour, then try again."


def is_refused(response: Any) -> bool:
    return TOO_MANY in response.text


def test_after_five_wrong_passwords_even_the_right_one_has_to_wait(client: Client, ada: User) -> None:
    for name in ("ada", "Ada", "ADA", "aDa", "adA"):
        assert not is_refused(sign_in(client, name, "wrong"))
    assert is_refused(sign_in(client)) and "_auth_user_id" not in client.session


def test_the_wait_is_as_long_for_a_name_that_nobody_has(client: Client) -> None:
    assert [is_refused(sign_in(client, "nobody", "wrong")) for _ in range(6)] == [False] * 5 + [True]


@case("the wait for one name leaves the others alone", [("bob", "wrong")] * 6, "signed in")
@case("a success counts for nothing", [*WRONG, ("ada", PASSWORD)], "signed in")
@case("a success clears no count", [*WRONG, ("ada", PASSWORD), ("ada", "wrong")], "has to wait")
@case("an empty password does not clear the count", [*WRONG, ("ada", ""), ("ada", "wrong")], "has to wait")
def test_what_wrong_passwords_count_for(tries: list[tuple[str, str]], then: str, client: Client, ada: User) -> None:
    for name, password in tries:
        client.logout()
        sign_in(client, name, password)
    client.logout()
    assert is_refused(sign_in(client)) == (then == "has to wait")


def test_the_wait_ends(client: Client, ada: User, monkeypatch: pytest.MonkeyPatch) -> None:
    for _ in range(6):
        sign_in(client, password="wrong")
    later = time.time() + 15 * 60 + 1
    monkeypatch.setattr("time.time", lambda: later)
    assert sign_in(client).status_code == 302


def few_tries(settings: Any, **rates: str) -> None:
    settings.ACCOUNT_RATE_LIMITS = {**settings.ACCOUNT_RATE_LIMITS, **rates}


def test_an_address_that_tries_many_names_has_to_wait(client: Client, ada: User, settings: Any) -> None:
    few_tries(settings, login_failed="3/15m/ip")
    for name in ("one", "two", "three"):
        sign_in(client, name, "wrong")
    assert is_refused(sign_in(client))
    client.defaults["REMOTE_ADDR"] = "192.0.2.7"
    assert sign_in(client).status_code == 302


def test_successes_do_not_count_against_an_address(client: Client, ada: User, settings: Any) -> None:
    few_tries(settings, login_failed="1/15m/ip")
    for _ in range(3):
        client.logout()
        assert sign_in(client).status_code == 302


def test_whoever_sends_the_form_without_end_is_refused_unread(client: Client, settings: Any) -> None:
    few_tries(settings, login="2/m/ip")
    assert [sign_in(client, "nobody").status_code for _ in range(3)] == [200, 200, 429]
    assert "Wait a quarter of an hour" in sign_in(client, "nobody").text


@row("192.0.2.7", "192.0.2.7")
@row("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64")
@row("2001:db8:1:2:ffff::", "2001:db8:1:2::/64")
@row("", "")
def test_a_long_address_counts_by_the_part_that_one_customer_has(given: str, counted: str) -> None:
    assert address_of(RequestFactory(REMOTE_ADDR=given).get("/")) == counted


CHANGE = "/account/password/change/"
CHOSEN = {"password1": "difference no 2", "password2": "difference no 2"}


def test_the_old_password_is_asked_for_five_times_in_a_quarter_of_an_hour(client: Client, ada: User) -> None:
    client.force_login(ada)
    tries = [client.post(CHANGE, {"oldpassword": "wrong", **CHOSEN}).status_code for _ in range(5)]
    refused = client.post(CHANGE, {"oldpassword": PASSWORD, **CHOSEN})
    assert (tries, refused.status_code) == ([200] * 5, 429) and User.objects.get().check_password(PASSWORD)
    assert SecurityEvent.objects.filter(kind="refusal", actor="ada", result="429").count() == 1


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
    assert client.get("/account/logout/").status_code == 200 and "_auth_user_id" in client.session
    assert client.post("/account/logout/")["Location"] == SIGN_IN and "_auth_user_id" not in client.session


@pytest.mark.both_engines
def test_a_password_is_changed_with_the_old_one(client: Client, ada: User) -> None:
    client.force_login(ada)
    assert client.post(CHANGE, {"oldpassword": "wrong", **CHOSEN}).status_code == 200
    assert client.post(CHANGE, {"oldpassword": PASSWORD, **CHOSEN}).status_code == 302
    ada.refresh_from_db()
    assert ada.check_password("difference no 2") and "_auth_user_id" in client.session


def test_a_member_who_signs_in_comes_to_the_projects_and_finds_no_door_that_is_closed(client: Client, db: None) -> None:
    add_member(User.objects.create_user("eve", password=PASSWORD), open_project(name="birds"), Role.VIEWER)
    assert sign_in(client, "eve")["Location"] == reverse("gallery:start")
    assert reverse("admin:index") not in client.get("/").text


def test_the_account_is_shown_to_who_has_no_password_too(client: Client, ada: User) -> None:
    change = reverse("account_change_password")
    client.force_login(ada)
    page = client.get("/account/").text
    assert "<h1>ada</h1>" in page and change in page and client.get(change).status_code == 200
    ada.set_unusable_password()
    ada.save()
    client.force_login(ada)
    page = client.get(change, follow=True).text
    assert "<h1>ada</h1>" in page and "This account has no password." in page and change not in page


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
    assert is_refused(sign_in(client)) and sign_in(Client(REMOTE_ADDR="192.0.2.7")).status_code == 302


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


def test_the_admin_pages_have_the_sign_in_of_all_pages(client: Client) -> None:
    User.objects.create_superuser("eve", password=PASSWORD)
    page = client.get("/admin/workers/worker/", follow=True)
    assert page.redirect_chain[-1][0] == f"{SIGN_IN}?next=/admin/workers/worker/"
    assert sign_in(client, "eve", next="/admin/workers/worker/")["Location"] == "/admin/workers/worker/"
    assert client.get("/admin/login/")["Location"] == "/admin/"
    assert client.get("/admin/password_change/")["Location"] == CHANGE


@pytest.mark.parametrize("page", [HOME, "/", CHANGE])
def test_every_page_has_a_way_to_sign_out(client: Client, ada: User, page: str) -> None:
    assert "Sign out" not in client.get(SIGN_IN).text
    sign_in(client)
    html = client.get(page, follow=True).text
    assert html.count('action="/account/logout/"') == 1 and html.index("Sign out") < html.index("</header>")


FORGOTTEN = "/account/password/reset/"
NEW = {"password1": "a loom engine", "password2": "a loom engine"}
CHANGED, BAD_LINK = "Password successfully changed.", "The password reset link was invalid"


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
    (link,) = re.findall(r"http\S+key\S+", str(sent.body))
    assert (sent.to, "your username is ada" in str(sent.body)) == (["ada@example.org"], True)
    assert CHANGED in choose(client, link).text
    assert User.objects.get().check_password("a loom engine")
    assert BAD_LINK in choose(Client(), link).text


@pytest.mark.both_engines
def test_an_unknown_address_gets_the_same_answer_and_a_mail_without_a_link(forgetful: Worker) -> None:
    known, unknown = (Client().post(FORGOTTEN, {"email": f"{who}@example.org"}, follow=True) for who in ("ada", "eve"))
    assert known.redirect_chain == unknown.redirect_chain
    strip = re.compile(r'value="[^"]{64}"')
    assert strip.sub("", known.text) == strip.sub("", unknown.text)
    to_ada, to_eve = OutgoingMail.objects.order_by("to")
    assert "/reset/key/" in to_ada.text and to_eve.to == "eve@example.org"
    assert "No account there has this address." in to_eve.text and "/reset/" not in to_eve.text


@pytest.mark.parametrize("state", ["closed", "guest"])
def test_accounts_that_are_closed_or_have_no_password_get_no_mail(forgetful: Worker, state: str) -> None:
    user = User.objects.get()
    user.is_active = state != "closed"
    user.set_unusable_password() if state == "guest" else None
    user.save()
    Client().post(FORGOTTEN, {"email": "ada@example.org"})
    assert not OutgoingMail.objects.filter(text__contains="/reset/").exists()


def test_nobody_is_flooded_with_mail_and_nobody_asks_without_end(forgetful: Worker) -> None:
    tries = [Client().post(FORGOTTEN, {"email": "ada@example.org"}).status_code for _ in range(4)]
    assert (tries, OutgoingMail.objects.count()) == ([302] * 3 + [429], 3)
    others = [Client().post(FORGOTTEN, {"email": f"{n}@example.org"}).status_code for n in range(8)]
    assert others == [302] * 6 + [429] * 2


def test_a_service_without_mail_says_whom_to_ask_and_promises_no_mail(settings: Any, forgetful: Worker) -> None:
    settings.EMAIL_BACKEND = "django.core.mail.backends.dummy.EmailBackend"
    page = Client().get(FORGOTTEN).text
    assert "This service sends no mail. Ask the requester" in page and 'type="email"' not in page


def test_a_mail_server_of_this_machine_gets_the_link_too(settings: Any, forgetful: Worker) -> None:
    settings.EMAIL_HOST = "localhost"
    page = Client().post(FORGOTTEN, {"email": "ada@example.org"}, follow=True).text
    assert "We have sent you an email." in page and OutgoingMail.objects.get().to == "ada@example.org"


def test_a_new_password_signs_everybody_else_out(forgetful: Worker) -> None:
    user, thief = User.objects.get(), Client()
    thief.force_login(user)
    choose(Client(), recovery_link(user, ""))
    assert thief.get("/work/").status_code == 302


def test_a_link_ends_when_the_owner_signs_in(forgetful: Worker) -> None:
    link = recovery_link(User.objects.get(), "")
    sign_in(Client())
    assert BAD_LINK in choose(Client(), link).text


def link_by(actor: User, of: Worker) -> str:
    """The link that a member makes on the admin page of workers; "" if it was refused."""
    client = Client()
    client.force_login(actor)
    form = {"action": "make_recovery_links", "_selected_action": [of.pk], "index": 0}
    page = client.post("/admin/workers/worker/", form, follow=True)
    return next(iter(re.findall(r"\S+/account/password/reset/key/\S+?/", page.text)), "")


def test_a_requester_makes_a_link_for_a_worker_of_their_own_projects_alone(forgetful: Worker) -> None:
    requester = member(Project.objects.get(), Role.REQUESTER, "boss")
    assert CHANGED in choose(Client(), link_by(requester, forgetful)).text
    elsewhere = project_of(phrases("animals: a cat"), name="other")
    worker(elsewhere, "eve")
    from workers.invitations import grant_access

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
    assert link.startswith("https://chainbox.example/account/password/reset/key/")
    assert CHANGED in choose(Client(), link).text
    with pytest.raises(CommandError, match="no open account 'eve'"):
        call_command("recovery_link", "eve")


def test_an_address_counts_once_the_link_that_is_mailed_to_it_was_opened(client: Client, forgetful: Worker) -> None:
    sign_in(client)
    client.post("/account/reauthenticate/", {"password": PASSWORD})
    client.post("/account/email/", {"action_add": "yes", "email": "ada@elsewhere.example"})
    assert User.objects.get().email == "", "the one before, which nobody confirmed, is gone"
    sent = OutgoingMail.objects.get(to="ada@elsewhere.example").text
    (link,) = re.findall(r"http://testserver(/account/confirm-email/\S+)", sent)
    client.post(link)
    assert User.objects.get().email == "ada@elsewhere.example"


class TestSomebodyElseAtTheSameBrowser:
    def test_the_page_says_whose_session_ends_and_signing_in_ends_it(self, client: Client, ada: User) -> None:
        User.objects.create_user("bob", password=PASSWORD)
        sign_in(client)
        first = str(client.session.session_key)
        assert "ada is signed in here. That session ends" in client.get(SIGN_IN).text
        page = client.post(SIGN_IN, {"login": "bob", "password": PASSWORD}, follow=True).text
        assert "ada was signed in here before, and was signed out." in page
        assert not client.session.exists(first)

    def test_signing_in_again_as_the_same_says_nothing(self, client: Client, ada: User) -> None:
        sign_in(client)
        assert (
            "was signed in here before"
            not in client.post(SIGN_IN, {"login": "ada", "password": PASSWORD}, follow=True).text
        )


class TestASecondFactor:
    """A code of an app, codes for when it is lost, and what they are asked for."""

    @pytest.fixture
    def secret(self, client: Client, ada: User) -> str:
        sign_in(client)
        return add_app(client)

    def test_it_is_asked_for_after_the_password(self, client: Client, secret: str) -> None:
        client.post("/account/logout/")
        assert sign_in(client)["Location"] == "/account/2fa/authenticate/"
        assert "_auth_user_id" not in client.session
        assert client.post("/account/2fa/authenticate/", {"code": "000000"}).status_code == 200
        assert client.post("/account/2fa/authenticate/", {"code": code_of(secret, steps=1)})["Location"] == HOME
        assert "_auth_user_id" in client.session

    def test_a_recovery_code_works_once(self, client: Client, secret: str) -> None:
        codes = Authenticator.objects.get(type="recovery_codes").wrap().get_unused_codes()
        for status in (302, 200):
            client.post("/account/logout/")
            sign_in(client)
            assert client.post("/account/2fa/authenticate/", {"code": codes[0]}).status_code == status

    def test_it_is_noted_and_neither_secret_nor_code_is(self, client: Client, secret: str) -> None:
        words = "; ".join(f"{row.what} {row.result}" for row in SecurityEvent.objects.all())
        assert "second factor of ada: TOTP Authenticator made" in words and secret not in words


class TestADemandedSecondFactor:
    @pytest.fixture(autouse=True)
    def demanded(self, settings: Any) -> None:
        settings.SECOND_FACTOR = True

    @pytest.mark.parametrize("may", ["manage a project", "make projects", "do everything"])
    def test_nobody_with_rights_on_money_or_accounts_goes_without(self, may: str, client: Client, ada: User) -> None:
        if may == "manage a project":
            add_member(ada, open_project(name="birds"), Role.REQUESTER)
        elif may == "make projects":
            with_rights(ada, RightKind.PROJECTS)
        else:
            User.objects.update(is_superuser=True)
        sign_in(client)
        for page in ("/", "/admin/", "/account/tokens/", "/api/v1/requester/projects/"):
            assert client.get(page)["Location"] == "/account/2fa/", page
        assert "asks for a second factor" in client.get("/account/2fa/").text
        add_app(client)
        assert client.get("/", follow=True).redirect_chain == []

    def test_workers_and_viewers_go_without(self, client: Client, ada: User) -> None:
        add_member(ada, open_project(name="birds"), Role.VIEWER)
        worker_for(ada)
        sign_in(client)
        assert client.get(HOME).status_code == client.get("/?all=yes").status_code == 200


def add_app(client: Client) -> str:
    """Add an app to the account that is signed in, and return its secret."""
    page = "/account/2fa/totp/activate/"
    asked = client.get(page)
    assert asked["Location"].startswith("/account/reauthenticate/"), "the password is asked for before"
    client.post(asked["Location"], {"password": PASSWORD, "next": page})
    secret = str(client.get(page).context["form"].secret)
    assert client.post(page, {"code": code_of(secret)}).status_code == 302
    return secret


def code_of(secret: str, *, steps: int = 0) -> str:
    """Return the code of the app now, or so many periods later: a code counts once."""
    return str(format_hotp_value(hotp_value(secret, next(iter(yield_hotp_counters_from_time())) + steps)))


def test_a_session_ends_two_weeks_after_the_sign_in_whatever_is_written_to_it(client: Client, ada: User) -> None:
    sign_in(client)
    ends = client.session.get_expiry_date()
    session = client.session
    session["a message"] = "that is shown"
    session.save()
    assert client.session.get_expiry_date() == ends
    assert timedelta(days=13) < ends - timezone.now() <= timedelta(days=14)


def test_sessions_are_shown_and_the_others_ended(client: Client, ada: User) -> None:
    elsewhere = Client(headers={"user-agent": "Elsewhere 1.0"})
    sign_in(elsewhere)
    sign_in(client)
    assert "Elsewhere 1.0" in client.get("/account/sessions/").text
    client.post("/account/sessions/")
    assert elsewhere.get(HOME)["Location"].startswith(SIGN_IN) and client.get(HOME).status_code != 302
