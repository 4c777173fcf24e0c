"""Nothing is left behind: not by an error, and after a kill only until the next start."""

import os
import shutil
import signal
from pathlib import Path
from typing import Any

import pytest
from django.core.files.base import ContentFile
from django.core.management import call_command

from annotation.storage import FolderStorage
from exchange.atomic import atomic_file, atomic_folder
from exchange.leftovers import remove_leftovers, workspace
from exchange.unpack import unpacked
from scenes.write import write_source
from tests.support.killed import is_killed


@pytest.fixture(autouse=True)
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
