"""The page of data: what is said of uploaded files, of imports that failed by one of them, and of what was left out."""

import io
import zipfile
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from annotation.models import Project
from campaign.data.left_out import reasons
from campaign.models import ImportProblem, ImportRun
from campaign.uploads.files import files_folder, refusal
from tests.campaign.conftest import work_on
from tests.campaign.data.conftest import make_source
from tests.support.pictures import plain_jpeg

PAGE, UPLOAD = "/projects/ours/data/", "/projects/ours/data/upload/"


def give(project: Project, name: str, data: bytes) -> None:
    path = files_folder(project.pk) / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)


def test_pictures_in_a_zip_are_counted_as_pictures(requester: Client, draft: Project, tmp_path: Path) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for file in make_source(tmp_path / "six", 6).iterdir():
            archive.write(file, f"six/{file.name}")
        archive.writestr("__MACOSX/six/._1.jpg", b"x")
    give(draft, "six.zip", packed.getvalue())
    assert requester.get(UPLOAD).json()["said"].startswith("6 pictures and 1 other file are here, in a .zip file (")


def test_the_columns_of_a_table_are_said_before_it_is_imported(requester: Client, draft: Project) -> None:
    give(draft, "images/a.jpg", plain_jpeg())
    give(draft, "captions.csv", b"image;caption\r\na.jpg;A man\r\n")
    said = requester.get(UPLOAD).json()["said"]
    assert said.endswith("Format: folder. captions.csv has the columns image, caption, with semicolons between.")
    assert said in requester.get(PAGE).text


def test_a_table_without_its_columns_is_named_and_not_imported(requester: Client, draft: Project) -> None:
    give(draft, "captions.csv", b"picture;words\na.jpg;A man\n")
    found = requester.get(UPLOAD).json()
    assert found["format"] == ""
    assert "captions.csv:1: begins with 'picture;words': the first line must be the header" in found["said"]
    give(draft, "captions.csv", b"image;caption\n")
    give(draft, "captions.jsonl", b"{}\n")
    (files_folder(draft.pk) / "captions.csv").rename(files_folder(draft.pk) / "words.csv")
    (files_folder(draft.pk) / "captions.jsonl").rename(files_folder(draft.pk) / "words.jsonl")
    assert "The files are in no known format: " in requester.get(UPLOAD).json()["said"]


def test_an_import_that_failed_by_its_file_offers_to_replace_the_file(
    requester: Client, draft: Project, rita: User, at_once: None
) -> None:
    give(draft, "images/a.jpg", plain_jpeg())
    give(draft, "captions.csv", b"picture,words\na.jpg,A man\n")
    run = ImportRun.objects.create(project=draft, kind=ImportRun.Kind.IMPORT, user=rita)
    work_on(run.pk)
    run.refresh_from_db()
    assert (run.state, run.problem[:15]) == ("failed", "captions.csv:1:")
    assert 'data-replace="captions.csv"' in requester.get(PAGE).text
    give(draft, "captions.csv", b"image,caption\na.jpg,A man\n")
    requester.post(f"/projects/ours/data/runs/{run.pk}/", {"wish": "resume"})
    run.refresh_from_db()
    assert (run.state, run.images) == ("done", 1)
    assert "data-replace" not in requester.get(PAGE).text


def test_images_left_out_for_one_reason_are_one_line_with_a_list(requester: Client, draft: Project) -> None:
    run = ImportRun.objects.create(project=draft, kind=ImportRun.Kind.IMPORT, state="done", left_out=56)
    rows: list[dict[str, Any]] = [
        {"image": f"{n}.jpg", "file": "captions.json", "message": f"images[{n}]: the picture images/{n}.jpg is missing"}
        for n in range(54)
    ]
    rows += [{"image": "odd.jpg", "file": "captions.json", "message": "odd.jpg has no captions"}]
    ImportProblem.objects.bulk_create(ImportProblem(run=run, **row) for row in rows)
    found = reasons(run)
    assert [(one.count, one.message) for one in found] == [
        (54, "the picture … is missing"),
        (1, "odd.jpg has no captions"),
    ]
    page = requester.get(PAGE).text
    assert "<b>54 images</b>: the picture … is missing" in page
    assert page.count("<li title=") == 54


@pytest.mark.parametrize("name", ["Screenshot 9.41\u202fAM.png", "می\u200cخواهم.jpg", "a\u00adb.jpg", "cafe\u0301.jpg"])
def test_names_with_the_spaces_and_joiners_of_people_are_taken(name: str) -> None:
    assert refusal(name, 5) == ""


@pytest.mark.parametrize("name", ["a\u202egpj.jpg", "a\nb.jpg", "a\x00.jpg", "a\u2028b.jpg"])
def test_names_that_could_be_shown_as_others_are_refused(name: str) -> None:
    assert "cannot be shown" in refusal(name, 5)
