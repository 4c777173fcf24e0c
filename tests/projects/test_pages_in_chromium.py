"""The dashboard and the page of alerts in Chromium: drawn, live, without faults that axe finds.
The page of models in Chromium: it fits a wide window and a telephone, and axe finds no fault.
In a real browser: the form of the settings, from a changed batch and strategy to the history.
"""

import json

import pytest
from django.test import Client
from playwright.sync_api import Page, expect

from accounts.models import Role
from annotation.models import Chain, Project
from annotation.rules.states import ChainState
from pipeline.project.settings_versions import change_settings, current_settings
from pipeline.protocol.tasks.task import Task
from pipeline.settings.of_belief import BoxPolicyName, LinkStrategy
from pipeline.settings.settings import Settings
from pipeline.tick import tick
from projects.dashboard.figures import refresh_figures
from projects.models import AlertChannel
from projects.predictions.import_predictions import enter_predictions, import_predictions
from tests.projects.conftest import Desk
from tests.support.axe import FEW_LOOKS, SIZES, violations
from tests.support.members import sign_in
from tests.support.projects import answer, lease, phrases, project_of, submit, worker
from tests.support.settings_with import settings_with
from tests.support.six_tasks import six_tasks
from workers.models import Worker

LIVE = "**/api/v1/requester/projects/*/dashboard/"
PAUSE = 15_000
"""Milliseconds, longer than the page waits between two requests for numbers."""


@pytest.fixture
def project(transactional_db: None) -> Project:
    made = six_tasks()
    answer(made, worker(made, "ada"), Task.BOX_REQUIREMENT, 1)
    refresh_figures(made.pk)
    return made


@pytest.fixture
def page(project: Project, client: Client, desk: Desk) -> Page:
    """A requester's browser, once the page follows the work. What the page complains about fails the test."""
    sign_in(client, project, Role.REQUESTER)
    opened = desk("/projects/small/dashboard/", before=lambda page: page.clock.install())
    opened.locator("[data-chart] .plot").first.wait_for(state="attached")
    return opened


def test_charts_are_drawn_over_their_tables_and_axe_finds_no_fault(page: Page, project: Project) -> None:
    page.evaluate("document.querySelectorAll('details').forEach((fold) => { fold.open = true; })")
    expect(page.locator("[data-chart] .plot")).to_have_count(page.locator("[data-chart]").count())
    found = violations(page)
    AlertChannel.objects.create(project=project, kind="hook", url="https://example.org/", secret="x", kinds=["review"])
    for path in ("../alerts/", "../dashboard/words/"):
        page.goto(page.url + path)
        found += violations(page)
        page.go_back()
    assert found == []


OTHER_PAGES = (
    *("", "explore/?words=man", "review/", "workers/", "workers/money/", "workers/invite/", "members/"),
    *("recruit/", "data/", "data/preview/", "gold/", "gold/suggestions/", "gold/questions/", "predict/"),
)


def test_axe_finds_no_fault_on_the_other_pages_of_a_project(page: Page) -> None:
    found = []
    for path in OTHER_PAGES:
        response = page.goto(f"/projects/small/{path}")
        assert response and response.status == 200, path
        found += violations(page, FEW_LOOKS)
    assert found == []


def test_on_a_phone_no_entry_of_the_menu_nor_anything_else_stands_outside(page: Page) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    page.wait_for_function("document.documentElement.scrollWidth <= innerWidth")
    entries = page.get_by_role("navigation", name="Pages of the project").get_by_role("link")
    assert entries.count() == 8
    assert entries.evaluate_all("all => all.every(one => one.getBoundingClientRect().right <= innerWidth)")


@pytest.mark.smoke
def test_the_numbers_follow_while_the_tab_is_looked_at_and_rest_while_it_is_hidden(page: Page, project: Project):
    Chain.objects.filter(image__project=project).update(state=ChainState.REVIEW.value, review="cycling", non_visual="")
    total = Chain.objects.filter(image__project=project).count()
    with page.expect_response(LIVE):
        page.clock.fast_forward(PAUSE)
    page.get_by_text("The six tasks: chains in each state").click()
    expect(page.locator('.machine [data-live="chain.review"]')).to_have_text(str(total))
    expect(page.get_by_role("link", name="Chains wait for an expert")).to_be_visible()
    page.evaluate("Object.defineProperty(document, 'hidden', { value: true, configurable: true })")
    page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url) if "/api/" in request.url else None)
    page.clock.fast_forward(3 * PAUSE)
    assert asked == []
    with page.expect_response(LIVE):  # at once: were one asked for while hidden, it would have come before
        page.evaluate("delete document.hidden")
        page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    assert len(asked) == 1


USED = Settings(strategy=LinkStrategy.ADAPTIVE, box_policy=BoxPolicyName.BELIEF, pre_annotations=True)
NAMES = ("detector 1", "a-grounding-model-with-a-long-name-and-no-space-in-it-2026-11")


@pytest.fixture
def models_page(transactional_db: None, client: Client, desk: Desk) -> Page:
    """A requester's browser, with two programs in the project: one is set aside."""
    project = project_of(phrases("people: a man", "people: the man"), settings=USED)
    rows = [
        {"image": "1", "caption": number, "words": [0, 2], "chain": "A", "boxes": [[1, 2, 30, 40]]} for number in (0, 1)
    ]
    for name in NAMES:
        import_predictions(project, name, "model.jsonl", "\n".join(map(json.dumps, rows)).encode())
    enter_predictions(project.pk)
    good, bad = (str(Worker.objects.get(name=name).pk) for name in NAMES)
    boxes = {"programs": {bad: {"good": [0.0] * 5 + [4.0], "bad": [0.0] * 5 + [40.0]}}}
    errors = {good: [0.06, 0.02], bad: [0.5, 0.6]}
    change_settings(project_id=project.pk, settings=settings_with(USED, program_errors=errors, box_prior=boxes))
    sign_in(client, project, Role.REQUESTER)
    return desk("/projects/small/models/")


