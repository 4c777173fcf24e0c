"""Fixtures and marks for all tests."""

import fcntl
import gc
import os
import signal
import sys
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from django.db import connection
from django.test import TransactionTestCase
from hypothesis import settings
from playwright.sync_api import Browser, Playwright, expect, sync_playwright

from tests.support import services as support
from tests.support.browsers import PATIENCE
from tests.support.places import ROOT, is_rule_test

if TYPE_CHECKING:
    from annotation.models import Project
    from workers.models import Worker

pytest_plugins = [
    f"tests.support.{name}" for name in ("cost", "late", "made_once", "order", "s3", "skips", "statement_places")
]
# A shell starts background jobs with SIGINT ignored, which processes inherit: there no test of Ctrl-C could pass.
signal.signal(signal.SIGINT, signal.default_int_handler)
DATABASE_FIXTURES = {"db", "transactional_db", "django_db_serialized_rollback", "live_server"}
OF_EVERY_TEST = (
    "_dj", "django_db_blocker", "django_test_environment", "_fail_for", "_live_server", "_nothing_kept",
    "_no_stock", "_scenes", "_template", "monkeypatch", "request", "shared_folder", "tmp_path_factory", "worker_id",
)  # fmt: skip
"""Beginnings of the names of fixtures that every test has, and of those that these have."""
IN_BROWSERS = ("_in_chromium.py", "_in_firefox.py")
"""Endings of the names of files with tests in browsers, by which their lanes find them."""
CHROMIUM = ["--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-sync"]

# Every run tries the same examples, without deadlines. `--hypothesis-profile random` tries others.
settings.register_profile("repeatable", derandomize=True, deadline=None)
settings.register_profile("random", deadline=None)
settings.load_profile("repeatable")


def uses_database(item: pytest.Item) -> bool:
    """Tell whether the test uses the database, by its mark, a fixture or its class."""
    base = getattr(item, "cls", None)
    by_class = base is not None and issubclass(base, TransactionTestCase)
    fixtures = set(getattr(item, "fixturenames", ()))
    return by_class or item.get_closest_marker("django_db") is not None or bool(fixtures & DATABASE_FIXTURES)


def pytest_configure() -> None:
    """Leave like after Ctrl-C when told to end: browsers and servers of fixtures end, too."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)


@pytest.fixture(autouse=True)
def _nothing_kept_of_another_test(request: pytest.FixtureRequest) -> None:
    """Forget cached rows of earlier tests, and keep no read that took long: ids begin anew with each test."""
    from accounts.events import forget_repeats

    forget_repeats()
    if uses_database(request.node):
        from pipeline.gold_questions.known_questions import forget
        from runtime import database

        forget()
        request.getfixturevalue("monkeypatch").setattr(database, "SHARE", 0)


@pytest.hookimpl(tryfirst=True)  # before -m selects by marks
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if is_rule_test(item):
            keep_from_database(item)
        if item.path.name.endswith(IN_BROWSERS):
            item.add_marker("browser")
        elif not {"playwright", "driver"}.isdisjoint(getattr(item, "fixturenames", ())):
            raise pytest.UsageError(f"{item.nodeid}: a test in a browser stands in a file named *_in_chromium.py")


def keep_from_database(item: pytest.Item) -> None:
    """Leave out of the test of a rule the fixtures that every test has: they take longer than most rules."""
    names = getattr(item, "fixturenames", [])
    wanted = signature(item.function).parameters if isinstance(item, pytest.Function) else {}
    names[:] = [name for name in names if name in wanted or not name.startswith(OF_EVERY_TEST)]
    if uses_database(item):
        raise pytest.UsageError(f"{item.nodeid}: a test of a rule may not use the database")


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Import the tests without searching for garbage, and freeze what exists then: later searches, fewer, skip it."""
    gc.disable()
    try:
        with in_turn():
            return (yield)
    finally:
        gc.freeze()
        gc.set_threshold(20_000)
        gc.enable()


