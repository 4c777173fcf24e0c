"""A program uploads, imports and starts a project, over HTTP, by the client that comes with the service."""

import importlib
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from annotation.models import Project
from clients import chainbox_client
from clients.chainbox_client import Chainbox, Refused
from projects.models import Run
from projects.uploads import files as uploads
from tests.projects.conftest import Later
from tests.support.pictures import plain_jpeg

pytestmark = pytest.mark.usefixtures("own_folders", "at_once")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two pictures with captions, and a caption whose picture is missing."""
    made = tmp_path / "photos"
    made.mkdir()
    for name in ("a", "b"):
        (made / f"{name}.jpg").write_bytes(plain_jpeg())
    (made / "captions.csv").write_text("image,caption\na.jpg,[a man]\nb.jpg,[a dog]\nc.jpg,[a cat]\n")
    return made


@pytest.fixture
def example(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The example, which is run beside the client."""
    monkeypatch.setitem(sys.modules, "chainbox_client", chainbox_client)
    return importlib.import_module("clients.example")


def test_the_example_makes_fills_and_starts_a_project(service: Chainbox, folder: Path, example: Any, capsys: Any):
    fill = example.fill
    project = fill(service, "streets", folder)
    assert project.progress()["state"] == "running"
    assert project.progress()["images"]["boxing"] + project.progress()["images"]["linking"] == 2
    told = capsys.readouterr().out
    assert "images imported: 2, there: 0, left out: 1" in told and "left out: c" in told
    assert fill(service, "streets", folder).progress()["state"] == "running", "a second run changes nothing"


def test_a_file_goes_in_pieces_and_an_upload_that_broke_off_goes_on(service: Chainbox, folder: Path, monkeypatch: Any):
    project = service.create_project("streets")
    monkeypatch.setattr("projects.api.files.PIECE", 100)
    size, first = (folder / "a.jpg").stat().st_size, (folder / "a.jpg").read_bytes()[:100]
    service.call("POST", "projects/streets/files/", first, path="a.jpg", offset=0, size=size)
    assert project.upload(folder / "a.jpg") == size - 100
    assert project.upload(folder / "a.jpg") == 0, "it is there"
    assert (uploads.files_folder(Project.objects.get(name="streets").pk) / "a.jpg").stat().st_size == size


def test_a_piece_out_of_place_is_told_where_to_go_on(service: Chainbox, folder: Path) -> None:
    service.create_project("streets")
    with pytest.raises(Refused, match="next piece begins at byte 0") as refused:
        service.call("POST", "projects/streets/files/", b"xyz", path="a.jpg", offset=7, size=20)
    assert (refused.value.status, refused.value.code, refused.value.more["received"]) == (409, "out_of_place", 0)


@pytest.mark.parametrize(
    ("path", "words"), [("../a.jpg", "'../a.jpg'"), (".a.jpg", "begins with a dot"), ("a.exe", "neither a picture nor")]
)
def test_a_file_that_is_not_taken_says_why(service: Chainbox, path: str, words: str) -> None:
    service.create_project("streets")
    with pytest.raises(Refused, match=words):
        service.call("POST", "projects/streets/files/", b"xyz", path=path, offset=0, size=3)


def test_a_piece_that_is_too_long_or_no_bytes_is_refused(service: Chainbox, monkeypatch: pytest.MonkeyPatch) -> None:
    service.create_project("streets")
    monkeypatch.setattr("projects.api.files.PIECE", 2)
    for body, words in ((b"xyz", "at most 2 bytes"), ({"a": 1}, "application/octet-stream")):
        with pytest.raises(Refused, match=words):
            service.call("POST", "projects/streets/files/", body, path="a.jpg", offset=0, size=3)


def test_uploaded_files_are_listed_with_what_they_make_and_removed(service: Chainbox, folder: Path) -> None:
    service.create_project("streets").upload(folder)
    found = service.call("GET", "projects/streets/files/")
    assert ([one["path"] for one in found["files"]], found["format"]) == (["a.jpg", "b.jpg", "captions.csv"], "folder")
    service.call("DELETE", "projects/streets/files/", path="a.jpg")
    assert len(service.call("GET", "projects/streets/files/")["files"]) == 2
    service.call("DELETE", "projects/streets/files/")
    assert service.call("GET", "projects/streets/files/")["files"] == []


def test_an_import_without_files_or_from_elsewhere_is_refused(service: Chainbox) -> None:
    project = service.create_project("streets")
    with pytest.raises(Refused, match="the uploaded files: are missing"):
        project.begin_import()
    with pytest.raises(Refused, match="is not allowed"):
        project.begin_import("/etc")
    with pytest.raises(Refused, match="A program's name has 1 to 100 printable characters"):
        project.begin_import(use="pre_annotations", program="a\tb")


@pytest.mark.both_engines
def test_an_import_is_paused_resumed_and_cancelled(service: Chainbox, folder: Path, later: Later, monkeypatch: Any):
    project = service.create_project("streets")
    project.upload(folder)
    run = project.begin_import()
    with pytest.raises(Refused, match="has not ended yet") as refused:
        project.begin_import()
    assert refused.value.status == 409
    run.steer("pause")
    assert run.wait()["state"] == "paused"
    run.steer("resume")
    with monkeypatch.context() as patch:  # the server may sleep, too, and must not work meanwhile
        patch.setattr("clients.chainbox_client.time.sleep", lambda seconds: [work() for work in later])
        done = run.wait()
    assert (done["state"], done["result"]["images"], done["result"]["left_out"], done["done"]) == ("done", 2, 1, 3)
    assert [row["image"] for row in run.left_out()] == ["c.jpg"]
    later.clear()
    again = project.begin_import(use="pre_annotations", program="model")
    assert Run.objects.values_list("input__use", "input__program").get(pk=again.number) == ("pre_annotations", "model")
    again.steer("cancel")
    assert again.wait()["state"] == "cancelled"
    assert [one.number for one in project.runs("begin_import")] == [again.number, run.number]


def test_an_import_that_failed_says_why(service: Chainbox, folder: Path) -> None:
    project = service.create_project("streets")
    (folder / "captions.csv").write_text("this is not a table of captions\n")
    project.upload(folder)
    with pytest.raises(Refused) as refused:
        project.begin_import().wait()
    assert "captions.csv" in str(refused.value)
