"""Alerts: begun once, sent by mail and to a real web server on this machine, tried again, logged.
A test of a webhook holds no page, ends in time, and leads nowhere inside the network.
Mail by a real mail server: what failed is sent again; and what each page says where the service sends no mail.
"""

import hmac
import json
import socket
import threading
from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta
from hashlib import sha256
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core import mail
from django.test import Client

from accounts.members import add_member
from accounts.models import Role
from annotation.models import Chain, Project
from annotation.rules.states import ChainState
from labelling.messages import MAIL_IS_OFF, no_mail, send_due_mail, write_mail
from labelling.models import OutgoingMail
from projects.alerts import post_hook as alerts_post_hook
from projects.alerts.post_hook import HookError, check_url, is_public, post_hook
from projects.alerts.tell_alerts import WAITS, begin_alerts, deliver_alerts
from projects.dashboard.needs import NeedKind
from projects.jobs import tell_alerts_job
from projects.models import Alert, AlertChannel, Delivery
from runtime import clock
from runtime.models import JobRun
from tests.projects.conftest import Later
from tests.support.members import member, sign_in
from tests.support.projects import phrases, project_of
from tests.support.web_server import Receiver
from tests.twins.smtp import mail_server

pytestmark = pytest.mark.django_db


@pytest.fixture
def project(settings: Any) -> Project:
    settings.HOOKS_TO_PRIVATE = True
    return project_of(phrases("people: a man", "people: a boy"), name="small")


def to_review(project: Project) -> None:
    Chain.objects.filter(image__project=project).update(state=ChainState.REVIEW.value, review="cycling")


def settle(project: Project) -> None:
    Chain.objects.filter(image__project=project).update(state=ChainState.COMPLETE.value, review="")


def hook(project: Project, url: str, *kinds: str) -> AlertChannel:
    return AlertChannel.objects.create(
        project=project, kind="hook", url=url, secret="a key", kinds=list(kinds or ["review"])
    )


def test_the_third_try_of_a_webhook_brings_the_alert_rightly_signed(project: Project, receiver: Receiver) -> None:
    receiver.answers = [500, 503]
    hook(project, receiver.url)
    to_review(project)
    tell_alerts_job()
    delivery = Delivery.objects.get()
    assert (delivery.state, delivery.tries, delivery.sent_at) == ("due", 1, None)
    assert delivery.problem.startswith("127.0.0.1 answered 500")
    tell_alerts_job()
    assert len(receiver.got) == 1, "the next try is a minute later"
    with clock.moved(timedelta(seconds=61)):
        tell_alerts_job()
    with clock.moved(timedelta(seconds=61 + 301)):
        tell_alerts_job()
    delivery.refresh_from_db()
    assert (delivery.state, delivery.tries, delivery.problem) == ("sent", 3, "") and len(receiver.got) == 3
    headers, body = receiver.got[-1]
    signed = headers["X-Chainbox-Time"].encode() + b"." + body
    assert headers["X-Chainbox-Signature"] == "sha256=" + hmac.new(b"a key", signed, sha256).hexdigest()
    sent = json.loads(body)
    assert (sent["project"], sent["kind"], sent["id"]) == ("small", "review", delivery.pk)
    assert sent["address"].endswith("/projects/small/review/")


def test_what_stands_is_told_once_and_again_only_after_it_was_settled(project: Project, receiver: Receiver) -> None:
    hook(project, receiver.url)
    for _ in range(3):
        to_review(project)
        tell_alerts_job()
    assert len(receiver.got) == 1
    settle(project)
    tell_alerts_job()
    assert not Alert.objects.filter(kind="review", settled_at=None).exists()
    to_review(project)
    tell_alerts_job()
    assert len(receiver.got) == 2


def test_a_channel_gets_only_the_kinds_that_are_switched_on(project: Project, receiver: Receiver) -> None:
    hook(project, receiver.url, "messages", "appeals")
    to_review(project)
    tell_alerts_job()
    assert receiver.got == [] and Alert.objects.filter(kind="review").exists()


