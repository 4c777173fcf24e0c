"""The service while Redis is down or hangs: real processes."""

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest
import redis as redis_client

from tests.support.services import child, redis, wait_until

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]
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
QUICK_SECONDS = 8.0
"""A request may meet the time limits of the cache and of the queue once each."""


@dataclass(frozen=True)
class Service:
    """A web process on a Redis of its own."""

    address: str
    link: str
    redis_url: str
    env: dict[str, str]
    log: Path

    def signal_redis(self, number: signal.Signals) -> None:
        os.kill(int(redis_client.Redis.from_url(self.redis_url).info()["process_id"]), number)  # type: ignore[index]

    def manage(self, *arguments: str) -> str:
        command = [sys.executable, "manage.py", *arguments]
        return subprocess.run(command, cwd=ROOT, env=self.env, capture_output=True, text=True, check=True).stdout

    def post(self, path: str, **fields: str) -> httpx.Response:
        """Open the page in a new browser, fill its form in and send it."""
        with httpx.Client(base_url=self.address, timeout=30) as browser:
            page = browser.get(path)
            assert page.status_code == 200, page.text
            token = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', page.text)
            assert token is not None
            begun = time.monotonic()
            answer = browser.post(path, data={"csrfmiddlewaretoken": token[1], **fields})
            assert time.monotonic() - begun < QUICK_SECONDS
            return answer


def environment(folder: Path, redis_url: str) -> dict[str, str]:
    """Return the environment of a service in this folder."""
    env = {name: value for name, value in os.environ.items() if name != "DATABASE_URL"}
    env |= {"REDIS_URL": redis_url, "CHAINBOX_DATA": str(folder), "DJANGO_SETTINGS_MODULE": "config.settings"}
    return env | {"GALLERY_PUBLIC": "on", "PYTHONPATH": str(ROOT)}


@pytest.fixture(scope="module")
def prepared(empty_service: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A service's folder with a project and a worker, to be copied, and the path of an invitation."""
    folder = tmp_path_factory.mktemp("prepared") / "data"
    shutil.copytree(empty_service, folder)
    with redis(folder.parent / "redis") as url:
        env = environment(folder, url)
        said = Service("", "", url, env, folder / "log").manage("shell", "-c", PREPARE)
    return folder, "/join/" + said.partition("/join/")[2].split()[0]


@pytest.fixture
def service(prepared: tuple[Path, str], tmp_path: Path) -> Iterator[Service]:
    folder, link = prepared
    shutil.copytree(folder, tmp_path, dirs_exist_ok=True)
    with redis(tmp_path / "redis") as url:
        env, log = environment(tmp_path, url), tmp_path / "log"
        with child([sys.executable, "manage.py", "serve", "--port", "18400"], log, env=env, cwd=str(ROOT)):
            assert wait_until(lambda: "http://" in log.read_text()), log.read_text()
            address = next(word for word in log.read_text().split() if word.startswith("http://"))
            assert wait_until(lambda: _answers(address)), log.read_text()
            yield Service(address, link, url, env, log)


def _answers(address: str) -> bool:
    try:
        return httpx.get(address + "healthz", timeout=5).status_code == 200
    except httpx.TransportError:
        return False


@pytest.mark.services
@pytest.mark.parametrize("fault", [signal.SIGKILL, signal.SIGSTOP], ids=["down", "hangs"])
def test_people_sign_in_join_and_ask_for_exports_while_redis_does_not_answer(
    service: Service, fault: signal.Signals
) -> None:
    service.signal_redis(fault)
    time.sleep(0.2)
    signed_in = service.post("/work/sign-in/", username="ada", password=PASSWORD)
    assert signed_in.status_code == 302, signed_in.text
    joined = service.post(service.link, username="bob", password1=PASSWORD, password2=PASSWORD)
    assert joined.status_code == 302, joined.text
    assert "tries to sign in or join are not limited" in service.log.read_text()

    begun = time.monotonic()
    export = httpx.get(service.address + "projects/parks/export/coco/", timeout=30)
    assert time.monotonic() - begun < QUICK_SECONDS
    assert (export.status_code, "Refresh" in export.headers) == (503, True)
    assert "The export waits" in export.text and "begins by itself" in export.text
    ready = httpx.get(service.address + "readyz", timeout=30)
    assert ready.status_code == 503 and ready.json()["redis"].startswith("no answer")
    assert "Traceback" not in service.log.read_text()


@pytest.mark.services
def test_an_export_that_waited_for_redis_is_begun_by_the_sweep(service: Service, tmp_path: Path) -> None:
    service.signal_redis(signal.SIGKILL)
    time.sleep(0.2)
    assert httpx.get(service.address + "projects/parks/export/coco/", timeout=30).status_code == 503
    with redis(tmp_path / "second") as url:
        env = service.env | {"REDIS_URL": url}
        Service("", "", url, env, tmp_path).manage(
            "shell", "-c", "from pipeline.jobs import send_waiting_job as s; s()"
        )
        assert redis_client.Redis.from_url(url).llen("asked") == 1
