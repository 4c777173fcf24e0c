"""The service while Redis is down or hangs: real processes."""

import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest
import redis as redis_client

from tests.support.places import ROOT
from tests.support.services import PATIENCE, child, redis, wait_until

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
    env: dict[str, str]
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


def manage(env: dict[str, str], *arguments: str) -> str:
    command = [sys.executable, "manage.py", *arguments]
    return subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, check=True).stdout


def environment(folder: Path, redis_url: str) -> dict[str, str]:
    """Return the environment of a service in this folder."""
    env = {name: value for name, value in os.environ.items() if name != "DATABASE_URL"}
    env |= {"REDIS_URL": redis_url, "CHAINBOX_DATA": str(folder), "DJANGO_SETTINGS_MODULE": "config.settings"}
    return env | {"GALLERY_PUBLIC": "on", "PYTHONPATH": str(ROOT)}


@pytest.fixture
def service(empty_service: Path, tmp_path: Path) -> Iterator[Service]:
    """A service with a project, a worker and an invitation."""
    shutil.copytree(empty_service, tmp_path, dirs_exist_ok=True)
    with redis(tmp_path / "redis") as url:
        env, log = environment(tmp_path, url), tmp_path / "log"
        link = "/join/" + manage(env, "shell", "-c", PREPARE).partition("/join/")[2].split()[0]
        with child([sys.executable, "manage.py", "serve", "--port", "18400"], log, env=env, cwd=str(ROOT)):
            assert wait_until(lambda: "http://" in log.read_text()), log.read_text()
            address = next(word for word in log.read_text().split() if word.startswith("http://"))
            assert wait_until(lambda: _answers(address)), log.read_text()
            process = int(redis_client.Redis.from_url(url).info()["process_id"])  # type: ignore[index]
            yield Service(address, link, env, log, process)


def _answers(address: str) -> bool:
    try:
        return httpx.get(address + "healthz", timeout=PATIENCE).status_code == 200
    except httpx.TransportError:
        return False


@pytest.mark.slow
@pytest.mark.services
def test_people_work_while_redis_hangs_or_is_down_and_a_sweep_does_the_rest(service: Service, tmp_path: Path) -> None:
    for fault, name in ((signal.SIGSTOP, "bob"), (signal.SIGKILL, "cyd")):
        service.signal_redis(fault)
        signed_in = service.post("/work/sign-in/", username="ada", password=PASSWORD)
        assert signed_in.status_code == 302, signed_in.text
        joined = service.post(service.link, username=name, password1=PASSWORD, password2=PASSWORD)
        assert joined.status_code == 302, joined.text
        assert "tries to sign in or join are not limited" in service.log.read_text()

        export = service.get("projects/parks/export/coco/")
        assert (export.status_code, "Refresh" in export.headers) == (503, True)
        assert "The export waits" in export.text and "begins by itself" in export.text
        ready = service.get("readyz")
        assert ready.status_code == 503 and ready.json()["redis"].startswith("no answer")
    assert "Traceback" not in service.log.read_text()

    with redis(tmp_path / "second") as url:
        manage(service.env | {"REDIS_URL": url}, "shell", "-c", "from pipeline.jobs import send_waiting_job as s; s()")
        assert redis_client.Redis.from_url(url).llen("asked") == 1
