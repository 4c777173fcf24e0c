"""Archives in parts: the same bytes, whoever makes the parts, and however often somebody stops.
An export with pictures that is stopped goes on where it was, and gives the bytes of one that was not.
Nothing is left behind: not by an error, and after a kill only until the next start.
"""

import os
import shutil
import signal
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from io import BytesIO
from pathlib import Path
from typing import Any, NoReturn
from zipfile import ZipFile

import pytest
from django.core.files.base import ContentFile
from django.core.management import CommandError, call_command
from PIL import Image as Picture

from annotation.models import Image, KnownBox, Project
from annotation.storage import FolderStorage, store
from exchange import export_parts, export_pictures
from exchange.atomic import TargetExists, atomic_file, atomic_folder
from exchange.export_dataset import ExportReport, export_dataset
from exchange.export_options import AS_THEY_CAME, ExportOptions
from exchange.export_parts import write_part
from exchange.export_pictures import earlier_pictures
from exchange.formats.format import Format
from exchange.formats.odvg import ODVG
from exchange.import_dataset import import_dataset
from exchange.import_image import import_image
from exchange.leftovers import remove_leftovers, workspace
from exchange.publish_export import PublishedExport, archive_now, forget_exports, help_with, publish_export
from exchange.registry import FORMATS, export_formats
from exchange.source import unpacked
from pipeline.project.settings_versions import open_project
from runtime import clock
from runtime.models import JobRun
from simulation.scenes.scene import make_scene, write_source
from tests.support.pictures import encoded
from tests.support.race import is_killed

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


@pytest.fixture
def project(pictured: Path, empty_storage: Path) -> Project:
    """Four finished scenes with pictures."""
    import_dataset(project_name="parks", path=pictured)
    return Project.objects.get()


