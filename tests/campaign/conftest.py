"""Jobs that are done when the test says so, folders of the test's own, and a server that takes what webhooks send."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

from campaign import threads
from campaign.data.carry_out import run_job
from tests.support.receiver import Receiver, receiving


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with receiving() as server:
        yield server


@pytest.fixture
def later(monkeypatch: pytest.MonkeyPatch) -> list[Callable[[], None]]:
    """Jobs that wait: the test calls them, in this thread, whose transaction they see."""
    waiting: list[Callable[[], None]] = []
    monkeypatch.setattr(threads, "in_background", waiting.append)
    return waiting


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let jobs run where they are requested."""
    monkeypatch.setattr(threads, "in_background", lambda work: work())


def work_on(run_id: int) -> None:
    """Do the work of a run here and now."""
    with patch.object(threads, "in_background", lambda work: work()):
        run_job(run_id)


@pytest.fixture
def own_folders(settings: Any, tmp_path: Path) -> None:
    """Keep uploads and pictures with the test."""
    settings.DATA = tmp_path / "data"
    settings.DATA.mkdir()
    settings.MEDIA_ROOT = settings.DATA / "media"
