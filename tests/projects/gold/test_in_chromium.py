"""A person without a mouse: everything on a page that can be used is reached by Tab, and is seen to have the focus.
In a real browser: a requester annotates an image by mouse and keyboard, and known questions come out.
"""

import json
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from playwright.sync_api import Page, expect

from accounts.models import Role
from annotation.models import Gold, Project
from annotation.rules.states import ProjectState
from exchange.import_dataset import import_dataset
from pipeline.models import KnownQuestion
from pipeline.protocol.tasks.task import Task
from projects.lifecycle import copies
from projects.models import GoldAnnotation, GoldImage
from projects.runs import do_run_by_command
from tests.projects.conftest import Desk
from tests.projects.gallery.conftest import make_project
from tests.projects.gold.conftest import browser
from tests.support.axe import DESK, violations
from tests.support.members import member, sign_in, with_rights
from tests.support.runs import some_run

# Radio buttons are one stop for each group, the chosen one or the first; what is folded or hidden is no stop.
STOPS = """() => {
  const all = [...document.querySelectorAll("a[href], button, input, select, textarea, summary, [tabindex='0']")];
  let stops = 0;
  for (const one of all) {
    if (one.disabled || one.type === "hidden" || !one.checkVisibility({ visibilityProperty: true })) continue;
    if (one.type === "radio") {
      const group = all.filter((other) => other.type === "radio" && other.name === one.name && other.form === one.form);
      if (one !== (group.find((other) => other.checked) ?? group[0])) continue;
    }
    one.dataset.stop = String(stops++);
  }
  return stops;
}"""
# Notes every place that gets the focus: the number of the stop, whether the focus is seen there, and its beginning.
# A label that stands for a hidden input shows the focus in its place.
NOTE = """() => {
  const shown = (one) => {
    const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(one);
    return (outlineStyle !== "none" && outlineWidth !== "0px") || boxShadow !== "none";
  };
  window.visited = [];
  document.addEventListener("focusin", ({ target: at }) => {
    const seen = shown(at) || (at.closest("label") !== null && shown(at.closest("label")));
    window.visited.push([at.dataset.stop ?? "", seen, at.outerHTML.slice(0, 90)]);
  }, true);
}"""
AT_END = "() => document.activeElement === document.body"
AT_ONCE = 25
"""Presses of Tab between two looks at the page."""


def not_reached_by_tab(page: Page) -> list[str]:
    """Return what is wrong, in words: stops that Tab passes over, and ones whose focus cannot be seen."""
    stops = int(page.evaluate(STOPS))
    page.evaluate(NOTE)
    # The first link of every page. Without it Tab would go on from the last click.
    page.locator("a.skip").focus()
    page.keyboard.press("Tab")
    page.keyboard.press("Shift+Tab")
    for pressed in range(stops + 3):
        if pressed % AT_ONCE == 0 and page.evaluate(AT_END):
            break
        page.keyboard.press("Tab")
    visited = page.evaluate("window.visited")
    wrong = [f"the focus cannot be seen: {name}" for _, is_seen, name in visited if not is_seen]
    missing = {str(number) for number in range(stops)} - {stop for stop, _, _ in visited}
    names = "number => document.querySelector(`[data-stop='${number}']`).outerHTML.slice(0, 90)"
    return wrong + [f"Tab passes over: {page.evaluate(names, number)}" for number in sorted(missing, key=int)]


PROJECT = "/projects/drawn/"
PAGES = (
    (f"{PROJECT}gold/", "disagreement"),
    (f"{PROJECT}gold/suggestions/", "The right answer would be"),
    (f"{PROJECT}predict/", "Ways to ask that no other beats"),
    (f"{PROJECT}models/", "detector"),
    (f"{PROJECT}workers/invite/", "/join/"),
    (f"{PROJECT}data/", "Choose a folder"),
    (f"{PROJECT}data/preview/", "Press a phrase"),
    ("/projects/drawn-dry-run/data/", "2 of 2 images annotated"),
    ("/projects/new/", "Language of the captions"),
)
"""The pages of a draft, with words that tell that they are filled in."""
CLIPPED = "all => all.filter(e => e.scrollHeight > e.clientHeight + 1).map(e => e.textContent)"


