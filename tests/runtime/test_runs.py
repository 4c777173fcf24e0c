"""Work of the job runners: a crash, a failure or a lost message never leaves a row that says otherwise."""

import os
import signal
import subprocess
import sys
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.test import Client

from annotation.models import Project
from exchange import publish_export as publishing
from exchange.jobs import publish_export_job
from exchange.publish_export import PublishedExport, record_state
from runtime import clock, runs
from runtime.models import JobRun
from runtime.runs import HELD, SENT_AGAIN, TRIES, claimed, request, send_waiting
from tests.support.places import ROOT
from tests.support.projects import phrases, project_of
from tests.support.services import wait_until

pytestmark = pytest.mark.both_engines
ADDRESS = "/projects/parks/export/coco/"
HOLD = """
import sys, django
django.setup()
from runtime.runs import claimed
with claimed(sys.argv[1]) as mine:
    print("held" if mine else "refused", flush=True)
    sys.stdin.read()  # until it is killed, or the tests end
"""
State = JobRun.State


@pytest.fixture
def parks(transactional_db: None, settings: Any, tmp_path: Path) -> Project:
    settings.GALLERY_PUBLIC, settings.MEDIA_ROOT = True, tmp_path
    return project_of(phrases("people: a man"), name="parks")


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Messages that no job runner has taken."""
    sent: list[Any] = []
    monkeypatch.setattr(publish_export_job, "delay", lambda *values: sent.append(values))
    return sent


def run_of(project: Project) -> JobRun:
    return JobRun.objects.get(key=PublishedExport(project, "coco", record_state(project)).key)


def received(client: Client, address: str) -> bytes:
    answer = client.get(address)
    assert answer.status_code == 200
    return b"".join(answer)  # type: ignore[arg-type]  # the stubs do not know responses that stream


def database_url() -> str:
    name = str(connection.settings_dict["NAME"])
    server = "sqlite://" if connection.vendor == "sqlite" else os.environ["DATABASE_URL"].rpartition("/")[0]
    return f"{server}/{name}"


def a_process_that_holds(key: str) -> subprocess.Popen[str]:
    env = os.environ | {"DATABASE_URL": database_url(), "DJANGO_SETTINGS_MODULE": "config.settings"}
    pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    process = subprocess.Popen([sys.executable, "-c", HOLD, key], cwd=ROOT, env=env, text=True, **pipes)
    assert process.stdout is not None and process.stdout.readline() == "held\n"
    return process


class TestExport:
    @pytest.mark.slow
    def test_one_whose_runner_was_killed_is_made_at_the_next_request(self, client: Client, parks: Project) -> None:
        process = a_process_that_holds(PublishedExport(parks, "coco", record_state(parks)).key)
        try:
            assert client.get(ADDRESS).status_code == 202
            assert run_of(parks).state == State.RUNNING
        finally:
            process.send_signal(signal.SIGKILL)
            process.communicate()
        assert received(client, ADDRESS)
        assert run_of(parks).state == State.DONE

    def test_one_that_failed_says_why_and_is_made_at_the_next_try(
        self, client: Client, parks: Project, sent: list[Any], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        address = client.get(ADDRESS)["Refresh"].partition("; url=")[2]
        with monkeypatch.context() as patch:
            patch.setattr(publishing, "export_dataset", lambda **_: (_ for _ in ()).throw(ValueError("no such box")))
            with pytest.raises(ValueError, match="no such box"):
                publish_export_job(*sent[0])
        answer = client.get(address)
        text = answer.content.decode()
        assert answer.status_code == 409 and "Refresh" not in answer
        assert "The export failed" in text and "no such box" in text and f'href="{ADDRESS}"' in text
        assert client.get(ADDRESS).status_code == 202
        assert len(sent) == 2
        publish_export_job(*sent[1])
        assert received(client, address)

    def test_one_that_failed_in_place_is_made_at_the_next_try(
        self, client: Client, parks: Project, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        client.raise_request_exception = False
        with monkeypatch.context() as patch:
            patch.setattr(publishing, "export_dataset", lambda **_: (_ for _ in ()).throw(ValueError("no such box")))
            assert client.get(ADDRESS).status_code == 500
        assert run_of(parks).state == State.FAILED
        assert received(client, ADDRESS)

    def test_a_message_that_redis_lost_is_sent_again(self, client: Client, parks: Project, sent: list[Any]) -> None:
        client.get(ADDRESS)
        send_waiting()
        assert len(sent) == 1
        JobRun.objects.update(sent_at=clock.now() - SENT_AGAIN - timedelta(seconds=1))
        send_waiting()
        assert len(sent) == 2

    def test_a_message_that_comes_twice_makes_one_archive(
        self, parks: Project, sent: list[Any], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        archive = PublishedExport(parks, "coco", record_state(parks))
        with claimed(archive.key):
            monkeypatch.setattr(publishing, "export_dataset", lambda **_: pytest.fail("made twice"))
            publish_export_job(parks.pk, "coco", archive.state, None)


@pytest.mark.django_db
class TestRow:
    def elsewhere(self, **values: Any) -> JobRun:
        """A row of a process on another machine."""
        row = {"holder": "other ns 7 ab", "held_until": clock.now() + HELD, "tries": 1, **values}
        return JobRun.objects.create(key="one", job=publish_export_job.name, arguments=[7], state=State.RUNNING, **row)

    def test_of_a_process_elsewhere_it_counts_until_its_time_runs_out(self, sent: list[Any]) -> None:
        self.elsewhere()
        assert request(publish_export_job, 7, key="one").state == State.RUNNING
        JobRun.objects.update(held_until=clock.now() - timedelta(seconds=1))
        assert request(publish_export_job, 7, key="one").state == State.WAITING
        assert sent == [(7,)]

    def test_of_a_copy_of_this_machine_with_its_name_it_counts_too(self, sent: list[Any]) -> None:
        start = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
        nobody = runs._this_process().rpartition(" ")[0] + " 4194303 ab"
        self.elsewhere(holder=nobody.replace(start, "another-start"))
        assert request(publish_export_job, 7, key="one").state == State.RUNNING
        JobRun.objects.update(holder=nobody)
        assert request(publish_export_job, 7, key="one").state == State.WAITING, "here the process has ended"

    def test_the_tick_finds_work_whose_process_ended(self, sent: list[Any], caplog: pytest.LogCaptureFixture) -> None:
        self.elsewhere(held_until=clock.now() - timedelta(seconds=1))
        send_waiting()
        assert sent == [(7,)]
        assert "one: the process that did this has ended" in caplog.text

    def test_work_that_ends_every_process_is_not_begun_for_ever(self, sent: list[Any]) -> None:
        self.elsewhere(held_until=clock.now() - timedelta(seconds=1), tries=TRIES)
        send_waiting()
        assert sent == []
        row = JobRun.objects.get()
        assert row.state == State.FAILED and "ended before the work was done" in row.problem

    def test_a_time_from_before_a_jump_of_the_clock_counts_as_over(self, sent: list[Any]) -> None:
        self.elsewhere(held_until=clock.now() + timedelta(hours=1))
        send_waiting()
        assert sent == [(7,)]

    def test_one_process_at_a_time_holds_it(self) -> None:
        with claimed("two") as first, claimed("two") as second:
            assert (first, second) == (True, False)
        with claimed("two") as third:
            assert third


@pytest.mark.django_db(transaction=True)
def test_a_process_that_works_for_long_keeps_its_row(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runs, "ALIVE_SECONDS", 0.05)
    with claimed("two"):
        first = JobRun.objects.get().held_until
        assert first is not None
        assert wait_until(lambda: (JobRun.objects.get().held_until or first) > first), "its time was not moved on"
