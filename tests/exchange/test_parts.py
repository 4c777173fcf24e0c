"""Archives in parts: the same bytes, whoever makes the parts, and however often somebody stops."""

from dataclasses import replace
from datetime import timedelta
from io import BytesIO
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest
from django.core.files.base import ContentFile
from PIL import Image as Picture

from annotation.models import KnownBox, Project
from annotation.storage import store
from exchange import export_parts
from exchange.export_dataset import export_dataset
from exchange.export_parts import write_part
from exchange.formats.format import Format
from exchange.import_image import import_image
from exchange.leftovers import workspace
from exchange.publish_export import PublishedExport, archive_now, forget_exports, help_with, publish_export
from exchange.registry import export_formats
from pipeline.project.settings_versions import open_project
from runtime import clock
from runtime.models import JobRun
from simulation.scenes.make import make_scene

pytestmark = pytest.mark.django_db


@pytest.fixture
def parks(monkeypatch: pytest.MonkeyPatch, settings: Any, tmp_path: Path) -> Project:
    """Seven annotated images, some with a turned picture or a box of a category; parts have two images."""
    settings.MEDIA_ROOT = tmp_path / "media"
    monkeypatch.setattr(export_parts, "LEAST_IMAGES", 5)
    monkeypatch.setattr(export_parts, "PART_IMAGES", 2)
    project = open_project(name="parks")
    for number in range(7):
        scene = replace(make_scene(7, number % 4).image, name=f"{number}", path=f"park/{number}.png")
        import_image(project, number, scene, picture=_picture(number), gold=number == 6, settings_version=1)
    for image in project.images.all()[1:3]:
        KnownBox.objects.create(image=image, x0=1, y0=2, x1=30, y1=40, category="bench")
    return project


def _picture(number: int) -> str:
    """Store a picture, turned by its camera for every other image; every third image has none."""
    if number % 3 == 0:
        return ""
    file, exif = ContentFile(b""), Picture.Exif()
    exif[0x0112] = 6 if number % 2 else 1
    Picture.new("RGB", (30, 20), "teal").save(file, "PNG", exif=exif)
    return store().save(f"{number}.png", file)


def at_once(archive: PublishedExport) -> dict[str, bytes]:
    """Return the files of an export into a folder that one process makes."""
    with workspace() as folder:
        target = folder / archive.file_name
        chosen: dict[str, Any] = {"only": archive.only, "include_unmerged": archive.include_unmerged}
        export_dataset(project=archive.project, target=target, export_format=archive.export_format, **chosen)
        return {str(file.relative_to(folder)): file.read_bytes() for file in folder.rglob("*") if file.is_file()}


def stored(archive: PublishedExport) -> bytes:
    with store().open(archive.path) as file:
        return bytes(file.read())


def files_in(packed: bytes) -> dict[str, bytes]:
    with ZipFile(BytesIO(packed)) as archive:
        assert archive.testzip() is None
        return {name: archive.read(name) for name in archive.namelist()}


@pytest.mark.slow
@pytest.mark.both_engines
@pytest.mark.parametrize("export_format", export_formats())
def test_the_joined_parts_are_what_one_process_writes(parks: Project, export_format: str) -> None:
    images = parks.images.values_list("id", flat=True)
    every = archive_now(parks, export_format, images=images, include_unmerged=True).selection
    for archive in (PublishedExport(parks, export_format, "1"), PublishedExport(parks, export_format, "1", every)):
        publish_export(archive)
        assert files_in(stored(archive)) == at_once(archive)


def test_whoever_helps_changes_no_byte(parks: Project) -> None:
    archive, helped = PublishedExport(parks, "coco", "1"), PublishedExport(parks, "coco", "2")
    publish_export(archive)
    JobRun.objects.create(key=helped.key, job="", state="running", held_until=clock.now())
    publish_export(helped, lambda: [help_with(helped) for _ in range(2)])
    assert stored(archive) == stored(helped)
    assert not help_with(helped), "nothing is left to make"


