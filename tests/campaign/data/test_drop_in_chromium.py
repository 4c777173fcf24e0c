"""In a real browser: a folder that is dropped on the page, and a drop of which nothing can be read."""

from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.test import Client
from playwright.sync_api import Page, expect

from annotation.models import Project
from annotation.rules.states import ProjectState
from campaign.uploads.files import listed
from members.add_member import add_member
from members.models import Role
from pipeline.project.settings_versions import open_project
from tests.campaign.conftest import Desk
from tests.campaign.data.conftest import make_source


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


@pytest.mark.smoke
def test_a_dropped_folder_is_uploaded_and_a_drop_without_files_says_so(page: Page, tmp_path: Path) -> None:
    folder = make_source(tmp_path / "set", 3)
    for number in range(2):
        (folder / f"notes{number}.docx").write_bytes(b"x")
    drop(page, folder)
    expect(page.get_by_text("3 pictures and 1 other file are here")).to_be_visible()
    expect(page.get_by_text("captions.csv has the columns image, caption, with commas between.")).to_be_visible()
    page.get_by_text("2 files: each is neither a picture nor a text of a data set").click()
    expect(page.get_by_text("set/notes1.docx")).to_be_visible()
    assert [one.path for one in listed(Project.objects.get())] == [
        *("captions.csv", "images/0.jpg", "images/1.jpg", "images/2.jpg")
    ]
    drop(page, text="a text, and no file")
    expect(page.get_by_role("alert").get_by_text("Nothing was dropped that this page can read")).to_be_visible()