@pytest.fixture
def written(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the images whose pictures are written."""
    found: list[str] = []
    write = export_pictures._write

    def noted(image: Any, *rest: Any) -> Any:
        found.append(image.name)
        return write(image, *rest)

    monkeypatch.setattr(export_pictures, "_write", noted)
    return found


def export(
    project: Project, target: Path, name: str = "coco", step: Callable[[], None] = lambda: None, **options: Any
) -> ExportReport:
    only = options.pop("only", None)
    chosen = ExportOptions(**{"pictures": 300, **options})
    return export_dataset(project=project, target=target, export_format=name, options=chosen, step=step, only=only)


def stop_after(images: int, error: type[BaseException] = KeyboardInterrupt) -> Callable[[], None]:
    left = [images]

    def step() -> None:
        left[0] -= 1
        if not left[0]:
            raise error

    return step


def stopped(project: Project, target: Path, images: int, name: str = "coco", **options: Any) -> None:
    with pytest.raises(KeyboardInterrupt):
        export(project, target, name, step=stop_after(images), **options)
    assert not target.exists()


def contents(folder: Path) -> dict[str, bytes]:
    return {str(file.relative_to(folder)): file.read_bytes() for file in folder.rglob("*") if file.is_file()}


@pytest.mark.parametrize("name", [one for one in export_formats() if one != "parquet"])
@pytest.mark.parametrize("parts", [False, True])
def test_the_same_export_goes_on_behind_the_pictures_and_gives_the_same_bytes(
    project: Project, tmp_path: Path, written: list[str], name: str, *, parts: bool
) -> None:
    side = AS_THEY_CAME if name == "jsonl" else 300
    names = list(project.images.order_by("position").values_list("name", flat=True))
    splits = {one: "even" if place % 2 else "odd" for place, one in enumerate(names)} if parts else {}
    whole = export(project, tmp_path / "whole", name, pictures=side, splits=splits)
    assert len(written) == 4
    written.clear()
    stopped(project, tmp_path / "out", 3, name, pictures=side, splits=splits)
    assert len(written) == 3
    report = export(project, tmp_path / "out", name, pictures=side, splits=splits)
    assert len(written) == 4, "each once"
    assert report.notes == ("Pictures that were there already, from an export that was stopped: 3.", *whole.notes)
    assert contents(tmp_path / "out") == contents(tmp_path / "whole")
    assert sorted(one.name for one in tmp_path.iterdir() if one.name.startswith(".")) == []


def test_pictures_of_another_size_or_of_images_that_have_others_now_or_are_gone_are_written_anew(
    project: Project, tmp_path: Path, written: list[str]
) -> None:
    out = tmp_path / "out"
    stopped(project, out, 4)
    first = project.images.earliest("position")
    other = encoded(Picture.new("RGB", (1200, 800), "red"), "JPEG")
    name = store().save("originals/other.jpg", BytesIO(other))
    Image.objects.filter(pk=first.pk).update(picture=name)
    written.clear()
    report = export(project, out)
    assert written == [first.name]
    assert report.notes[:2] == (
        "Pictures that were there already, from an export that was stopped: 3.",
        "Pictures of an export that was stopped and were of no use any more: 1.",
    )
    export(project, tmp_path / "whole")
    assert contents(out) == contents(tmp_path / "whole")
    stopped(project, tmp_path / "next", 4)
    written.clear()
    export(project, tmp_path / "next", pictures=200, only=[first.pk])
    assert written == [first.name]
    assert [file.name for file in (tmp_path / "next" / "images").iterdir()] == [f"{first.name}.jpg"]


def test_a_picture_that_a_loss_of_power_tore_is_written_again(project: Project, tmp_path: Path, written: list[str]):
    out, part = tmp_path / "out", tmp_path / ".out.part"
    stopped(project, out, 4)
    torn, missing, half, whole = sorted((part / "export" / "out" / "images").iterdir())
    torn.write_bytes(bytes(torn.stat().st_size))
    missing.unlink()
    lines = (part / "journal").read_text().splitlines(keepends=True)
    own = next(place for place, line in enumerate(lines) if half.name in line)
    (part / "journal").write_text("".join([*lines[:own], *lines[own + 1 :], lines[own][:-20]]))
    written.clear()
    export(project, out)
    assert len(written) == 3
    export(project, tmp_path / "whole")
    assert contents(out) == contents(tmp_path / "whole") and (out / "images" / whole.name).exists()


def test_an_error_that_would_come_again_removes_the_pictures(project: Project, tmp_path: Path) -> None:
    for error in (ValueError, FileExistsError):
        with pytest.raises(error):
            export(project, tmp_path / "out", "odvg", step=stop_after(2, error))
        assert not (tmp_path / ".out.part").exists()


def test_a_target_is_written_by_one_process_and_what_a_kill_behind_the_end_left_is_removed(project: Project, tmp_path):
    with earlier_pictures(tmp_path / "out"), pytest.raises(TargetExists, match="is being written by another process"):
        export(project, tmp_path / "out")
    (tmp_path / ".out.part").mkdir(exist_ok=True)
    (tmp_path / ".out.part" / "journal").touch()
    export(project, tmp_path / "out")
    assert not (tmp_path / ".out.part").exists()


def test_the_command_says_where_it_stopped(project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(*_: object, **__: object) -> NoReturn:
        raise KeyboardInterrupt

    monkeypatch.setattr(export_pictures, "_is_turned", stop)
    with pytest.raises(CommandError, match=r"Stopped. .*out was not written. The pictures so far are kept beside it"):
        call_command("export_dataset", "parks", str(tmp_path / "out"), format="hub")
    with pytest.raises(CommandError, match=r"Stopped. .*out was not written\.$"):
        monkeypatch.setitem(FORMATS, "odvg", replace(ODVG, write=stop))
        call_command("export_dataset", "parks", str(tmp_path / "out"), format="odvg")


@pytest.mark.django_db(transaction=True)
def test_the_command_that_is_killed_loses_no_picture(
    project: Project, tmp_path: Path, settings: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    export(project, tmp_path / "whole", "mdetr")
    settings.FAULTS = tmp_path / "marks"
    settings.FAULTS.mkdir()

    def command() -> None:
        call_command("export_dataset", "parks", str(tmp_path / "out"), format="mdetr", longest_side=300)

    for point, kept in (("picture written", 1), ("picture written", 2), ("half written", 2)):
        (settings.FAULTS / f"export: {point}").touch()
        assert is_killed(command)
        assert len(list((tmp_path / ".out.part" / "export" / "out" / "images").iterdir())) == kept, point
    command()
    said = capsys.readouterr().out
    assert "4 images written" in said and "from an export that was stopped: 2." in said
    assert contents(tmp_path / "out") == contents(tmp_path / "whole")


def test_an_earlier_picture_makes_room_for_one_of_the_same_path(project: Project, tmp_path: Path) -> None:
    """A smaller picture of a .png is a .jpg, and another image may have that path by the next export."""
    last = project.images.order_by("-position")[:1].get()
    Image.objects.filter(pk=last.pk).update(path="a.png")
    stopped(project, tmp_path / "out", 4)
    Image.objects.filter(pk=last.pk).update(path="a.jpg")
    report = export(project, tmp_path / "out")
    assert "Pictures of an export that was stopped and were of no use any more: 1." in report.notes
    export(project, tmp_path / "whole")
    assert contents(tmp_path / "out") == contents(tmp_path / "whole")


@pytest.fixture
def data(settings: Any, tmp_path: Path) -> Path:
    settings.DATA = tmp_path / "data"
    settings.MEDIA_ROOT = tmp_path / "data" / "media"
    settings.DATA.mkdir()
    return settings.DATA


def hidden(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir() if ".partial-" in path.name)


def test_a_killed_process_leaves_nothing_after_the_next_start(data: Path, tmp_path: Path):
    source = tmp_path / "source"
    (source / "images").mkdir(parents=True)
    (source / "captions.csv").write_text("image,caption\n")
    shutil.make_archive(str(tmp_path / "source"), "zip", source)

    def write_until_killed() -> None:
        out, lines = tmp_path / "out", tmp_path / "out.jsonl"
        with unpacked(tmp_path / "source.zip") as inside, atomic_folder(out), atomic_file(lines) as file:
            file.write_text("half a line")
            assert list(inside.iterdir())
            os.kill(os.getpid(), signal.SIGKILL)

    assert is_killed(write_until_killed)
    assert len(hidden(tmp_path)) == 2 and len(list((data / "temporary").iterdir())) == 1
    assert remove_leftovers() == 1
    assert list((data / "temporary").iterdir()) == []
    with atomic_folder(tmp_path / "out"), atomic_file(tmp_path / "out.jsonl"):
        assert len(hidden(tmp_path)) == 2, "those of the killed process are gone"
    assert hidden(tmp_path) == []


def test_the_files_of_a_running_process_stay(data: Path, tmp_path: Path):
    with workspace() as mine, atomic_file(tmp_path / "a.jsonl") as half:
        (mine / "kept").touch()
        with workspace() as other:
            assert other != mine
        assert remove_leftovers() == 0
        assert (mine / "kept").exists() and half.exists()
    assert not mine.exists()


def test_an_error_leaves_nothing(data: Path):
    with pytest.raises(ZeroDivisionError), workspace() as folder:
        (folder / "file").touch()
        raise ZeroDivisionError
    assert list((data / "temporary").iterdir()) == []


def test_a_picture_whose_writer_was_killed_is_removed_and_one_that_is_written_is_kept(data: Path):
    storage = FolderStorage(location=data / "media")

    class Slow(ContentFile):  # type: ignore[type-arg]
        def chunks(self, chunk_size: int | None = None) -> Any:
            yield b"half"
            assert remove_leftovers() == 1, "the dead one, not this one"
            yield b" and half"

    (data / "media" / ".partial").mkdir(parents=True)
    (data / "media" / ".partial" / "dead").write_bytes(b"half")
    name = storage.save("originals/ab/whole.jpg", Slow(b""))
    assert (data / "media" / name).read_bytes() == b"half and half"


@pytest.mark.django_db(transaction=True)
def test_an_import_of_a_zip_that_is_killed_leaves_nothing_after_the_same_command(
    data: Path, settings: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    write_source(tmp_path / "scenes", 3, 4, pictures=True)
    shutil.make_archive(str(tmp_path / "scenes"), "zip", tmp_path / "scenes")
    settings.FAULTS = tmp_path / "marks"
    settings.FAULTS.mkdir()
    (settings.FAULTS / "import: image half written").touch()

    def command() -> None:
        call_command("import_dataset", "parks", str(tmp_path / "scenes.zip"))

    assert is_killed(command)
    assert list((data / "temporary").iterdir())
    command()
    assert "4 images" in capsys.readouterr().out
    assert list((data / "temporary").iterdir()) == []
    assert list((data / "media" / ".partial").iterdir()) == []
