"""Nothing is left behind: not by an error, and after a kill only until the next start."""

import os
import shutil
import signal
import subprocess
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.core.files.base import ContentFile

from annotation.storage import FolderStorage
from exchange.atomic import atomic_file, atomic_folder
from exchange.leftovers import remove_leftovers, workspace
from exchange.unpack import unpacked
from scenes.write import write_source

ROOT = Path(__file__).resolve().parents[2]


def run_until_killed(body: Callable[[], None]) -> None:
    """Run the body, which must end in a kill, in a process of its own."""
    child = os.fork()
    if child == 0:
        try:
            body()
        except BaseException:
            traceback.print_exc()
        os._exit(1)
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == -signal.SIGKILL


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

    run_until_killed(write_until_killed)
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


@pytest.mark.slow
def test_an_import_of_a_zip_that_is_killed_leaves_nothing_after_the_same_command(
    data: Path, empty_service: Path, tmp_path: Path
):
    """The real command, killed in the middle, then run again."""
    shutil.copytree(empty_service, data, dirs_exist_ok=True)
    write_source(tmp_path / "scenes", 3, 4, pictures=True)
    shutil.make_archive(str(tmp_path / "scenes"), "zip", tmp_path / "scenes")
    (tmp_path / "marks").mkdir()
    (tmp_path / "marks" / "import: image half written").touch()
    env = {**os.environ, "CHAINBOX_DATA": str(data), "DJANGO_SETTINGS_MODULE": "config.settings"}
    env |= {"CHAINBOX_FAULTS": str(tmp_path / "marks")}
    env.pop("DATABASE_URL", None)
    command = [sys.executable, str(ROOT / "manage.py"), "import_dataset", "parks", str(tmp_path / "scenes.zip")]
    killed = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    assert list((data / "temporary").iterdir())
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
    assert "were in the project already" in done.stdout or "4 images" in done.stdout, done.stderr
    assert list((data / "temporary").iterdir()) == []
    assert list((data / "media" / ".partial").iterdir()) == []
