"""Uploads in pieces: they go on where they stopped, whatever happened, and take nothing unsafe."""

from datetime import timedelta
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
from django.contrib.auth.models import User
from django.test import Client

from accounts.members import add_member
from accounts.models import Role
from annotation.models import Project
from annotation.rules.states import ProjectState
from pipeline.project.settings_versions import open_project
from projects.data.sources import summarize_uploads
from projects.models import Upload
from projects.uploads import files as uploads
from projects.uploads.files import files_folder, list_files, place_of
from runtime import clock
from tests.support.members import sign_in
from tests.support.table import row

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("any_store")]
API, DATA = "/api/v1/requester/projects/{}/files/", bytes(range(256)) * 10
ADDRESS = API.format("ours")


def put(client: Client, data: bytes, offset: int = 0, *, path: str = "images/a.jpg", size: int = len(DATA)) -> Any:
    query = urlencode({"path": path, "offset": offset, "size": size})
    return client.post(f"{ADDRESS}?{query}", data, content_type="application/octet-stream")


def here(client: Client, project: str = "ours") -> list[tuple[str, int, int]]:
    """Return every file that is here, with the bytes that are here and those that it has."""
    return [tuple(file.values()) for file in client.get(API.format(project)).json()["files"]]


def kept(project: Project, path: str = "images/a.jpg") -> bytes:
    """Return a file as another machine reads it."""
    place_of(project.pk).bring()
    found = (files_folder(project.pk) / path).read_bytes()
    with place_of(project.pk).open(path) as file:
        assert file.read() == found
    return found


def test_a_file_that_came_in_pieces_is_whole(requester: Client, draft: Project) -> None:
    assert put(requester, DATA[:1000]).json()["received"] == 1000
    assert put(requester, DATA[1000:], 1000).json()["received"] == 2560 and kept(draft) == DATA


def test_the_service_tells_how_far_an_interrupted_upload_has_come(requester: Client, draft: Project) -> None:
    put(requester, DATA[:700])
    assert here(requester) == [("images/a.jpg", 700, 2560)]
    put(requester, DATA[700:], 700)
    assert here(requester) == [("images/a.jpg", 2560, 2560)] and kept(draft) == DATA


def test_a_piece_out_of_order_is_refused_with_the_place_where_the_file_is(requester: Client, draft: Project) -> None:
    put(requester, DATA[:700])
    answer = put(requester, DATA[1400:2000], 1400)
    assert answer.status_code == 409
    assert (answer.json()["received"], answer.json()["complete"]) == (700, False)
    put(requester, DATA[700:], 700)
    assert kept(draft) == DATA


def test_a_piece_that_arrives_twice_is_taken_once(requester: Client, draft: Project) -> None:
    put(requester, DATA[:700])
    assert put(requester, DATA[:700]).json()["received"] == 700
    put(requester, DATA[700:], 700)
    assert put(requester, DATA[700:], 700).json()["received"] == 2560 and kept(draft) == DATA


def test_a_folder_named_like_an_unfinished_upload_is_refused(requester: Client, draft: Project) -> None:
    put(requester, DATA[:700])
    answer = put(requester, DATA, path=f"images/a.jpg.{len(DATA)}.part/b.jpg")
    assert answer.status_code == 400 and "ends with .part" in answer.text


def test_a_file_of_another_size_replaces_the_one_that_is_there(requester: Client, draft: Project) -> None:
    put(requester, DATA)
    put(requester, b"new", size=3)
    assert kept(draft) == b"new" and [one.size for one in list_files(draft)] == [3]


@row("../a.jpg")
@row("/a.jpg")
@row("a/../../b.jpg")
@row("C:/a.jpg")
@row("a\\b.jpg")
@row("a//b.jpg")
@row(".a.jpg")
@row("a/.git/b.jpg")
@row("")
@row("é" * 150 + ".jpg")
def test_an_unsafe_name_is_refused_and_nothing_is_written(path: str, requester: Client, settings: Any) -> None:
    answer = put(requester, DATA, path=path)
    assert answer.status_code == 400 and answer.json()["message"]
    assert not [one for one in Path(settings.DATA).rglob("*") if one.is_file()]


@pytest.mark.parametrize("path", ["run.sh", "a.exe", "page.html", "a.jpg.py"])
def test_a_file_that_no_data_set_holds_is_refused(requester: Client, path: str) -> None:
    assert "is neither a picture nor one of" in put(requester, DATA, path=path).json()["why"]


def test_a_picture_beyond_the_bounds_is_refused_before_its_first_byte_is_kept(requester: Client) -> None:
    assert "at most 250,000,000 are taken" in put(requester, DATA, size=250_000_001).json()["why"]
    assert not Upload.objects.exists()


