"""A requester's browser, a finished project, jobs that are done when the test says so, and what webhooks send."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from django.contrib.auth.models import User
from django.test import Client
from playwright.sync_api import Browser, Page
from pytest_django.live_server_helper import LiveServer

from annotation.models import Project
from projects import runs
from projects.runs import run_job
from simulation.scenes.scene import write_source
from tests.projects.gallery.conftest import finished, scenes_folder  # noqa: F401  # fixtures
from tests.support.browsers import new_context
from tests.support.kept import Kept
from tests.support.labelling_page import complaints
from tests.support.members import maker
from tests.support.web_server import Receiver

Later = list[Callable[[], None]]
"""Jobs that wait."""
Desk = Callable[..., Page]


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """A folder with three drawn scenes, to be checked."""
    write_source(tmp_path / "parks", 0, 3)
    return tmp_path / "parks"


@pytest.fixture
def desk(transactional_db: None, live_server: LiveServer, chromium: Browser, client: Client) -> Iterator[Desk]:
    """desk(path): a browser of whom `client` signed in, opened there. What its page complains about fails the test.

    `before`: what is done with the page before it is opened. `forgiven`: a complaint that is no fault.
    """
    said: list[tuple[list[str], str]] = []
    with ExitStack() as contexts:

        def sit_down(
            path: str, *, before: Callable[[Page], object] = lambda page: None, forgiven: str = "", **options: Any
        ) -> Page:
            look = {"viewport": {"width": 1440, "height": 900}, "base_url": live_server.url, **options}
            context = contexts.enter_context(new_context(chromium, **look))
            session: Any = {"name": "sessionid", "value": client.cookies["sessionid"].value, "url": live_server.url}
            context.add_cookies([session])
            page = context.new_page()
            said.append((complaints(page), forgiven))
            before(page)
            page.goto(path)
            return page

        yield sit_down
    assert [one for lines, forgiven in said for one in lines if not forgiven or forgiven not in one] == []


@pytest.fixture
def rita(db: None) -> User:
    """A user with every right. Folders of tests make her a member of their project."""
    return maker("rita")


@pytest.fixture
def requester(client: Client, rita: User) -> Client:
    """Her browser."""
    client.force_login(rita)
    return client


@pytest.fixture
def boss(admin_client: Client) -> Client:
    """The browser of who may do everything."""
    return admin_client


@pytest.fixture
def drawn(finished: Kept, db: None) -> Project:  # noqa: F811
    finished.write()
    return Project.objects.get(name="drawn")


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with Receiver() as server:
        yield server


@pytest.fixture
def later(monkeypatch: pytest.MonkeyPatch) -> Later:
    """Jobs that wait: the test calls them, in this thread, whose transaction they see."""
    waiting: Later = []
    monkeypatch.setattr(runs, "in_background", waiting.append)
    return waiting


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let jobs run where they are requested."""
    monkeypatch.setattr(runs, "in_background", lambda work: work())


def work_on(run_id: int) -> None:
    """Do the work of a run here and now."""
    with patch.object(runs, "in_background", lambda work: work()):
        run_job(run_id)


@pytest.fixture
def own_folders(settings: Any, tmp_path: Path) -> None:
    """Keep uploads and pictures with the test."""
    settings.DATA = tmp_path / "data"
    settings.DATA.mkdir()
    settings.MEDIA_ROOT = settings.DATA / "media"