def has_no_faults(page: Page, where: str) -> None:
    assert violations(page, DESK, unfold=False) == [], where
    page.set_viewport_size({"width": 390, "height": 844})
    # Charts follow the width of the window a moment later.
    page.wait_for_function("document.documentElement.scrollWidth <= innerWidth")
    page.set_viewport_size({"width": 1440, "height": 900})
    assert not_reached_by_tab(page) == [], where


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


@pytest.mark.smoke
@pytest.mark.usefixtures("transactional_db")
def test_an_annotated_image_becomes_known_questions(scenes_folder: Path, client: Client, desk: Desk) -> None:
    import_dataset(project_name="drawn", path=scenes_folder, gold=True)
    Gold.objects.all().delete()
    Project.objects.update(state=ProjectState.DRAFT.value)
    sign_in(client, Project.objects.get(), Role.REQUESTER, "rita")
    page = desk(f"{PROJECT}gold/")
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


def dispute(rita: Client) -> None:
    """Let two people annotate an image, each in their own way."""
    image = Project.objects.get(name="drawn").images.get(position=0)
    GoldImage.objects.create(image=image, annotators=2, place=0)
    numbers = list(image.mentions.order_by("number").values_list("number", flat=True))
    for person, reason in ((rita, "scene"), (browser(member(image.project, Role.REVIEWER, "bob")), "no box")):
        chains = [{"mentions": [number], "non_visual": reason, "boxes": []} for number in numbers]
        address = f"/api/v1/requester{PROJECT}gold/sample/{image.pk}/"
        body = {"chains": chains, "revision": person.get(address).json()["revision"], "finish": True}
        assert person.post(address, body, content_type="application/json").status_code == 200


def give_predictions(rita: Client, project: Project) -> None:
    """Import the boxes of a program, and forecast the project."""
    image = project.images.get(position=0)
    phrase = image.mentions.order_by("number")[0]
    line = {"image": image.name, "caption": phrase.caption.number, "phrase": phrase.text, "boxes": [[1, 2, 30, 40]]}
    file = SimpleUploadedFile("model.jsonl", json.dumps(line).encode())
    rita.post(f"{PROJECT}models/", {"program": "detector", "file": file})
    run = some_run(project, "begin_forecast", given={"workers": 8, "sample": 2, "repetitions": 2})
    do_run_by_command(run, lambda progress: None)


def test_axe_finds_nothing_before_the_start_and_tab_reaches_everything(
    transactional_db: None,
    scenes_folder: Path,
    client: Client,
    desk: Desk,
    at_once: None,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(copies, "IMAGES", 2)
    project = make_project(scenes_folder)
    sign_in(client, project, Role.REQUESTER, "rita")
    with_rights(User.objects.get(username="rita"))
    dispute(client)
    give_predictions(client, project)
    client.post(f"{PROJECT}gold/suggestions/", {"say": "find"})
    client.post(f"{PROJECT}workers/invite/", {"trusted": "yes", "days": "14"})
    client.post(f"{PROJECT}dry-run/")
    Project.objects.filter(pk=project.pk).update(state=ProjectState.DRAFT.value)
    page = desk(f"{PROJECT}gold/")
    for path, words in PAGES:
        page.goto(path)
        expect(page.get_by_text(words).first).to_be_visible()
        has_no_faults(page, path)
    page.goto(f"{PROJECT}gold/suggestions/")
    page.locator("[data-suggestion][data-keys=ready]").wait_for()
    page.keyboard.press("s")
    expect(page.get_by_text("0 confirmed, 0 refused, 1 skipped")).to_be_visible()
    User.objects.filter(username="rita").update(is_staff=True, is_superuser=True)
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto("/admin/pipeline/question/")
    expect(page.locator("#result_list tbody img").first).to_be_visible()
    assert page.locator("#result_list :is(th, td)").evaluate_all(CLIPPED) == []
