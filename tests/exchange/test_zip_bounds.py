"""A small zip file cannot fill the disk, and what is wrong with one is told without this machine's paths."""

import shutil
import zipfile
from pathlib import Path
from types import SimpleNamespace

import pytest

from annotation.bounds import FREE_BYTES
from exchange.problems import SourceError
from exchange.unpack import unpacked

MEMBER = 1 << 20


@pytest.fixture
def bomb(tmp_path: Path) -> Path:
    """Many members that are each small enough to shrink by any factor."""
    with zipfile.ZipFile(tmp_path / "source.zip", "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for number in range(66):
            archive.writestr(f"{number}.txt", bytes(MEMBER))
    return tmp_path / "source.zip"


def refusal(source: Path) -> str:
    with pytest.raises(SourceError) as raised, unpacked(source):
        pytest.fail("unpacked")
    return raised.value.problem.message


def free(monkeypatch: pytest.MonkeyPatch, *sizes: int) -> None:
    """Let the disk have so many bytes free beyond the reserve, one number at each look."""
    left = iter(sizes)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=FREE_BYTES + next(left)))


def test_a_small_file_with_very_many_small_members_that_grow_is_refused_as_a_whole(bomb: Path) -> None:
    assert "to 69,206,016 bytes in all: nothing was unpacked" in refusal(bomb)


def test_unpacking_leaves_the_room_that_uploads_leave(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with zipfile.ZipFile(tmp_path / "source.zip", "w") as archive:
        archive.writestr("a.txt", bytes(600))
        archive.writestr("b.txt", bytes(600))
    free(monkeypatch, 1_199)
    assert refusal(tmp_path / "source.zip") == (
        "needs 1,200 bytes unpacked, and only 1,199 are free on the server: make room"
    )
    free(monkeypatch, 1_200, 600, 500)
    assert "only 500 are free" in refusal(tmp_path / "source.zip"), "another file was unpacked at the same time"


def test_an_error_while_unpacking_names_no_path_of_the_server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with zipfile.ZipFile(tmp_path / "source.zip", "w") as archive:
        archive.writestr("a.txt", "x")

    def full(*args: object) -> None:
        raise OSError(28, "No space left on device", "/srv/chainbox/temporary/x7/a.txt")

    monkeypatch.setattr(shutil, "copyfileobj", full)
    assert refusal(tmp_path / "source.zip") == "cannot be unpacked: No space left on device"
