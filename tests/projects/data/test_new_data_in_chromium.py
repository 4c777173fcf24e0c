"""In a real browser: a folder that is dropped on the page, and a drop of which nothing can be read.
In a real browser: from an empty service to a started project, with photographs and captions of COCO.
"""

import re
import shutil
import time
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from playwright.sync_api import Locator, Page, Route, expect

from accounts.members import add_member
from accounts.models import Membership, Role
from annotation.models import Image, Mention, Project
from annotation.rules.states import ProjectState
from pipeline.project.settings_versions import current_settings, open_project
from projects.models import ModelPrediction, Run
from projects.uploads.files import files_folder, list_files
from tests.projects.conftest import Desk
from tests.projects.data.conftest import make_source
from tests.support.axe import assert_accessible
from tests.support.members import maker
from tests.support.runs import import_begun


@pytest.fixture
def page(transactional_db: None, client: Client, desk: Desk) -> Page:
    user = User.objects.create_user("rita", is_staff=True)
    add_member(user, open_project(name="ours", title="Ours", state=ProjectState.DRAFT), Role.REQUESTER)
    client.force_login(user)
    return desk("/projects/ours/data/")


def drop(page: Page, *files: Path, text: str = "") -> None:
    """Drop files and folders of the disk on the area for them, as a mouse does, or a text."""
    expect(page.get_by_text("or drop them here.")).to_be_visible()
    box = page.locator("[data-drop]").bounding_box()
    assert box is not None
    items = [{"mimeType": "text/plain", "data": text}] if text else []
    data = {"items": items, "files": [str(one) for one in files], "dragOperationsMask": 1}
    where = {"x": box["x"] + 8, "y": box["y"] + 8, "data": data}
    protocol = page.context.new_cdp_session(page)
    for kind in ("dragEnter", "dragOver", "drop"):
        protocol.send("Input.dispatchDragEvent", {"type": kind, **where})


def test_a_dropped_folder_is_uploaded_and_a_drop_without_files_says_so(page: Page, tmp_path: Path) -> None:
    folder = make_source(tmp_path / "set", 3)
    for number in range(2):
        (folder / f"notes{number}.docx").write_bytes(b"x")
    drop(page, folder)
    expect(page.get_by_text("3 pictures and 1 other file are here")).to_be_visible()
    expect(page.get_by_text("captions.csv has the columns image, caption, with commas between.")).to_be_visible()
    page.get_by_text("2 files: each is neither a picture nor a text of a data set").click()
    expect(page.get_by_text("set/notes1.docx")).to_be_visible()
    assert [one.path for one in list_files(Project.objects.get())] == [
        *("captions.csv", "images/0.jpg", "images/1.jpg", "images/2.jpg")
    ]
    drop(page, text="a text, and no file")
    expect(page.get_by_role("alert").get_by_text("Nothing was dropped that this page can read")).to_be_visible()


@pytest.fixture
def empty_page(transactional_db: None, client: Client, desk: Desk, settings: Any, tmp_path: Path) -> Page:
    settings.DATA = tmp_path
    client.force_login(maker("rita"))
    return desk("/")


@pytest.mark.parametrize(("given", "title"), [("My pictures", "My pictures"), ("", r"Pictures, \d{4}-.+")])
def test_files_given_on_the_first_page_become_a_project(
    empty_page: Page, tmp_path: Path, given: str, title: str
) -> None:
    folder = make_source(tmp_path / "set", 2)
    empty_page.get_by_label("Title of the project").fill(given)
    empty_page.locator("[data-choose=files]").set_input_files(sorted(folder.iterdir()))
    expect(empty_page.get_by_role("heading", name="Data", exact=True)).to_be_visible()
    assert re.fullmatch(title, Project.objects.get().title)


