"""In a real browser: the labelling page is light, asks little before the first question, and asks nobody else."""

import gzip
import re
from pathlib import Path

import pytest
from playwright.sync_api import Request, expect

from pipeline.rules.settings.protocol import ProtocolSettings
from pipeline.rules.tasks.task import SURVEY_TASKS, Task
from tests.labelling.conftest import Sit
from tests.support.labelling_page import LabellingPage
from tests.support.projects import worker
from tests.support.six_tasks import six_tasks
from tests.support.survey_crew import scene_survey

MOST_BYTES = 40_000
"""Of all scripts and styles that the page loads at first for a worker who knows the task, packed by gzip."""
MOST_BYTES_EVER = 50_000
"""Of these and the parts that are loaded when they are first shown."""
MOST_BYTES_OF_WORDS = 12_000
"""Of the words of one other language."""
WORDS = re.compile(r"/assets/[a-z]{2}-[^/]+\.js$")
LATE_PARTS = re.compile(r"/assets/rare-[^/]+\.(js|css)$")


@pytest.fixture
def tab(sit: Sit) -> LabellingPage:
    return sit(worker(six_tasks(), "ada"))


@pytest.fixture
def requests(tab: LabellingPage) -> list[Request]:
    """Return a list that grows with the browser's requests."""
    made: list[Request] = []
    tab.page.on("request", lambda request: made.append(request))
    return made


@pytest.fixture
def asked(tab: LabellingPage, requests: list[Request]) -> list[Request]:
    """Return the requests until the first question can be answered and its picture is there."""
    tab.open(Task.COREFERENCE_LINK)
    expect(tab.page.locator('[data-answer="same"]')).to_be_enabled()
    tab.wait_for_picture()
    tab.wait_until_it_answers()
    assert all(request.url.startswith(tab.address) for request in requests)
    return requests


def _files(made: list[Request]) -> list[str]:
    return [request.url for request in made if request.resource_type in ("script", "stylesheet")]


def _packed(made: list[Request]) -> int:
    files = [request.response() for request in made if request.resource_type in ("script", "stylesheet")]
    return sum(len(gzip.compress(file.body(), 9)) for file in files if file is not None)


@pytest.mark.smoke
def test_four_requests_make_the_first_question_usable_and_scripts_and_styles_fit_into_forty_kilobytes(
    asked: list[Request],
) -> None:
    kinds = [request.resource_type for request in asked if request.resource_type != "image"]
    assert sorted(kinds) == ["document", "fetch", "script", "stylesheet"]
    assert 1000 < _packed(asked) <= MOST_BYTES


@pytest.mark.parametrize("task", SURVEY_TASKS)
def test_the_script_of_surveys_fits_into_forty_kilobytes_too(sit: Sit, tmp_path: Path, task: Task) -> None:
    project = scene_survey(tmp_path, task)
    tab = sit(worker(project, "ada", task))
    tab.project = project.name
    made: list[Request] = []
    tab.page.on("request", lambda request: made.append(request))
    tab.open(task)
    tab.wait_until_it_answers()
    assert len(_files(made)) == 2
    assert 1000 < _packed(made) <= MOST_BYTES


def test_who_knows_the_task_loads_the_rules_when_opening_them_and_nothing_twice(
    tab: LabellingPage, asked: list[Request]
) -> None:
    at_first = _files(asked)
    for _ in range(2):
        tab.page.locator("[data-help]").click()
        expect(tab.page.get_by_role("dialog")).to_contain_text("How to do it.")
        tab.page.keyboard.press("Escape")
        expect(tab.page.get_by_role("dialog")).to_have_count(0)
    late = [address for address in _files(asked) if address not in at_first]
    assert sorted(match[1] for address in late if (match := LATE_PARTS.search(address))) == ["css", "js"]
    assert len(_files(asked)) == 4
    assert _packed(asked) <= MOST_BYTES_EVER


def test_who_says_what_is_part_of_what_loads_the_rules_at_first_and_no_more_than_others_ever_do(sit: Sit) -> None:
    tab = sit(worker(six_tasks(settings=ProtocolSettings(part_answers=True)), "ada"))
    made: list[Request] = []
    tab.page.on("request", lambda request: made.append(request))
    tab.open(Task.COREFERENCE_LINK)
    expect(tab.page.locator(".answer")).to_have_count(4)
    assert len(_files(made)) == len(set(_files(made))) == 5
    assert _packed(made) <= MOST_BYTES_EVER


def test_a_reader_of_german_loads_the_words_too_in_a_script_that_nobody_else_does(sit: Sit) -> None:
    """The words count towards neither limit: a page loads one language, and English has none."""
    tab = sit(worker(six_tasks(), "ada"), locale="de-DE")
    made: list[Request] = []
    tab.page.on("request", lambda request: made.append(request))
    tab.open(Task.COREFERENCE_LINK)
    words = [request for request in made if WORDS.search(request.url)]
    assert len(words) == 1 and len(_files(made)) == 3
    assert _packed(words) <= MOST_BYTES_OF_WORDS
    assert _packed([request for request in made if request not in words]) <= MOST_BYTES


def test_a_newcomer_s_page_loads_the_lesson_by_itself(tab: LabellingPage, requests: list[Request]) -> None:
    tab.open(Task.COREFERENCE_LINK, "learning", met=False)
    expect(tab.page.get_by_role("main")).to_contain_text("How to do it.")
    assert len(_files(requests)) == len(set(_files(requests))) == 4


def test_who_cannot_load_the_rules_reads_so_and_goes_on_with_every_answer(tab: LabellingPage) -> None:
    tab.page.route(LATE_PARTS, lambda route: route.abort())
    tab.open(Task.COREFERENCE_LINK)
    tab.wait_for_picture()
    tab.answer("same")
    tab.wait_for("summary")
    tab.page.locator("[data-help]").click()
    dialog = tab.page.get_by_role("dialog")
    expect(dialog).to_contain_text("could not be loaded")
    tab.page.unroute(LATE_PARTS)
    tab.page.on("dialog", lambda warning: warning.accept())
    with tab.page.expect_navigation():
        dialog.get_by_role("button", name="Load the page again").click()
    tab.wait_for("summary")
    expect(tab.page.get_by_role("heading", level=1)).to_have_text("All 1 answered")
    tab.page.locator("[data-help]").click()
    expect(dialog).to_contain_text("How to do it.")
