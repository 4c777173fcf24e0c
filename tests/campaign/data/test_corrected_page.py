"""The page of the corrected set: made of uploaded files, told what changed, and downloaded."""

import io
import zipfile
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.test import Client

from annotation.models import Project
from campaign.uploads.files import keep_text
from members.add_member import add_member
from members.models import Role
from pipeline.project.settings_versions import open_project
from scenes.write import write_source

pytestmark = pytest.mark.django_db
PAGE = "/projects/parks/data/corrected/"


@pytest.fixture
def source(tmp_path: Path, settings: Any) -> Path:
    settings.MEDIA_ROOT, settings.DATA = tmp_path / "media", tmp_path
    write_source(tmp_path / "parks", 0, 2)
    return tmp_path / "parks"


@pytest.fixture
def browser(source: Path, client: Client, django_user_model: Any) -> Client:
    call_command("import_dataset", "parks", str(source), use="check")
    user = django_user_model.objects.create_user("ada", password="x")
    add_member(user, Project.objects.get(), Role.REQUESTER)
    client.force_login(user)
    return client


def test_a_set_that_was_uploaded_again_comes_out_corrected(browser: Client, source: Path) -> None:
    assert "Upload the data set once more" in browser.get(PAGE).content.decode()
    texts = {one.relative_to(source).as_posix(): one for one in source.rglob("*") if one.suffix in (".txt", ".xml")}
    for name, file in texts.items():
        keep_text(Project.objects.get(), name, file.read_text())
    assert "It is made of the uploaded files" in browser.get(PAGE).content.decode()
    shown = browser.post(PAGE, follow=True)
    page = shown.content.decode()
    assert "It is ready" in page
    assert "0 of" in page
    (address,) = [part.split('"')[0] for part in page.split('href="') if ".zip" in part.split('"')[0]]
    got = b"".join(browser.get(address))  # type: ignore[arg-type]
    with zipfile.ZipFile(io.BytesIO(got)) as archive:
        assert {name: archive.read(name) for name in archive.namelist()} == {
            name: file.read_bytes() for name, file in texts.items()
        }
    assert Client().get(address).status_code == 302
    User.objects.create_user("eve", password="x")
    stranger = Client()
    stranger.login(username="eve", password="x")
    assert stranger.get(address).status_code == 404
    assert "corrected set" in browser.get("/projects/parks/").content.decode()


@pytest.mark.both_engines
def test_other_files_are_refused_on_the_page_without_paths_of_the_server(browser: Client, source: Path) -> None:
    keep_text(Project.objects.get(), "captions.csv", "image,caption\na.jpg,A man\n")
    page = browser.post(PAGE, follow=True).content.decode()
    assert "in the format folder, into which corrections are not written" in page
    assert str(source.parent) not in page


def test_a_project_that_checks_nothing_says_so(browser: Client) -> None:
    plain = open_project(name="plain")
    add_member(User.objects.get(), plain, Role.REQUESTER)
    page = browser.get(PAGE.replace("parks", "plain")).content.decode()
    assert "This project checks no data set" in page