def test_a_webhook_that_never_answers_is_given_up_after_the_last_wait(project: Project, receiver: Receiver) -> None:
    receiver.answers = [500] * 20
    hook(project, receiver.url)
    to_review(project)
    begin_alerts(project)
    after = timedelta()
    for wait in (*WAITS, timedelta(hours=6), timedelta(hours=6)):
        with clock.moved(after):
            deliver_alerts()
        after += wait + timedelta(seconds=1)
    delivery = Delivery.objects.get()
    assert (delivery.state, delivery.tries) == ("failed", 6) and len(receiver.got) == 6
    assert [wait.total_seconds() / 60 for wait in WAITS] == [1, 5, 30, 120, 360]


def test_a_redirect_is_not_followed(project: Project, receiver: Receiver) -> None:
    receiver.answers = [302]
    with pytest.raises(HookError, match="redirects are not followed"):
        post_hook(receiver.url, "a key", b"{}")
    assert len(receiver.got) == 1


@pytest.mark.parametrize(
    "host", ["127.0.0.1", "localhost", "10.0.0.1", "169.254.169.254", "[::1]", "[::ffff:10.0.0.1]"]
)
def test_an_address_inside_the_network_is_refused(host: str, settings: Any) -> None:
    settings.HOOKS_TO_PRIVATE = False
    with pytest.raises(HookError, match="inside the network"):
        post_hook(f"https://{host}/", "a key", b"{}")


@pytest.mark.parametrize("url", ["http://example.org/", "ftp://example.org/", "https:///x", "https://a:b@example.org/"])
def test_only_an_https_address_without_a_password_can_be_a_webhook(url: str, settings: Any) -> None:
    settings.HOOKS_TO_PRIVATE = False
    with pytest.raises(HookError):
        check_url(url)


@pytest.mark.both_engines
def test_a_requester_gets_a_mail_with_the_page_where_it_is_settled(project: Project, settings: Any) -> None:
    settings.EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
    user = member(project, Role.REQUESTER, "boss")
    user.email = "boss@example.org"
    user.save()
    AlertChannel.objects.create(project=project, kind="mail", user=user, kinds=["review"])
    to_review(project)
    tell_alerts_job()
    assert Delivery.objects.get().carrier.state == "due" and not mail.outbox
    send_due_mail()
    assert Delivery.objects.get().carrier.state == "sent"
    (sent,) = mail.outbox
    assert sent.to == ["boss@example.org"] and "Chains wait for an expert" in sent.subject
    assert "/projects/small/review/" in sent.body
    user.memberships.all().delete()
    settle(project)
    tell_alerts_job()
    to_review(project)
    tell_alerts_job()
    send_due_mail()
    assert len(mail.outbox) == 1, "who no longer manages the project is told nothing"


def test_a_requester_adds_a_webhook_switches_kinds_and_deletes_it(project: Project, client: Client) -> None:
    sign_in(client, project, Role.REQUESTER)
    page = client.post("/projects/small/alerts/", {"add": "hook", "url": "https://example.org/x"}, follow=True)
    row = AlertChannel.objects.get()
    assert row.secret in page.text and len(row.kinds) == len(NeedKind)
    assert row.secret not in client.get("/projects/small/alerts/").text, "the key is shown once"
    client.post(f"/projects/small/alerts/channels/{row.pk}/", {"kinds": ["review"]})
    row.refresh_from_db()
    assert row.kinds == ["review"]
    client.post(f"/projects/small/alerts/channels/{row.pk}/", {"delete": "1"})
    assert not AlertChannel.objects.exists()


@pytest.mark.both_engines
def test_a_requester_sends_a_test_to_a_webhook_and_reads_what_came_of_it(
    project: Project, receiver: Receiver, client: Client, at_once: None
) -> None:
    sign_in(client, project, Role.REQUESTER)
    row, receiver.answers = hook(project, receiver.url), [204, 500]
    for says in ("The test was taken", "The test was not taken: 127.0.0.1 answered 500"):
        assert says in client.post(f"/projects/small/alerts/channels/{row.pk}/", {"test": "1"}, follow=True).text
    assert json.loads(receiver.got[0][1])["words"] == "This is a test: nothing needs you."