@contextmanager
def in_turn() -> Iterator[None]:
    """Let one of the processes of -n import the tests before the others, which then need not compile them, too."""
    share = os.environ.get("CHAINBOX_TESTS_SHARE")
    if not share or "PYTEST_XDIST_WORKER" not in os.environ:
        yield
        return
    with Path(share, "collection.lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            fcntl.flock(lock, fcntl.LOCK_SH)
            fcntl.flock(lock, fcntl.LOCK_UN)
        yield


@pytest.fixture(scope="session")
def data_folder() -> Path:
    """The folder with real data sets; the test is skipped where there is none."""
    folder = (ROOT / os.environ.get("CHAINBOX_TEST_DATA", "../shared/data")).resolve()
    if not folder.is_dir():
        pytest.skip(f"no real data at {folder}: set CHAINBOX_TEST_DATA")
    return folder


@pytest.fixture
def ada(project: "Project") -> "Worker":
    """A worker who may do every task of the test's project."""
    from tests.support.projects import worker

    return worker(project, "ada")


@pytest.fixture(scope="session")
def real_services() -> None:
    """Skip the test unless the run has PostgreSQL and Redis (scripts/with_services.py)."""
    if connection.vendor != "postgresql" or not os.environ.get("REDIS_URL"):
        pytest.skip("needs PostgreSQL and Redis: scripts/with_services.py -- .venv/bin/pytest -m services")


@pytest.fixture
def celery_worker_process(real_services: None, transactional_db: None, tmp_path: Path) -> Iterator[Path]:
    """Run a Celery worker process on the test's database, which executes the jobs; yields its log."""
    from config.celery import app

    app.control.purge()
    name = f"test-{os.getpid()}@localhost"
    command = [sys.executable, "-m", "celery", "-A", "config", "worker", "--hostname", name, "--concurrency", "2"]
    command += ["--without-gossip", "--without-mingle", "--loglevel", "INFO"]
    log = tmp_path / "worker.log"
    with support.child(command, log, env=worker_environment(), cwd=str(ROOT)) as process:

        def answers() -> bool:
            return process.poll() is not None or bool(app.control.ping(destination=[name], timeout=0.5))

        if not support.wait_until(answers) or process.poll() is not None:
            pytest.fail(f"the Celery worker did not start:\n{log.read_text()[-3000:]}")
        app.conf.task_always_eager = False
        try:
            yield log
        finally:
            app.conf.task_always_eager = True


def worker_environment() -> dict[str, str]:
    """Return the environment of a service process on the tests' database."""
    url = os.environ["DATABASE_URL"].rpartition("/")[0] + "/" + connection.settings_dict["NAME"]
    return {**os.environ, "DJANGO_SETTINGS_MODULE": "config.settings", "DATABASE_URL": url, "LOG_LEVEL": "INFO"}


@pytest.fixture
def admin_user(db: None) -> Any:
    """Make an administrator without a password, who is asked for none again (pytest-django's `admin_client`)."""
    from django.contrib.auth.models import User

    return User.objects.create_superuser("admin", "admin@example.com")


@pytest.fixture(scope="session")
def playwright() -> Iterator[Playwright]:
    # Playwright's event loop runs in this thread, so Django takes the test for asynchronous code.
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"
    expect.set_options(timeout=PATIENCE)
    with sync_playwright() as started:
        yield started
    del os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"]


@pytest.fixture(scope="session")
def chromium(playwright: Playwright) -> Iterator[Browser]:
    """Start Chromium without windows: the same pages in half of the processor time."""
    with launched(playwright, "/usr/bin/chromium-headless-shell") as browser:
        yield browser


@pytest.fixture(scope="session")
def whole_chromium(playwright: Playwright) -> Iterator[Browser]:
    """Start Chromium as people have it. It forbids frames of other sites to keep cookies or storage."""
    with launched(playwright, "/usr/bin/chromium") as browser:
        yield browser


@contextmanager
def launched(playwright: Playwright, program: str) -> Iterator[Browser]:
    sandbox = ["--no-sandbox"] if os.geteuid() == 0 else []
    browser = playwright.chromium.launch(executable_path=program, args=[*CHROMIUM, *sandbox])
    yield browser
    browser.close()


@pytest.fixture(scope="session")
def driver(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """Start Firefox, or the browser that CHAINBOX_BROWSER names."""
    from tests.support.driven_page import BROWSERS

    log = tmp_path_factory.mktemp("browser") / "driver.log"
    with BROWSERS[os.environ.get("CHAINBOX_BROWSER", "firefox")](log) as started:
        yield started
