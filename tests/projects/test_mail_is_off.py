"""Mail by a real mail server: what failed is sent again; and what each page says where the service sends no mail."""

from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from accounts.add_member import add_member
from accounts.models import Role
from annotation.models import Chain, Project
from annotation.rules.states import ChainState
from labelling.messages.outbox import MAIL_IS_OFF, no_mail, send_due_mail, write_mail
from labelling.models import OutgoingMail
from projects.jobs import tell_alerts_job
from projects.models import AlertChannel, Delivery
from runtime import clock
from tests.support.projects import phrases, project_of
from tests.twins.smtp import mail_server

pytestmark = pytest.mark.django_db


@pytest.fixture
def rita(client: Client) -> User:
    user = User.objects.create_user("rita", "rita@example.org")
    add_member(user, project_of(phrases("people: a man"), name="small"), Role.REQUESTER)
    client.force_login(user)
    return user


def on_the_page_of_alerts(client: Client, project: Project, rita: User) -> str:
    return client.get("/projects/small/alerts/").text


def where_a_mailbox_is_added(client: Client, project: Project, rita: User) -> str:
    return client.post("/projects/small/alerts/", {"add": "mail", "member": "rita"}, follow=True).text


def in_the_log_of_deliveries(client: Client, project: Project, rita: User) -> str:
    AlertChannel.objects.create(project=project, kind="mail", user=rita, kinds=["review"])
    Chain.objects.filter(image__project=project).update(state=ChainState.REVIEW.value, review="cycling")
    tell_alerts_job()
    return " ".join(Delivery.objects.values_list("problem", flat=True))


def where_a_member_is_invited(client: Client, project: Project, rita: User) -> str:
    sent = {"to": "eve@example.org", "role": "viewer"}
    return client.post("/projects/small/members/", sent, follow=True).text


def where_a_password_is_forgotten(client: Client, project: Project, rita: User) -> str:
    return Client().get("/account/password/reset/").text


@pytest.mark.parametrize(
    "place",
    [
        on_the_page_of_alerts,
        where_a_mailbox_is_added,
        in_the_log_of_deliveries,
        where_a_member_is_invited,
        where_a_password_is_forgotten,
    ],
)
def test_a_service_without_a_mail_server_says_so_in_the_same_words(
    place: Callable[[Client, Project, User], str], client: Client, rita: User, settings: Any
) -> None:
    settings.EMAIL_BACKEND = "django.core.mail.backends.dummy.EmailBackend"
    assert MAIL_IS_OFF in place(client, Project.objects.get(name="small"), rita)
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    assert no_mail() == ""


def test_a_mail_that_the_mail_server_did_not_take_is_sent_again(settings: Any) -> None:
    with mail_server() as server:
        settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
        settings.EMAIL_HOST, settings.EMAIL_PORT, settings.EMAIL_USE_TLS = "127.0.0.1", server.port, False
        server.answers = ["451 try later"]
        write_mail("ada@example.org", "An answer", "Hello.")
        assert (send_due_mail(), server.mails) == (0, [])
        waits = OutgoingMail.objects.get()
        assert waits.state == "due" and waits.due_at > clock.now() and "try later" in waits.problem
        OutgoingMail.objects.update(due_at=clock.now())
        assert send_due_mail() == 1
        assert "Subject: An answer" in server.mails[0] and "To: ada@example.org" in server.mails[0]
        assert (OutgoingMail.objects.get().state, send_due_mail()) == ("sent", 0)