def test_a_piece_that_is_longer_than_its_file_is_refused(requester: Client) -> None:
    assert put(requester, DATA, size=100).status_code == 400 and put(requester, b"").status_code == 400


def test_more_bytes_than_the_quota_are_refused(requester: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uploads, "MAX_BYTES", 3000)
    put(requester, DATA)
    assert "is too much" in put(requester, DATA, path="images/b.jpg").json()["why"]
    requester.delete(f"{ADDRESS}?path=images/a.jpg")
    assert put(requester, DATA, path="images/b.jpg").status_code == 200


def test_more_files_than_the_quota_are_refused(requester: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uploads, "MAX_MEMBERS", 1)
    put(requester, DATA)
    assert put(requester, DATA, path="images/b.jpg").status_code == 400


@pytest.mark.parametrize("any_store", ["folder"], indirect=True)
def test_a_full_disk_is_named_before_anything_is_sent(requester: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uploads, "FREE_BYTES", 1 << 60)
    assert "make room" in put(requester, DATA).json()["why"]


def test_a_name_that_is_a_file_and_a_folder_is_refused(requester: Client) -> None:
    put(requester, DATA, path="a.jpg")
    assert "is a file and a folder" in put(requester, DATA, path="a.jpg/b.jpg").json()["why"]


@pytest.mark.parametrize("query", ["", "path=a.jpg", "path=a.jpg&offset=-1&size=3", "path=a.jpg&offset=x&size=3"])
def test_a_piece_without_its_place_is_refused_in_words(requester: Client, query: str) -> None:
    answer = requester.post(f"{ADDRESS}?{query}", b"x", content_type="application/octet-stream")
    assert answer.status_code == 400 and answer.json()["message"]


def test_nobody_but_the_managers_of_a_project_uploads_to_it_or_sees_its_files(draft: Project) -> None:
    strangers = [Client(), Client(), Client()]
    other = open_project(name="theirs", state=ProjectState.DRAFT)
    sign_in(strangers[1], draft, Role.REVIEWER, "eye")
    sign_in(strangers[2], other, Role.REQUESTER, "outsider")
    assert [put(client, DATA).status_code for client in strangers] == [401, 403, 404]
    assert [client.get(ADDRESS).status_code for client in strangers] == [401, 403, 404]
    assert [client.delete(ADDRESS).status_code for client in strangers] == [401, 403, 404]
    assert [client.post("/projects/ours/data/upload/remove/").status_code for client in strangers] == [302, 403, 404]
    assert not Upload.objects.exists()


def test_two_projects_keep_their_files_apart(requester: Client, draft: Project, rita: User) -> None:
    add_member(rita, open_project(name="theirs", state=ProjectState.DRAFT), Role.REQUESTER)
    put(requester, DATA)
    assert here(requester, "theirs") == []


def test_files_that_an_import_removes_while_a_page_lists_them_are_left_out(requester: Client, draft: Project) -> None:
    for path in ("a/1.jpg", "b/2.jpg", "captions.csv"):
        put(requester, DATA, path=path)
    place, files = place_of(draft.pk), list_files(draft)
    listed = place.complete()
    next(listed)
    place.remove_all()
    assert len([*listed, *place.complete()]) < 3
    assert summarize_uploads(draft, files)["format"] == ""


def test_old_uploads_are_forgotten_when_another_one_begins(requester: Client, draft: Project, rita: User) -> None:
    put(requester, DATA)
    Upload.objects.update(touched_at=clock.now() - timedelta(days=15))
    other = open_project(name="theirs", state=ProjectState.DRAFT)
    add_member(rita, other, Role.REQUESTER)
    address = f"{API.format('theirs')}?path=a.jpg&offset=0&size=1"
    requester.post(address, b"x", content_type="application/octet-stream")
    assert list_files(draft) == [] and len(list_files(other)) == 1


def test_pasted_captions_become_a_file_beside_the_pictures(requester: Client, draft: Project) -> None:
    text = 'a.jpg\tA man, and a dog\r\nb.jpg,"A ""red"" car"\nc.jpg,One, two, three'
    requester.post("/projects/ours/data/captions/", {"captions": text})
    assert kept(draft, "captions.csv").decode() == (
        'image,caption\na.jpg,"A man, and a dog"\nb.jpg,"A ""red"" car"\nc.jpg,"One, two, three"\n'
    )


def test_a_pasted_line_without_a_caption_is_named_and_the_field_keeps_every_line(requester: Client) -> None:
    page = requester.post("/projects/ours/data/captions/", {"captions": "a.jpg,A man\nb.jpg"}).text
    assert "Line 2 (&#x27;b.jpg&#x27;) is not a caption" in page
    assert page.partition('id="pasted"')[2].partition("</textarea>")[0].endswith("a.jpg,A man\nb.jpg")
    assert '<details class="more" open><summary>Paste captions' in page