@pytest.mark.both_engines
def test_a_delivery_that_was_given_up_is_sent_again_by_hand(project: Project, receiver: Receiver, client: Client):
    sign_in(client, project, Role.REQUESTER)
    hook(project, receiver.url)
    to_review(project)
    begin_alerts(project)
    Delivery.objects.update(state="failed", tries=6, problem="127.0.0.1 answered 500")
    assert "answered 500" in client.get("/projects/small/alerts/").text
    client.post(f"/projects/small/alerts/deliveries/{Delivery.objects.get().pk}/")
    deliver_alerts()
    assert Delivery.objects.get().state == "sent" and len(receiver.got) == 1


@pytest.mark.both_engines
def test_the_page_says_what_became_of_a_mail_and_sends_one_that_was_given_up_again(
    project: Project, client: Client
) -> None:
    boss = member(project, Role.REQUESTER, "boss")
    User.objects.filter(pk=boss.pk).update(email="boss@example.org")
    AlertChannel.objects.create(project=project, kind="mail", user=boss, kinds=["review"])
    to_review(project)
    tell_alerts_job()
    sign_in(client, project, Role.REQUESTER)
    assert "to be sent" in client.get("/projects/small/alerts/").text
    OutgoingMail.objects.update(state="failed", tries=11, problem="the mail server is gone")
    page = client.get("/projects/small/alerts/").text
    assert "given up" in page and "the mail server is gone" in page
    client.post(f"/projects/small/alerts/deliveries/{Delivery.objects.get().pk}/")
    assert (send_due_mail(), [sent.to for sent in mail.outbox]) == (1, [["boss@example.org"]])


def test_no_page_waits_for_the_receiver_of_a_test_and_a_second_press_sends_no_second_one(
    project: Project, client: Client, later: Later, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(alerts_post_hook, "_address", lambda *_: pytest.fail("the page calls the receiver"))
    row = hook(project, "http://127.0.0.1:9/")
    sign_in(client, project, Role.REQUESTER)
    for _ in range(3):
        page = client.post(f"/projects/small/alerts/channels/{row.pk}/", {"test": "1"}, follow=True)
        assert "A test is on its way." in page.text
    assert len(later) == JobRun.objects.count() == 1


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_a_receiver_that_answers_a_byte_at_a_time_is_cut_off(settings: Any, monkeypatch: Any, scheme: str):
    settings.HOOKS_TO_PRIVATE = True
    monkeypatch.setattr(alerts_post_hook, "ALL_SECONDS", 0.3)
    dripping, over = socket.create_server(("127.0.0.1", 0)), threading.Event()

    def drip() -> None:
        with suppress(OSError), dripping.accept()[0] as taken:
            while not over.wait(0.02):
                taken.send(b"\x16" if scheme == "https" else b"H")

    thread = threading.Thread(target=drip, daemon=True)
    thread.start()
    with pytest.raises(HookError, match="did not answer"):
        alerts_post_hook.post_hook(f"{scheme}://127.0.0.1:{dripping.getsockname()[1]}/", "key", b"{}")
    over.set()
    dripping.shutdown(socket.SHUT_RDWR)  # for one whom nobody has reached in that time
    thread.join()
    dripping.close()


def test_addresses_that_hold_another_one_are_not_public() -> None:
    inside = ["64:ff9b::10.0.0.1", "64:ff9b::7f00:1", "2002:a00:1::", "2002:7f00:1::1", "::10.0.0.1", "::127.0.0.1"]
    inside += ["::8.8.8.8", "64:ff9b::808:808", "64:ff9b:1::1", "2001:0:53aa:64c::1", "::ffff:0:10.0.0.1", "fec0::1"]
    inside += ["::ffff:10.0.0.1", "fc00::1", "ff02::1", "224.0.0.1", "100.64.0.1", "::1", "::"]
    assert [one for one in inside if is_public(one)] == []
    assert [one for one in ["8.8.8.8", "2606:4700::1111", "::ffff:8.8.8.8"] if not is_public(one)] == []


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
