"""The service while Redis is down or hangs: real processes."""

import os
import re
import signal
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest
import redis as redis_client

from tests.support.served import manage, served
from tests.support.services import PATIENCE, redis, wait_until

PASSWORD = "correct horse 7"
PREPARE = f"""
from django.contrib.auth.models import User
from django.core.management import call_command
from tests.support.projects import phrases, project_of
from workers.models import Worker
project_of(phrases("people: a man"), name="parks")
Worker.objects.create(user=User.objects.create_user("ada", password="{PASSWORD}"))
call_command("invite", "parks")
"""


@dataclass(frozen=True)
class Service:
    """A web process on a Redis of its own."""

    address: str
    link: str
    log: Path

    redis: int
    """Redis' process id."""

    def signal_redis(self, number: signal.Signals) -> None:
        """Send the signal to Redis, and wait until it has ended or stands still."""
        os.kill(self.redis, number)
        assert wait_until(lambda: state_of(self.redis) in ("Z", "T", ""))

    def post(self, path: str, **fields: str) -> httpx.Response:
        """Open the page in a new browser, fill its form in and send it."""
        with httpx.Client(base_url=self.address, timeout=PATIENCE) as browser:
            page = browser.get(path)
            assert page.status_code == 200, page.text
            token = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', page.text)
            assert token is not None
            return browser.post(path, data={"csrfmiddlewaretoken": token[1], **fields})

    def get(self, path: str) -> httpx.Response:
        return httpx.get(self.address + path, timeout=PATIENCE)


def state_of(process: int) -> str:
    """Return the letter by which Linux calls the state of a process; empty if there is none."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return ""


@pytest.fixture
def service(empty_service: Path, tmp_path: Path) -> Iterator[Service]:
    """A service with a project, a worker and an invitation."""
    with redis(tmp_path / "redis") as url:
        env = {"REDIS_URL": url, "GALLERY_PUBLIC": "on"}
        with served(empty_service, tmp_path, tmp_path / "log", **env) as port:
            said = manage(tmp_path, "shell", "-c", PREPARE, **env).stdout
            process = int(redis_client.Redis.from_url(url).info()["process_id"])  # type: ignore[index]
            link = "/join/" + said.partition("/join/")[2].split()[0]
            yield Service(f"http://127.0.0.1:{port}/", link, tmp_path / "log", process)


@pytest.mark.slow
@pytest.mark.services
def test_people_work_while_redis_hangs_or_is_down_and_a_tick_does_the_rest(service: Service, tmp_path: Path) -> None:
    for fault, name in ((signal.SIGSTOP, "bob"), (signal.SIGKILL, "cyd")):
        service.signal_redis(fault)
        signed_in = service.post("/account/login/", login="ada", password=PASSWORD)
        assert signed_in.status_code == 302, signed_in.text
        joined = service.post(service.link, username=name, password1=PASSWORD, password2=PASSWORD)
        assert joined.status_code == 302, joined.text
        assert "tries to sign in or join are not limited" in service.log.read_text()

        export = service.get("projects/parks/export/coco/")
        assert (export.status_code, "Refresh" in export.headers) == (503, True)
        assert "The export waits" in export.text and "begins by itself" in export.text
        ready = service.get("readyz")
        assert ready.status_code == 503 and ready.json()["redis"].startswith("no answer")

    with redis(tmp_path / "second") as url:
        manage(tmp_path, "shell", "-c", "from pipeline.jobs import send_waiting_job as s; s()", REDIS_URL=url)
        assert redis_client.Redis.from_url(url).llen("asked") == 1
