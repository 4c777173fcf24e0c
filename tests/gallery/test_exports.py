"""Exports: packed once for each state of the record, kept for a week, delivered in parts."""

import json
from datetime import timedelta
from io import BytesIO
from typing import Any
from urllib.request import urlopen
from zipfile import ZipFile

import pytest
from django.core.cache import cache
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotation.bucket_storage import BucketStorage
from annotation.models import Image, Project
from annotation.storage import FolderStorage, store
from annotation.storage_error import StorageError
from exchange import publish_export as publishing
from exchange.jobs import forget_exports_job
from exchange.pieces import make_pieces
from exchange.publish_export import Archive, forget_exports, record_state
from members.models import Role
from pipeline.record.intervene import act_as_expert
from tests.support.members import sign_in
from tests.support.projects import phrases, project_of

pytestmark = pytest.mark.django_db
ADDRESS = "/projects/parks/export/coco/"


@pytest.fixture
def parks(any_store: FolderStorage | BucketStorage, settings: Any) -> Project:
    """A project that anybody may read, its files in each of the two places."""
    settings.GALLERY_PUBLIC = True
    cache.clear()
    return project_of(phrases("people: a man"), name="parks")


@pytest.fixture
def jobs_wait(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Jobs that nobody has begun yet."""
    waiting: list[Any] = []
    monkeypatch.setattr("exchange.jobs.publish_export_job.delay", lambda *values: waiting.append(values))
    return waiting


def kept() -> list[str]:
    return sorted(store().listdir(f"exports/project.{Project.objects.get().pk}")[1])


def received(answer: Any) -> bytes:
    if answer.status_code == 302:
        with urlopen(answer["Location"]) as file:
            assert file.headers["Content-Disposition"] == 'attachment; filename="parks-coco.zip"'
            return bytes(file.read())
    assert answer["Content-Disposition"] == 'attachment; filename="parks-coco.zip"'
    return b"".join(answer)


def moved(project: Project) -> None:
    """Something happens: the record has one entry more."""
    image = Image.objects.get(project=project)
    action = {"action": "retype", "mention": 0, "types": ["animals"]}
    act_as_expert(image_id=image.id, action=action, actor="ada", reason="a dog")


def test_the_archive_is_sent_to_be_kept_and_never_held_by_the_browser(client: Client, parks: Project) -> None:
    answer = client.get(ADDRESS)
    assert answer["Cache-Control"] == "private, max-age=0"
    with ZipFile(BytesIO(received(answer))) as archive:
        assert archive.testzip() is None
        names = ("README.md", "captions.json", "croissant.json", "instances.json")
        assert sorted(archive.namelist()) == [f"parks-coco/{name}" for name in names]


def test_an_unchanged_project_is_packed_once(client: Client, parks: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    first = received(client.get(ADDRESS))
    monkeypatch.setattr(publishing, "export_dataset", lambda **_: pytest.fail("packed again"))
    assert received(client.get(ADDRESS)) == first
    assert kept() == [f"coco-{record_state(parks)}.zip"]


def test_a_changed_project_is_packed_anew(client: Client, parks: Project) -> None:
    received(client.get(ADDRESS))
    before = kept()
    moved(parks)
    received(client.get(ADDRESS))
    assert len(kept()) == 2
    assert set(before) < set(kept())


def test_a_project_with_another_card_is_packed_anew(client: Client, parks: Project) -> None:
    received(client.get(ADDRESS))
    Project.objects.filter(pk=parks.pk).update(data_card={"license": "CC-BY-4.0"})
    with ZipFile(BytesIO(received(client.get(ADDRESS)))) as archive:
        assert "license: cc-by-4.0\n" in archive.read("parks-coco/README.md").decode()


def test_a_download_that_broke_off_goes_on(
    client: Client, settings: Any, tmp_path: Any, django_user_model: Any
) -> None:
    settings.GALLERY_PUBLIC, settings.MEDIA_ROOT = True, tmp_path
    project_of(phrases("people: a man"), name="parks")
    whole = client.get(ADDRESS)
    data = received(whole)
    rest = client.get(ADDRESS, headers={"Range": "bytes=100-", "If-Range": whole["ETag"]})
    assert (rest.status_code, received(rest)) == (206, data[100:])


class TestWhileItIsBeingMade:
    def test_a_page_waits_for_what_was_asked_for_though_the_record_goes_on(
        self, client: Client, parks: Project, jobs_wait: list[Any]
    ) -> None:
        answer = client.get(ADDRESS)
        assert (answer.status_code, answer["Cache-Control"]) == (202, "no-store")
        assert "The export is being made" in answer.content.decode()
        after, _, address = answer["Refresh"].partition("; url=")
        assert (after, address) == ("3", f"{ADDRESS}{record_state(parks)}/")
        moved(parks)
        assert client.get(address).status_code == 202
        publishing.publish_export(Archive(parks, "coco", address.strip("/").rpartition("/")[2]))
        assert ZipFile(BytesIO(received(client.get(address)))).testzip() is None

    def test_it_is_asked_for_once(self, client: Client, parks: Project, jobs_wait: list[Any]) -> None:
        for _ in range(3):
            client.get(ADDRESS)
        assert jobs_wait == [(parks.id, "coco", record_state(parks))]

    def test_one_that_nobody_is_making_leads_to_the_newest(
        self, client: Client, parks: Project, jobs_wait: list[Any]
    ) -> None:
        answer = client.get(f"{ADDRESS}7-1/")
        assert (answer.status_code, answer["Location"]) == (302, ADDRESS)
        assert jobs_wait == []


def test_archives_are_forgotten_after_a_week(client: Client, parks: Project) -> None:
    received(client.get(ADDRESS))
    forget_exports_job()
    assert forget_exports(timezone.now() + timedelta(days=6)) == 0
    assert forget_exports(timezone.now() + timedelta(days=8)) == 1
    assert forget_exports(timezone.now() + timedelta(days=8)) == 0


def test_where_nothing_was_ever_exported_there_is_nothing_to_forget(any_store: object) -> None:
    assert forget_exports() == 0


def test_a_store_that_fails_is_answered_plainly(
    client: Client, parks: Project, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def refused(*_: object) -> bool:
        raise StorageError("the bucket does not answer")

    monkeypatch.setattr(type(store()), "exists", refused)
    answer = client.get(ADDRESS)
    assert (answer.status_code, answer["Retry-After"]) == (503, "30")
    assert f"{ADDRESS}: the bucket does not answer" in caplog.text


def test_who_may_not_read_the_project_gets_no_export(client: Client, parks: Project, settings: Any) -> None:
    settings.GALLERY_PUBLIC = False
    for address in (ADDRESS, f"{ADDRESS}{record_state(parks)}/"):
        answer = client.get(address)
        assert (answer.status_code, answer["Location"].split("?")[0]) == (302, reverse("labelling:sign_in"))


def test_unfinished_images_are_exported_from_the_page_of_the_project(client: Client, parks: Project) -> None:
    sign_in(client, parks, Role.VIEWER)
    page = client.get("/projects/parks/").content.decode()
    assert "and 1 unfinished image, as annotated so far" in page
    address = reverse("campaign:explore_export", args=["parks"])
    assert f'action="{address}"' in page and 'name="unfinished" value="1"' in page
    answer = client.get(client.post(address, {"unfinished": "1", "format": "coco"})["Location"])
    sent = urlopen(answer["Location"]).read() if answer.status_code == 302 else b"".join(answer)
    with ZipFile(BytesIO(sent)) as archive:
        (captions,) = (name for name in archive.namelist() if name.endswith("captions.json"))
        assert len(json.loads(archive.read(captions))["images"]) == 1
    Image.objects.filter(project=parks).update(state="merged")
    assert "unfinished" not in client.get("/projects/parks/").content.decode()


def test_the_page_that_waits_says_how_many_parts_of_a_large_export_are_made(
    client: Client, parks: Project, monkeypatch: pytest.MonkeyPatch, jobs_wait: list[Any]
) -> None:
    archive = Archive(parks, "coco", record_state(parks))
    monkeypatch.setattr(make_pieces, "PIECE_IMAGES", 1)
    archive.pieces().plan([image.pk for image in Image.objects.all()] * 2)
    archive.pieces().make_one()
    assert "1 of 2 parts are made" in client.get(ADDRESS).content.decode()
