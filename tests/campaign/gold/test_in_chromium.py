"""In a real browser: a requester annotates an image by mouse and keyboard, and known questions come out."""

from pathlib import Path

from django.test import Client
from playwright.sync_api import Browser, Page, expect
from pytest_django.live_server_helper import LiveServer

from annotation.models import Gold, Project
from annotation.rules.states import ProjectState
from campaign.models import GoldAnnotation
from exchange.import_dataset import import_dataset
from members.models import Role
from pipeline.models import KnownQuestion
from pipeline.rules.tasks.task import Task
from tests.support.axe import AXE, COLOURS, RUN, TAGS
from tests.support.members import sign_in


def has_no_faults(page: Page, where: str) -> None:
    page.add_script_tag(path=str(AXE))
    assert page.evaluate(RUN, TAGS) == [], where
    page.emulate_media(color_scheme="dark")
    assert page.evaluate(RUN, COLOURS) == [], f"{where}, dark"
    page.set_viewport_size({"width": 390, "height": 844})
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), f"{where} is too wide for a phone"
    page.set_viewport_size({"width": 1440, "height": 900})
    page.emulate_media(color_scheme="light")


def annotate(page: Page) -> None:
    """Link two phrases, draw a box, call one chain a scene and the others no box, and finish."""
    keys, said = page.keyboard, page.locator(".said")
    phrases, chains = page.locator(".gold .phrase"), page.locator(".gold .chains li")
    expect(phrases.first).to_be_visible()
    count = chains.count()
    phrases.first.click()
    keys.press("l")
    phrases.last.click()
    expect(chains).to_have_count(count - 1)
    keys.press("u")
    expect(chains).to_have_count(count)
    keys.press("y")
    keys.press("Escape")
    keys.press("d")
    keys.press("b")
    expect(page.locator(".plane")).not_to_have_attribute("data-box", "")
    keys.press("Enter")
    expect(said).to_contain_text("The box is kept")
    keys.press("d")
    expect(chains.first).to_contain_text("1 box")
    keys.press("f")
    expect(said).to_contain_text("have neither a box nor a reason for none")
    keys.press("s")
    for place in range(2, count - 1):
        expect(chains.nth(place - 1)).not_to_contain_text("not decided")
        keys.press("n")
    expect(page.locator(".heading .state")).to_have_text("ready to finish")


def test_an_annotated_image_becomes_known_questions(
    transactional_db: None, live_server: LiveServer, chromium: Browser, scenes_folder: Path, client: Client
) -> None:
    import_dataset(project_name="drawn", path=scenes_folder, gold=True)
    Gold.objects.all().delete()
    Project.objects.update(state=ProjectState.DRAFT.value)
    sign_in(client, Project.objects.get(), Role.REQUESTER, "rita")
    context = chromium.new_context(viewport={"width": 1440, "height": 900}, bypass_csp=True)
    context.add_cookies([{"name": "sessionid", "value": client.cookies["sessionid"].value, "url": live_server.url}])
    page = context.new_page()
    problems: list[str] = []
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on("console", lambda message: problems.append(message.text) if message.type == "error" else None)
    page.goto(f"{live_server.url}/projects/drawn/gold/")
    page.get_by_label("Images", exact=True).fill("1")
    page.get_by_role("button", name="Draw images at random").click()
    page.get_by_role("link", name="Annotate").click()
    annotate(page)
    has_no_faults(page, "the page of an image")
    page.keyboard.press("f")
    expect(page.locator(".heading .state")).to_have_text("finished")
    sheet = GoldAnnotation.objects.get()
    assert sheet.finished_at and sheet.name == "rita"
    first = sheet.chains[0]
    assert len(first["mentions"]) == 2 and len(first["boxes"]) == 1 and sheet.chains[1]["non_visual"] == "scene"
    page.get_by_role("link", name="All images").click()
    expect(page.locator(".g-settled")).to_have_text("settled")
    row = page.get_by_role("row").filter(has_text="Box requirement")
    stock = KnownQuestion.objects.filter(task=Task.BOX_REQUIREMENT.value, purpose="verification").count()
    assert stock > 0
    expect(row.get_by_role("cell").first).to_contain_text(f"{stock} of 40 to 70")
    has_no_faults(page, "the page of known questions")
    context.close()
    assert problems == []
