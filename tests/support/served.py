"""An embedded service in a folder of its own, as a user starts it: its environment, its commands, and its address."""

import os
import shutil
import signal
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.support.places import ROOT
from tests.support.services import PATIENCE, child, reserved_port, wait_until


def environment(folder: Path) -> dict[str, str]:
    """Return the environment of an embedded service in this folder."""
    inherited = {name: value for name, value in os.environ.items() if name not in ("DATABASE_URL", "REDIS_URL")}
    return {**inherited, "CHAINBOX_DATA": str(folder), "DJANGO_SETTINGS_MODULE": "config.settings"}


def manage(folder: Path, *arguments: str, **extra: str) -> subprocess.CompletedProcess[str]:
    command, env = [sys.executable, "manage.py", *arguments], {**environment(folder), **extra}
    return subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, check=False)


def status(url: str) -> int:
    """Return the response's HTTP status, or 0 while nothing listens."""
    try:
        with urllib.request.urlopen(url, timeout=PATIENCE) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as error:
        error.close()
        return error.code
    except OSError:
        return 0


def is_healthy(port: int) -> bool:
    return status(f"http://127.0.0.1:{port}/healthz") == 200


@contextmanager
def served(empty_service: Path, folder: Path, log: Path, **extra: str) -> Iterator[int]:
    """Run `manage.py serve` on a copy of an empty service; yields the port."""
    shutil.copytree(empty_service, folder, dirs_exist_ok=True)
    command, env = [sys.executable, "manage.py", "serve", "--port"], {**environment(folder), **extra}
    with reserved_port() as port, child([*command, str(port)], log, env=env, cwd=str(ROOT), stop=signal.SIGINT):
        assert wait_until(lambda: is_healthy(port)), log.read_text()
        yield port
    assert "Traceback" not in log.read_text(), log.read_text()