def test_a_folder_of_photographs_becomes_a_started_project(empty_page: Page, data_folder: Path) -> None:
    empty_page.get_by_role("link", name="New project").click()
    empty_page.get_by_label("Title").fill("Street scenes")
    assert_accessible(empty_page)
    empty_page.get_by_role("button", name="Make the project").click()
    expect(empty_page.get_by_text("It has no images")).to_be_visible()
    assert Membership.objects.get(user__username="rita").role == Role.REQUESTER

    begun = time.monotonic()
    empty_page.locator("[data-choose=folder]").set_input_files(data_folder / "coco")
    expect(empty_page.get_by_text("26 pictures and 2 other files are here")).to_be_visible()
    expect(empty_page.get_by_text("Format: coco")).to_be_visible()
    empty_page.get_by_text("Chains and boxes that are known already").click()
    program = empty_page.get_by_label("Name of the program that stands for the data set")
    expect(program).to_be_hidden()
    empty_page.get_by_label("Chains and boxes of the data set are").select_option("pre_annotations")
    program.fill("boxes of COCO")
    assert_accessible(empty_page)
    uploaded = time.monotonic()
    empty_page.get_by_role("button", name="Import the uploaded files").click()
    expect(empty_page.get_by_text("54 images left out: the reasons")).to_be_visible()
    print(f"upload {uploaded - begun:.1f} s, import {time.monotonic() - uploaded:.1f} s")
    expect(empty_page.locator("ul.names li")).to_have_count(54)
    expect(empty_page.get_by_text("is missing").first).to_be_visible()
    project = Project.objects.get(name="street-scenes")
    assert (project.state, project.images.count()) == ("draft", 26)
    assert Run.objects.get().state == Run.State.DONE
    assert {one.program.name for one in ModelPrediction.objects.all()} == {"boxes of COCO"}
    assert Mention.objects.exists(), "the chunker is not installed"
    assert_accessible(empty_page)

    empty_page.get_by_role("link", name="Look at the phrases").click()
    expect(empty_page.locator(".sample > li")).to_have_count(12)
    phrase = empty_page.locator(".phrase.c7[role=button]").first
    text = phrase.get_attribute("data-text")
    assert_accessible(empty_page)
    phrase.click()
    assert_accessible(empty_page)
    empty_page.get_by_role("dialog").get_by_role("button", name="vehicles").click()
    expect(empty_page.get_by_text("is of type vehicles.")).to_be_visible()
    expect(empty_page.get_by_role("button", name=f"{text}: vehicles").first).to_be_visible()
    (term,) = current_settings(project.pk)[1].dictionaries["add"]["vehicles"]
    empty_page.get_by_role("button", name="Apply to all images").click()
    expect(empty_page.get_by_text("The word lists were applied")).to_be_visible()
    changed = Mention.objects.filter(text=text)
    assert changed and all(one.types == ["vehicles"] for one in changed), term

    empty_page.get_by_role("button", name="Start").click()
    expect(empty_page.get_by_text("The project is running now.")).to_be_visible()
    assert Image.objects.filter(project=project).exclude(picture="").count() == 26


@pytest.mark.usefixtures("at_once")
def test_an_import_goes_on_once_the_file_by_which_it_failed_is_replaced(page: Page, tmp_path: Path) -> None:
    project = Project.objects.get(name="ours")
    captions = make_source(files_folder(project.pk), 2) / "captions.csv"
    right = shutil.copy(captions, tmp_path / "right.csv")
    captions.write_text(captions.read_text().replace("image,", "picture,"))
    import_begun(project, User.objects.get())
    held: list[Route] = []  # the script of the page comes after the file was chosen
    with page.context.expect_event("request", lambda request: "/assets/data-" in request.url):
        page.route("**/assets/data-*.js", lambda route: held.append(route))
        page.reload(wait_until="domcontentloaded")
    page.locator("[data-replace]").set_input_files(right)
    held[0].continue_()
    expect(page.locator("[data-run]").get_by_text("done", exact=True)).to_be_visible()
    assert project.images.count() == 2


