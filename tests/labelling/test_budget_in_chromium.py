"""In a real browser: the labelling page is light, asks little before the first question, and asks nobody else."""

import gzip

import pytest
from playwright.sync_api import Request, expect

from pipeline.rules.tasks.task import Task
from tests.labelling.conftest import Sit
from tests.support.projects import worker
from tests.support.six_tasks import six_tasks

# What a browser does with a page does not depend on the database.
pytestmark = pytest.mark.sqlite_only

MOST_BYTES = 40_000
"""Of all scripts and styles together, packed by gzip."""


@pytest.fixture
def asked(sit: Sit) -> list[Request]:
    """Return the browser's requests until the first question can be answered and its picture is there."""
    tab = sit(worker(six_tasks(), "ada"))
    requests: list[Request] = []
    tab.page.on("request", lambda request: requests.append(request))
    tab.open(Task.COREFERENCE_LINK)
    expect(tab.page.locator('[data-answer="same"]')).to_be_enabled()
    tab.wait_for_picture()
    tab.page.wait_for_load_state("networkidle")
    assert all(request.url.startswith(tab.address) for request in requests)
    return requests


def test_four_requests_make_the_first_question_usable(asked: list[Request]) -> None:
    kinds = [request.resource_type for request in asked if request.resource_type != "image"]
    assert sorted(kinds) == ["document", "fetch", "script", "stylesheet"]


def test_scripts_and_styles_fit_into_forty_kilobytes(asked: list[Request]) -> None:
    files = [request.response() for request in asked if request.resource_type in ("script", "stylesheet")]
    bodies = [file.body() for file in files if file is not None]
    assert len(bodies) == 2
    assert 1000 < sum(len(gzip.compress(body, 9)) for body in bodies) <= MOST_BYTES