def test_an_export_that_was_stopped_goes_on_from_its_parts(parks: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[int] = []
    write = write_part

    def until_the_third(project: Project, data_format: Format, images: Any, folder: Path) -> Path:
        made.append(images.number)
        if made == [0, 1, 2]:
            raise KeyboardInterrupt
        return write(project, data_format, images, folder)

    monkeypatch.setattr(export_parts, "write_part", until_the_third)
    archive, whole = PublishedExport(parks, "odvg", "1"), PublishedExport(parks, "odvg", "2")
    with pytest.raises(KeyboardInterrupt):
        publish_export(archive)
    assert archive.progress() == (2, 3)
    publish_export(archive)
    assert made == [0, 1, 2, 2]
    publish_export(whole)
    assert stored(archive) == stored(whole)


def test_a_process_that_comes_too_late_leaves_the_archive_as_it_is(parks: Project, monkeypatch: pytest.MonkeyPatch):
    """One that stood still for so long that another process made and used all parts."""
    archive = PublishedExport(parks, "odvg", "1")
    with pytest.raises(FileNotFoundError):
        publish_export(archive, lambda: publish_export(archive))
    assert files_in(stored(archive)) == at_once(archive)
    assert archive.progress() is None


def test_parts_go_if_the_process_was_killed_between_the_archive_and_their_end(
    parks: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    archive = PublishedExport(parks, "odvg", "1")
    with monkeypatch.context() as patched:
        patched.setattr(export_parts.ExportParts, "forget", lambda _: None)
        publish_export(archive)
    publish_export(archive)
    assert store().listdir(f"exports/project.{parks.pk}")[1] == ["odvg-1.zip"]
    assert not JobRun.objects.exists()


def test_images_that_change_between_two_parts_are_exported_anew_as_one(
    parks: Project, caplog: pytest.LogCaptureFixture
) -> None:
    archive = PublishedExport(parks, "mdetr", "1")

    def change() -> None:
        image = parks.images.earliest("position")
        image.merged_boxes.all().delete()
        image.boxes.all().delete()

    publish_export(archive, change)
    assert files_in(stored(archive)) == at_once(archive)
    assert "changed while its parts were made" in caplog.text


def test_nothing_of_the_parts_stays(parks: Project) -> None:
    publish_export(PublishedExport(parks, "hub", "1"))
    assert store().listdir(f"exports/project.{parks.pk}")[1] == ["hub-1.zip"]
    assert not JobRun.objects.exists()


@pytest.mark.parametrize("export_format", export_formats())
def test_a_small_export_is_one_part_that_nobody_helps_with(
    parks: Project, monkeypatch: pytest.MonkeyPatch, export_format: str
) -> None:
    monkeypatch.setattr(export_parts, "LEAST_IMAGES", 8)
    archive = PublishedExport(parks, export_format, "1")
    publish_export(archive, lambda: pytest.fail("help"))
    assert files_in(stored(archive)) == at_once(archive)
    assert store().listdir(f"exports/project.{parks.pk}")[1] == [f"{export_format}-1.zip"]


def test_parts_of_an_export_that_nobody_finished_are_forgotten(parks: Project) -> None:
    archive = PublishedExport(parks, "coco", "1")
    archive.parts().plan(list(parks.images.values_list("id", flat=True)))
    held_until = clock.now() + timedelta(seconds=9)
    JobRun.objects.filter(pk=archive.parts().rows()[0].pk).update(state=JobRun.State.RUNNING, held_until=held_until)
    forget_exports()
    assert archive.progress() == (0, 4)
    JobRun.objects.update(asked_at=clock.now() - timedelta(days=8))
    forget_exports()
    assert archive.progress() == (0, 1), "that one is being made"
    JobRun.objects.update(held_until=clock.now() - timedelta(days=8))
    forget_exports()
    assert archive.progress() is None