def test_the_page_of_models_fits_every_window_and_axe_finds_no_fault(models_page: Page) -> None:
    assert models_page.get_by_text("Set aside").count() == 2
    for width, height in ((1440, 900), (390, 844), (320, 640)):
        models_page.set_viewport_size({"width": width, "height": height})
        assert models_page.evaluate("document.documentElement.scrollWidth <= innerWidth"), width
    assert violations(models_page) == []


def begun_project() -> Project:
    """Make six images of which two have answers; one worker holds links."""
    words = ("a man", "the man", "a tall man", "a player", "someone")
    images = [phrases(*(f"people: {one}" for one in words), name=str(number)) for number in range(6)]
    project = project_of(*images, settings=Settings(strategy=LinkStrategy.EXHAUSTIVE))
    submit(lease(project, worker(project, "bob"), Task.COREFERENCE_LINK, size=11), *["different"] * 11)
    tick(project_id=project.id)
    lease(project, worker(project, "cleo"), Task.COREFERENCE_LINK, size=3)
    return project


@pytest.fixture
def settings_page(transactional_db: None, client: Client, desk: Desk) -> Page:
    sign_in(client, begun_project(), Role.REQUESTER, "ada")
    return desk("/projects/small/settings/")


def change_batch_and_strategy(page: Page) -> None:
    page.get_by_label("greedy plus", exact=False).check()
    page.locator("[name='batch.coreference_link']").fill("12")
    page.get_by_role("button", name="Look at the changes").last.click()


def test_a_requester_changes_batch_and_strategy_sees_the_effect_saves_and_reads_the_history(settings_page: Page):
    change_batch_and_strategy(settings_page)
    expect(settings_page.get_by_role("heading", name="Change the settings?")).to_be_visible()
    table = settings_page.locator("table.diff")
    expect(table).to_contain_text("Link strategyexhaustivegreedy plus")
    expect(table).to_contain_text("Questions per assignment, coreference link1012")
    expect(settings_page.get_by_text("Assignments that workers have, 1 now, keep")).to_be_visible()
    expect(
        settings_page.get_by_text("Open link questions with workers or answered just now, 3, stay open")
    ).to_be_visible()
    settings_page.get_by_label("Only for images not yet begun, 4 now").check()
    settings_page.get_by_label("Why?").fill("fewer questions for the rest")
    settings_page.get_by_role("button", name="Save the change").click()
    expect(settings_page.get_by_text("Saved: version 2 of the settings is in use.")).to_be_visible()
    settings_page.get_by_role("heading", name="History").click()
    first = settings_page.locator(".version").first
    expect(first).to_contain_text("fewer questions for the rest")
    expect(first).to_contain_text("ada")
    expect(first).to_contain_text("images not yet begun")
    settings = current_settings(Project.objects.get().id)[1]
    assert (settings.strategy, settings.batch["coreference_link"]) == (LinkStrategy.GREEDY_PLUS, 12)
    settings_page.get_by_role("button", name="Use version 1 again").click()
    expect(settings_page.locator("table.diff")).to_contain_text("greedy plusexhaustive")


@pytest.mark.smoke
def test_the_form_is_filled_in_and_sent_by_keys_alone(settings_page: Page) -> None:
    settings_page.locator("#boxes > summary").focus()
    settings_page.keyboard.press("Enter")
    settings_page.locator("[name='no_box_votes']").focus()
    settings_page.keyboard.press("Control+A")
    settings_page.keyboard.type("3")
    settings_page.keyboard.press("Enter")
    expect(settings_page.get_by_role("heading", name="Change the settings?")).to_be_visible()
    settings_page.get_by_label("Why?").focus()
    settings_page.keyboard.type("by keys")
    settings_page.keyboard.press("Enter")
    expect(settings_page.get_by_text("Saved: version 2")).to_be_visible()


def test_a_wrong_value_is_marked_beside_its_field_and_in_the_list_of_sections(settings_page: Page) -> None:
    settings_page.locator("[name='batch.box_drawing']").fill("0")
    settings_page.get_by_role("heading", name="Box tasks").click()
    settings_page.locator("[name='no_box_votes']").fill("many")
    settings_page.get_by_role("button", name="Look at the changes").last.click()
    expect(settings_page.get_by_text("A whole number between 1 and 100, not 0.")).to_be_visible()
    expect(settings_page.locator("[name='batch.box_drawing']")).to_have_attribute("aria-invalid", "true")
    expect(settings_page.get_by_role("link", name="Most used 1 wrong")).to_be_visible()
    expect(settings_page.get_by_role("link", name="Box tasks 1 wrong")).to_be_visible()
    expect(settings_page.locator("[name='no_box_votes']")).to_be_visible()  # a fold with something wrong is open


def test_axe_finds_nothing_on_the_form_and_on_the_look_and_nothing_is_wider_than_the_window(settings_page: Page):
    for step in ("form", "look"):
        if step == "look":
            change_batch_and_strategy(settings_page)
            expect(settings_page.get_by_role("heading", name="Change the settings?")).to_be_visible()
        assert violations(settings_page) == []
        for width, height in SIZES:
            settings_page.set_viewport_size({"width": width, "height": height})
            assert settings_page.evaluate("document.documentElement.scrollWidth <= innerWidth"), (step, width)
        settings_page.set_viewport_size({"width": 1440, "height": 900})
