"""A program adds webhooks, tests them, and reads the log of what was sent."""

import json
from typing import Any

import pytest

from annotation.models import Project
from campaign.alerts.post_hook import signature
from campaign.models import Alert, AlertChannel, Delivery
from client.chainbox_client import Chainbox, Refused
from tests.support.web_server import Receiver
from upkeep import clock


@pytest.fixture(autouse=True)
def _hooks_on_this_machine(settings: Any, at_once: None) -> None:
    settings.HOOKS_TO_PRIVATE = True


@pytest.mark.both_engines
def test_a_webhook_is_added_tested_changed_and_deleted(service: Chainbox, receiver: Receiver) -> None:
    small = service.project("small")
    made = small.add_webhook(receiver.url)
    (listed,) = small.webhooks()
    assert "key" not in listed
    assert listed["address"] == receiver.url
    assert small.try_webhook(made["id"]) == ""
    ((headers, body),) = receiver.got
    assert json.loads(body)["kind"] == "test"
    assert headers["X-Chainbox-Signature"] == signature(made["key"], headers["X-Chainbox-Time"], body)
    small.choose_alerts(made["id"], ["review", "budget"])
    assert AlertChannel.objects.get().kinds == ["review", "budget"]
    small.delete_webhook(made["id"])
    assert small.webhooks() == []


def test_a_test_that_is_not_taken_says_why(service: Chainbox, receiver: Receiver) -> None:
    small = service.project("small")
    receiver.answers = [500]
    made = small.add_webhook(receiver.url, ["review"])
    assert made["kinds"] == ["review"]
    assert "answered 500" in small.try_webhook(made["id"])
    assert not Delivery.objects.exists()


@pytest.mark.parametrize(
    ("url", "kinds", "words"),
    [
        ("ftp://example.org/", None, "must begin with https"),
        ("https://me@example.org/", None, "no user name and no password"),
        ("https://example.org/", ["weather"], "weather"),
    ],
)
def test_a_webhook_that_cannot_be_says_why(service: Chainbox, url: str, kinds: list[str] | None, words: str) -> None:
    with pytest.raises(Refused, match=words):
        service.project("small").add_webhook(url, kinds)


def test_a_mailbox_is_listed_and_not_tested(service: Chainbox, project: Project, requester: Any) -> None:
    requester.email = "boss@example.org"
    requester.save()
    box = AlertChannel.objects.create(project=project, kind="mail", user=requester, kinds=["review"])
    small = service.project("small")
    assert [(one["channel"], one["address"]) for one in small.webhooks()] == [("mail", "boss@example.org")]
    with pytest.raises(Refused, match="This is a mailbox"):
        small.try_webhook(box.pk)


def test_the_log_of_deliveries_is_read_page_by_page(
    service: Chainbox, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    hook = AlertChannel.objects.create(project=project, kind="hook", url="https://example.org/", secret="x", kinds=[])
    for kind, state in (("review", "sent"), ("stock", "failed"), ("money", "due")):
        alert = Alert.objects.create(project=project, kind=kind, count=1, words=kind, path="/", began_at=clock.now())
        Delivery.objects.create(alert=alert, channel=hook, state=state, due_at=clock.now(), problem="no answer")
    monkeypatch.setattr("client.chainbox_client.ROWS", 2)
    found = list(service.project("small").deliveries())
    assert [(row["kind"], row["state"]) for row in found] == [("review", "sent"), ("stock", "failed"), ("money", "due")]
    assert list(service.project("small").deliveries(after=found[0]["id"])) == found[1:]


def test_webhooks_of_other_projects_are_out_of_reach(service: Chainbox, project: Project) -> None:
    service.make_project("streets")
    hook = AlertChannel.objects.create(project=project, kind="hook", url="https://example.org/", secret="x", kinds=[])
    with pytest.raises(Refused, match="no such webhook"):
        service.project("streets").delete_webhook(hook.pk)