@pytest.mark.usefixtures("at_once")
def test_phrases_are_mended_by_mouse_and_keyboard_and_undone(page: Page) -> None:
    project = Project.objects.get(name="ours")
    make_source(files_folder(project.pk), 2, caption="[a man] in [red] with [a dog]")
    import_begun(project, User.objects.get())

    def phrases() -> list[list[str]]:
        rows = project.images.order_by("position")
        return [list(row.mentions.order_by("start").values_list("text", flat=True)) for row in rows]

    page.goto(page.url.replace("/data/", "/data/preview/"))
    dialog, words = page.get_by_role("dialog"), page.get_by_role("group", name="Words of the phrase")
    page.get_by_role("button", name="a man: people").first.click()
    assert_accessible(page)
    words.get_by_role("button", name="red").click()
    dialog.get_by_label("In every caption with these words").check()
    dialog.get_by_role("button", name="Save the phrase").click()
    expect(page.get_by_text("“a man” + “red” → “a man in red”: 2 captions.")).to_be_visible()
    assert phrases() == [["a man in red", "a dog"]] * 2
    assert_accessible(page)

    joined = page.get_by_role("button", name="a man in red: people").first
    expect(joined).to_be_focused()
    for key in ("Enter", "ArrowLeft", "ArrowLeft", "Space", "Enter"):
        page.keyboard.press(key)
    expect(page.get_by_text("→ “a man”: 1 caption.")).to_be_visible()
    assert phrases()[0] == ["a man", "a dog"]

    page.get_by_role("button", name="a dog: animals").first.click()
    dialog.get_by_role("button", name="Remove the phrase").click()
    expect(page.get_by_text("“a dog” → no phrase: 1 caption.")).to_be_visible()
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_text("Undone in 1 image")).to_be_visible()
    page.keyboard.press("Control+z")
    expect(page.get_by_text("Changed last: “a man” + “red” → “a man in red” everywhere (2 images)")).to_be_visible()
    page.keyboard.press("Control+z")
    expect(page.get_by_text("Changed last")).to_be_hidden()
    assert phrases() == [["a man", "red", "a dog"]] * 2


DOZENS = 3
WRONG_PHRASES = (
    ("close up", "a close", ["up"], "a close up"),
    ("patio setting", "A patio", ["setting"], "A patio setting"),
    ("closed umbrellas", "umbrellas", ["closed"], "closed umbrellas"),
    ("Lego set", "A miniature Lego", ["set"], "A miniature Lego set"),
    ("stove top oven sitting", "A white stove top", ["oven"], "A white stove top oven"),
    ("phone standing", "a phone standing", ["standing"], "a phone"),
    ("Stacked pictures", "pictures", ["Stacked"], "Stacked pictures"),
    ("microwave oven next", "a microwave", ["oven"], "a microwave oven"),
    ("sink and stove", "", ["stove"], "stove"),
    ("and sink in it", "", ["sink"], "sink"),
    ("crowd in stands", "", ["crowd"], "crowd"),
)
"""Some phrases of the 26 photographs that are found wrong: words of the caption, the phrase (empty: it is
missing), the words that are pressed, and the right phrase."""


@pytest.mark.usefixtures("at_once")
def test_wrong_phrases_of_photographs_take_about_three_presses_each(page: Page, data_folder: Path) -> None:
    shutil.copytree(data_folder / "coco", files_folder(Project.objects.get().pk), dirs_exist_ok=True)
    import_begun(Project.objects.get(), User.objects.get())
    page.goto(page.url.replace("/data/", "/data/preview/"))
    begun, presses, mended = time.monotonic(), 0, list[str]()

    def press(what: Locator) -> None:
        nonlocal presses
        what.click()
        presses += 1

    for _ in range(DOZENS):
        expect(page.locator(".sample > li").first).to_be_visible()
        for near, found, words, right in WRONG_PHRASES:
            line = page.locator(".captions > li").filter(has_text=near)
            if right in mended or not line.count():
                continue
            wrong = line.locator(f'.phrase[data-text="{found}"]')
            press(wrong if found else line.get_by_role("button", name="Add a phrase"))
            for word in words:
                press(page.locator("dialog [data-words]").get_by_role("button", name=word, exact=True).first)
            press(page.get_by_role("button", name="Save the phrase"))
            expect(line.locator(f'.phrase[data-text="{right}"]')).to_be_visible()
            mended.append(right)
        if len(mended) == len(WRONG_PHRASES):
            break
        first = page.locator(".sample img").first.get_attribute("alt") or ""
        press(page.get_by_role("button", name="Another dozen"))
        expect(page.locator(".sample img").first).not_to_have_attribute("alt", first)
    seconds = time.monotonic() - begun
    print(f"{len(mended)} of {Mention.objects.count()} phrases: {presses} presses, {seconds:.0f} s")
    assert sorted(mended) == sorted(right for *_, right in WRONG_PHRASES)
    assert presses <= 4 * len(WRONG_PHRASES)
