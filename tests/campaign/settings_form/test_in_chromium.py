"""In a real browser: the form of the settings, from a changed batch and strategy to the history."""

import pytest
from django.test import Client
from playwright.sync_api import Page, expect

from annotation.models import Project
from members.models import Role
from pipeline.project.settings_versions import current_settings
from pipeline.rules.linking.link_strategy import Strategy
from pipeline.rules.settings.protocol import ProtocolSettings
from pipeline.rules.tasks.task import Task
from pipeline.tick import tick
from tests.campaign.conftest import Desk
from tests.support.axe import SIZES, violations
from tests.support.members import sign_in
from tests.support.projects import lease, phrases, project_of, submit, worker


def begun_project() -> Project:
    """Make six images of which two have answers; one worker holds links."""
    words = ("a man", "the man", "a tall man", "a player", "someone")
    images = [phrases(*(f"people: {one}" for one in words), name=str(number)) for number in range(6)]
    project = project_of(*images, settings=ProtocolSettings(strategy=Strategy.EXHAUSTIVE))
    submit(lease(project, worker(project, "bob"), Task.COREFERENCE_LINK, size=11), *["different"] * 11)
    tick(project_id=project.id)
    lease(project, worker(project, "cleo"), Task.COREFERENCE_LINK, size=3)
    return project


@pytest.fixture
def page(transactional_db: None, client: Client, desk: Desk) -> Page:
    project = begun_project()
    sign_in(client, project, Role.REQUESTER, "ada")
    return desk("/projects/small/settings/")


def change_batch_and_strategy(page: Page) -> None:
    page.get_by_label("greedy plus", exact=False).check()
    page.locator("[name='batch.coreference_link']").fill("12")
    page.get_by_role("button", name="Look at the changes").last.click()


def test_a_requester_changes_batch_and_strategy_sees_the_effect_saves_and_reads_the_history(page: Page) -> None:
    change_batch_and_strategy(page)
    expect(page.get_by_role("heading", name="Change the settings?")).to_be_visible()
    table = page.locator("table.diff")
    expect(table).to_contain_text("Link strategyexhaustivegreedy plus")
    expect(table).to_contain_text("Questions per assignment, coreference link1012")
    expect(page.get_by_text("Assignments that workers have, 1 now, keep")).to_be_visible()
    expect(page.get_by_text("Open link questions with workers or answered just now, 3, stay open")).to_be_visible()
    page.get_by_label("Only for images not yet begun, 4 now").check()
    page.get_by_label("Why?").fill("fewer questions for the rest")
    page.get_by_role("button", name="Save the change").click()
    expect(page.get_by_text("Saved: version 2 of the settings is in use.")).to_be_visible()
    page.get_by_role("heading", name="History").click()
    first = page.locator(".version").first
    expect(first).to_contain_text("fewer questions for the rest")
    expect(first).to_contain_text("ada")
    expect(first).to_contain_text("images not yet begun")
    settings = current_settings(Project.objects.get().id)[1]
    assert (settings.strategy, settings.batch["coreference_link"]) == (Strategy.GREEDY_PLUS, 12)
    page.get_by_role("button", name="Use version 1 again").click()
    expect(page.locator("table.diff")).to_contain_text("greedy plusexhaustive")


@pytest.mark.smoke
def test_the_form_is_filled_in_and_sent_by_keys_alone(page: Page) -> None:
    page.locator("#boxes > summary").focus()
    page.keyboard.press("Enter")
    page.locator("[name='no_box_votes']").focus()
    page.keyboard.press("Control+A")
    page.keyboard.type("3")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Change the settings?")).to_be_visible()
    page.get_by_label("Why?").focus()
    page.keyboard.type("by keys")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Saved: version 2")).to_be_visible()


def test_a_wrong_value_is_marked_beside_its_field_and_in_the_list_of_sections(page: Page) -> None:
    page.locator("[name='batch.box_drawing']").fill("0")
    page.get_by_role("heading", name="Box tasks").click()
    page.locator("[name='no_box_votes']").fill("many")
    page.get_by_role("button", name="Look at the changes").last.click()
    expect(page.get_by_text("A whole number between 1 and 100, not 0.")).to_be_visible()
    expect(page.locator("[name='batch.box_drawing']")).to_have_attribute("aria-invalid", "true")
    expect(page.get_by_role("link", name="Most used 1 wrong")).to_be_visible()
    expect(page.get_by_role("link", name="Box tasks 1 wrong")).to_be_visible()
    expect(page.locator("[name='no_box_votes']")).to_be_visible()  # a fold with something wrong is open


def test_axe_finds_nothing_on_the_form_and_on_the_look_and_nothing_is_wider_than_the_window(page: Page) -> None:
    for step in ("form", "look"):
        if step == "look":
            change_batch_and_strategy(page)
            expect(page.get_by_role("heading", name="Change the settings?")).to_be_visible()
        assert violations(page) == []
        for width, height in SIZES:
            page.set_viewport_size({"width": width, "height": height})
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), (step, width)
        page.set_viewport_size({"width": 1440, "height": 900})
