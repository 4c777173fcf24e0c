"""Forgotten passwords: a link by mail or from a requester, good once, and the same answer to everybody."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core import mail
from django.core.management import CommandError, call_command
from django.test import Client

from annotation.models import Project
from labelling.joining.recovery import recovery_link
from members.models import RightKind, Role
from messaging.models import OutgoingMail
from messaging.outbox import send_due_mail
from tests.labelling.conftest import with_account
from tests.support.members import member, with_rights
from tests.support.projects import phrases, project_of, worker
from workers.models import Worker

pytestmark = pytest.mark.django_db
FORGOTTEN = "/work/password/forgotten/"
NEW = {"new_password1": "a loom engine", "new_password2": "a loom engine"}


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    def run(task: Callable[[], None]) -> None:
        task()

    monkeypatch.setattr("labelling.joining.recovery.in_a_thread", run)
    monkeypatch.setattr("labelling.joining.recovery.connection.close", lambda: None)


@pytest.fixture
def ada() -> Worker:
    return with_account(worker(project_of(phrases("animals: a dog")), "ada"), "ada@example.org", "engine and loom")


def choose(client: Client, link: str) -> Any:
    """Open a link and choose a new password."""
    form = client.get(re.sub("^https?://[^/]*", "", link), follow=True)
    return client.post(form.redirect_chain[-1][0], NEW, follow=True) if form.redirect_chain else form


def test_a_mail_brings_a_link_that_sets_a_new_password_once(ada: Worker) -> None:
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
def test_an_unknown_address_gets_the_same_answer_and_no_mail(ada: Worker) -> None:
    known, unknown = (Client().post(FORGOTTEN, {"email": f"{who}@example.org"}, follow=True) for who in ("ada", "eve"))
    assert known.redirect_chain == unknown.redirect_chain
    strip = re.compile(r'value="[^"]{64}"')
    assert strip.sub("", known.text) == strip.sub("", unknown.text)
    assert [one.to for one in OutgoingMail.objects.all()] == ["ada@example.org"]


@pytest.mark.parametrize("state", ["closed", "guest"])
def test_accounts_that_are_closed_or_have_no_password_get_no_mail(ada: Worker, state: str) -> None:
    user = User.objects.get()
    user.is_active = state != "closed"
    user.set_unusable_password() if state == "guest" else None
    user.save()
    Client().post(FORGOTTEN, {"email": "ada@example.org"})
    assert not OutgoingMail.objects.exists()


def test_nobody_is_flooded_with_mail_and_nobody_asks_without_end(ada: Worker) -> None:
    tries = [Client().post(FORGOTTEN, {"email": "ada@example.org"}).status_code for _ in range(4)]
    assert (tries, OutgoingMail.objects.count()) == ([302] * 3 + [429], 3)
    others = [Client().post(FORGOTTEN, {"email": f"{n}@example.org"}).status_code for n in range(8)]
    assert others == [302] * 6 + [429] * 2


def test_a_service_without_mail_says_whom_to_ask_and_promises_no_mail(settings: Any, ada: Worker) -> None:
    settings.EMAIL_BACKEND = "django.core.mail.backends.dummy.EmailBackend"
    page = Client().get(FORGOTTEN).text
    assert "This service sends no mail. Ask the requester" in page and 'type="email"' not in page
    sent = Client().post(FORGOTTEN, {"email": "ada@example.org"}, follow=True).text
    assert "is on its way" not in sent and "This service sends no mail. Ask the requester" in sent


def test_a_mail_server_of_this_machine_gets_the_link_too(settings: Any, ada: Worker) -> None:
    settings.EMAIL_HOST = "localhost"
    page = Client().post(FORGOTTEN, {"email": "ada@example.org"}, follow=True).text
    assert "is on its way" in page and OutgoingMail.objects.get().to == "ada@example.org"


def test_a_new_password_signs_everybody_else_out(ada: Worker) -> None:
    user, thief = User.objects.get(), Client()
    thief.force_login(user)
    choose(Client(), recovery_link(user, ""))
    assert thief.get("/work/").status_code == 302


def test_a_link_ends_when_the_owner_signs_in(ada: Worker) -> None:
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


def test_a_requester_makes_a_link_for_a_worker_of_their_own_projects_alone(ada: Worker) -> None:
    requester = member(Project.objects.get(), Role.REQUESTER, "boss")
    assert "Sign in with the new one." in choose(Client(), link_by(requester, ada)).text
    elsewhere = project_of(phrases("animals: a cat"), name="other")
    worker(elsewhere, "eve")
    from workers.grant_access import grant_access

    grant_access(ada, elsewhere.pk, ["box_quality"])
    assert link_by(requester, ada) == "", "the account opens another requester's project, too"
    assert link_by(User.objects.create_superuser("root"), ada)


@pytest.mark.slow
@pytest.mark.parametrize("of", ["a maker of projects", "an administrator"])
@pytest.mark.both_engines
def test_no_requester_opens_the_account_of_staff(ada: Worker, of: str) -> None:
    with_rights(User.objects.get(username="ada"), RightKind.PROJECTS)
    if of == "an administrator":
        User.objects.filter(username="ada").update(is_superuser=True)
    assert link_by(member(Project.objects.get(), Role.REQUESTER, "boss"), ada) == ""


@pytest.mark.both_engines
def test_the_command_prints_a_link(ada: Worker, capsys: pytest.CaptureFixture[str]) -> None:
    call_command("recovery_link", "ada", base="https://chainbox.example")
    link = capsys.readouterr().out.strip()
    assert link.startswith("https://chainbox.example/work/password/new/")
    assert "Sign in with the new one." in choose(Client(), link).text
    with pytest.raises(CommandError, match="no open account 'eve'"):
        call_command("recovery_link", "eve")
