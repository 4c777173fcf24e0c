"""In a real browser: from an empty service to a started project, with photographs and captions of COCO."""

import time
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from playwright.sync_api import Page, expect

from annotation.models import Image, Mention, Project
from campaign.models import ImportRun, ModelPrediction
from members.models import Membership, Role
from pipeline.project.settings_versions import current_settings
from tests.campaign.conftest import Desk
from tests.support.axe import DESK, violations
from tests.support.members import maker


@pytest.fixture
def page(transactional_db: None, client: Client, desk: Desk, settings: Any, tmp_path: Path) -> Page:
    settings.DATA = tmp_path
    client.force_login(maker("rita"))
    return desk("/")


def assert_accessible(page: Page) -> None:
    assert violations(page, DESK[:1], unfold=False) == []


def test_a_folder_of_photographs_becomes_a_started_project(page: Page, data_folder: Path) -> None:
    page.get_by_role("link", name="New project").click()
    page.get_by_label("Title").fill("Street scenes")
    assert_accessible(page)
    page.get_by_role("button", name="Make the project").click()
    expect(page.get_by_text("It has no images")).to_be_visible()
    assert Membership.objects.get(user__username="rita").role == Role.REQUESTER

    begun = time.monotonic()
    page.locator("[data-choose=folder]").set_input_files(data_folder / "coco")
    expect(page.get_by_text("26 pictures and 2 other files are here")).to_be_visible()
    expect(page.get_by_text("Format: coco")).to_be_visible()
    program = page.get_by_label("Name of the program that stands for the data set")
    expect(program).to_be_hidden()
    page.get_by_label("Chains and boxes of the data set are").select_option("proposals")
    program.fill("boxes of COCO")
    assert_accessible(page)
    uploaded = time.monotonic()
    page.get_by_role("button", name="Import the uploaded files").click()
    expect(page.get_by_text("54 images left out: the reasons")).to_be_visible()
    print(f"upload {uploaded - begun:.1f} s, import {time.monotonic() - uploaded:.1f} s")
    expect(page.locator("ul.names li")).to_have_count(54)
    expect(page.get_by_text("is missing").first).to_be_visible()
    project = Project.objects.get(name="street-scenes")
    assert (project.state, project.images.count()) == ("draft", 26)
    assert ImportRun.objects.get().state == ImportRun.State.DONE
    assert {one.program.name for one in ModelPrediction.objects.all()} == {"boxes of COCO"}
    assert Mention.objects.exists(), "the chunker is not installed"
    assert_accessible(page)

    page.get_by_role("link", name="Look at the phrases").click()
    expect(page.locator(".sample > li")).to_have_count(12)
    phrase = page.locator(".phrase.c7[role=button]").first
    text = phrase.get_attribute("data-text")
    assert_accessible(page)
    phrase.click()
    assert_accessible(page)
    page.get_by_role("dialog").get_by_role("button", name="vehicles").click()
    expect(page.get_by_text("is of type vehicles.")).to_be_visible()
    expect(page.get_by_role("button", name=f"{text}: vehicles").first).to_be_visible()
    (term,) = current_settings(project.pk)[1].dictionaries["add"]["vehicles"]
    page.get_by_role("button", name="Apply to all images").click()
    expect(page.get_by_text("The word lists were applied")).to_be_visible()
    changed = Mention.objects.filter(text=text)
    assert changed and all(one.types == ["vehicles"] for one in changed), term

    page.get_by_role("button", name="Start").click()
    expect(page.get_by_text("The project is running now.")).to_be_visible()
    assert Image.objects.filter(project=project).exclude(picture="").count() == 26
