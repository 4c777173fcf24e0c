"""A test of a webhook holds no page, ends in time, and leads nowhere inside the network."""

import socket
import threading
from contextlib import suppress
from typing import Any

import pytest
from django.test import Client

from annotation.models import Project
from campaign.alerts import post_hook
from campaign.alerts.post_hook import HookError, is_public
from campaign.models import AlertChannel
from members.models import Role
from tests.campaign.conftest import Later
from tests.support.members import sign_in
from tests.support.projects import phrases, project_of
from upkeep.models import JobRun

pytestmark = pytest.mark.django_db


@pytest.fixture
def project(settings: Any) -> Project:
    settings.HOOKS_TO_PRIVATE = True
    return project_of(phrases("people: a man"), name="small")


def test_no_page_waits_for_the_receiver_of_a_test_and_a_second_press_sends_no_second_one(
    project: Project, client: Client, later: Later, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(post_hook, "_address", lambda *_: pytest.fail("the page calls the receiver"))
    row = AlertChannel.objects.create(project=project, kind="hook", url="http://127.0.0.1:9/", secret="x", kinds=[])
    sign_in(client, project, Role.REQUESTER)
    for _ in range(3):
        page = client.post(f"/projects/small/alerts/channels/{row.pk}/", {"test": "1"}, follow=True)
        assert "A test is on its way." in page.text
    assert len(later) == JobRun.objects.count() == 1


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_a_receiver_that_answers_a_byte_at_a_time_is_cut_off(
    settings: Any, monkeypatch: pytest.MonkeyPatch, scheme: str
) -> None:
    settings.HOOKS_TO_PRIVATE = True
    monkeypatch.setattr(post_hook, "ALL_SECONDS", 0.3)
    dripping, over = socket.create_server(("127.0.0.1", 0)), threading.Event()

    def drip() -> None:
        with suppress(OSError), dripping.accept()[0] as taken:
            while not over.wait(0.02):
                taken.send(b"\x16" if scheme == "https" else b"H")

    thread = threading.Thread(target=drip, daemon=True)
    thread.start()
    with pytest.raises(HookError, match="did not answer"):
        post_hook.post_hook(f"{scheme}://127.0.0.1:{dripping.getsockname()[1]}/", "key", b"{}")
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
