"""Uploads to a service of several hosts, which share a bucket: each piece may reach another one."""

from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest
from django.contrib.auth.models import User
from django.test import Client

from accounts.members import add_member
from accounts.models import Role
from annotation.bucket_storage import BucketStorage
from annotation.models import Project
from annotation.rules.states import ProjectState
from pipeline.project.settings_versions import open_project
from projects.models import Upload
from projects.uploads.files import files_folder
from tests.projects.uploads.test_files import ADDRESS, DATA, here, kept, put
from tests.support.pictures import plain_jpeg
from tests.support.runs import import_begun
from tests.support.s3 import S3Twin

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("in_bucket")]


@pytest.fixture
def other(settings: Any, tmp_path: Path) -> Callable[[], None]:
    """Go on as another host, whose folder has nothing in it."""
    numbers = iter(range(9))

    def move() -> None:
        settings.DATA = tmp_path / f"host{next(numbers)}"
        settings.DATA.mkdir()

    return move


@pytest.mark.slow
def test_each_piece_may_reach_another_one_and_any_of_them_reads_the_file(
    requester: Client, draft: Project, other: Callable[[], None]
) -> None:
    for offset in range(0, len(DATA), 640):
        other()
        answer = put(requester, DATA[offset : offset + 640], offset)
        assert answer.json()["received"] == offset + 640
    other()
    assert here(requester) == [("images/a.jpg", 2560, 2560)] and kept(draft) == DATA


@pytest.mark.both_engines
def test_of_two_pieces_that_begin_in_one_place_one_is_taken(
    requester: Client, draft: Project, in_bucket: S3Twin, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(requester, DATA[:700])
    save, between = BucketStorage._save, iter([lambda: put(requester, DATA[700:1400], 700)])

    def save_late(self: BucketStorage, name: str, content: Any) -> str:
        for act in between:
            assert act().json()["received"] == 1400
        return save(self, name, content)

    monkeypatch.setattr(BucketStorage, "_save", save_late)
    answer = put(requester, b"x" * 900, 700)
    assert answer.status_code == 409
    assert (answer.json()["received"], answer.json()["complete"]) == (1400, False)
    put(requester, DATA[1400:], 1400)
    assert kept(draft) == DATA
    assert len(in_bucket.keys()) == 3, "what was not taken is deleted"


def test_a_copy_follows_what_is_replaced_and_removed(requester: Client, draft: Project, in_bucket: S3Twin) -> None:
    put(requester, DATA)
    put(requester, DATA, path="b/c.jpg")
    assert kept(draft) == DATA
    put(requester, DATA[::-1])
    requester.delete(f"{ADDRESS}?path=b/c.jpg")
    assert kept(draft) == DATA[::-1]
    assert [one for one in files_folder(draft.pk).rglob("*") if one.is_file()] == [
        files_folder(draft.pk) / "images" / "a.jpg"
    ]
    assert len(in_bucket.keys()) == 1


@pytest.mark.both_engines
def test_a_page_brings_texts_alone(requester: Client, draft: Project, other: Callable[[], None]) -> None:
    put(requester, DATA)
    text = b"image,caption\na.jpg,[a man]\n"
    put(requester, text, path="captions.csv", size=len(text))
    other()
    assert requester.get(ADDRESS).json()["format"] == "folder"
    assert [one.name for one in files_folder(draft.pk).rglob("*")] == ["captions.csv"]


def test_the_names_in_a_zip_file_are_read_where_it_is(requester: Client, draft: Project, other: Callable[[], None]):
    file = BytesIO()
    with ZipFile(file, "w") as packed:
        packed.writestr("a.jpg", DATA)
        packed.writestr("captions.csv", "image,caption\na.jpg,[a man]\n")
    data = file.getvalue()
    for offset in range(0, len(data), 500):
        put(requester, data[offset : offset + 500], offset, path="set.zip", size=len(data))
    other()
    found = requester.get(ADDRESS).json()
    assert found["format"] == "zip" and found["summary"].startswith("1 picture and 1 other file are here, in a .zip")
    assert not files_folder(draft.pk).exists()


def test_what_projects_that_are_gone_have_left_is_removed_with_the_next_upload(
    requester: Client, draft: Project, in_bucket: S3Twin, rita: User
) -> None:
    put(requester, DATA)
    Project.objects.filter(pk=draft.pk).delete()
    other = open_project(name="ours", state=ProjectState.DRAFT)
    add_member(rita, other, Role.REQUESTER)
    put(requester, DATA)
    keys = in_bucket.keys()
    assert [key.split("/")[1] for key in keys] == [str(other.pk)]


def test_an_import_on_another_host_has_every_file_and_leaves_none(
    requester: Client, draft: Project, other: Callable[[], None], at_once: None, in_bucket: S3Twin, rita: User
) -> None:
    picture, text = plain_jpeg(), b"image,caption\na.jpg,[a man]\n"
    put(requester, picture[:300], path="a.jpg", size=len(picture))
    put(requester, picture[300:], 300, path="a.jpg", size=len(picture))
    put(requester, text, path="captions.csv", size=len(text))
    other()
    import_begun(draft, rita)
    assert draft.images.get().picture in in_bucket.keys()  # noqa: SIM118  # not a dictionary
    assert not [key for key in in_bucket.keys() if key.startswith("uploads/")]  # noqa: SIM118
    assert not Upload.folder_of(draft.pk).exists()
