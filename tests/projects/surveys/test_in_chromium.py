"""In a real browser: from a file of items with pictures to a started survey, its results and its votes."""

from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from playwright.sync_api import Page, expect

from annotation.models import Project
from pipeline.record.apply_judgments import apply_judgments
from surveys.votes import lines_of
from tests.projects.conftest import Desk
from tests.support.api import ApiWorker
from tests.support.axe import assert_accessible
from tests.support.members import maker
from tests.support.projects import worker
from tests.support.surveys import CHECK, foil, write_items, write_pictures

ITEMS = [foil(0), foil(1)]


@pytest.fixture
def page(transactional_db: None, client: Client, desk: Desk) -> Page:
    client.force_login(maker("rita"))
    return desk("/", forgiven="the server responded with a status of 400")


def answer(project: Project, name: str, said: dict[str, Any]) -> None:
    api = ApiWorker(Client(), worker(project, name, CHECK), project=project.name)
    work = api.ask(CHECK)
    api.submit(work, *[said] * len(work["questions"]))
    apply_judgments(project_id=project.pk)


@pytest.mark.smoke
def test_a_file_of_items_becomes_a_survey_whose_votes_are_downloaded(page: Page, tmp_path: Path) -> None:
    bad = write_items(tmp_path, [{**foil(0), "place": 4}], name="bad.jsonl")
    items, pictures = write_items(tmp_path, ITEMS), write_pictures(tmp_path, ITEMS)
    page.get_by_role("link", name="New survey").click()
    page.get_by_label("Title").fill("Foils of men")
    page.get_by_label("File of items").set_input_files(bad)
    page.get_by_role("button", name="Make the survey").click()
    expect(page.get_by_role("heading", name="1 line of the file is not an item")).to_be_visible()
    assert_accessible(page)
    page.get_by_label("File of items").set_input_files(items)
    page.get_by_role("button", name="Make the survey").click()

    expect(page.get_by_text("0 of 2 pictures are here.")).to_be_visible()
    assert_accessible(page)
    page.locator("[data-choose=folder]").set_input_files(pictures)
    expect(page.get_by_text("All 2 pictures are here.")).to_be_visible()
    page.get_by_role("button", name="Import the items").click()
    expect(page.get_by_text("4 questions on 2 pictures")).to_be_visible()
    assert_accessible(page)

    page.get_by_role("navigation", name="Steps to the start").get_by_role("link", name="Invite workers").click()
    page.get_by_label("people you know and trust").check()
    page.get_by_role("button", name="Make a link").click()
    expect(page.locator(".token")).to_have_count(1)
    page.get_by_role("navigation", name="Steps to the start").get_by_role("button", name="Start").click()
    expect(page.get_by_text("The project is running now.")).to_be_visible()
    assert_accessible(page)

    project = Project.objects.get(name="foils-of-men")
    for name, verdict in (("ada", "correct"), ("bob", "wrong"), ("cyd", "correct"), ("dan", "wrong")):
        answer(project, name, {"verdict": verdict} | ({"word": 1} if verdict == "wrong" else {}))
    for name in ("eve", "fay"):
        answer(project, name, {"verdict": "correct"})
    page.get_by_role("link", name="Results", exact=True).first.click()
    expect(page.get_by_text("4 of 4")).to_be_visible()
    expect(page.locator(".voted > li").first).to_be_visible()
    expect(page.locator(".plot").first).to_be_visible()
    assert_accessible(page)
    with page.expect_download() as download:
        page.get_by_role("link", name="Download votes").click()
    assert Path(download.value.path()).read_text() == "".join(lines_of(project)) and len(list(lines_of(project))) == 12
