from contextlib import suppress
from pathlib import Path

import pytest

from exchange.atomic import TargetExists, atomic_file, atomic_folder, atomic_with_beside


def names(path: Path) -> list[str]:
    return sorted(file.name for file in path.rglob("*"))


def test_a_folder_appears_when_it_is_whole(tmp_path: Path) -> None:
    with atomic_folder(tmp_path / "out") as folder:
        (folder / "a.txt").write_text("x")
        assert not (tmp_path / "out").exists()
        assert folder.parent == tmp_path
    assert names(tmp_path) == ["a.txt", "out"]


def test_a_file_appears_when_it_is_whole(tmp_path: Path) -> None:
    with atomic_file(tmp_path / "out.json") as file:
        file.write_text("x")
        assert not (tmp_path / "out.json").exists()
    assert names(tmp_path) == ["out.json"]
    assert (tmp_path / "out.json").read_text() == "x"


@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt])
def test_nothing_is_left_behind_on_an_error(tmp_path: Path, error: type[BaseException]) -> None:
    with pytest.raises(error), atomic_folder(tmp_path / "out") as folder:
        (folder / "a.txt").write_text("x")
        raise error
    with pytest.raises(error), atomic_file(tmp_path / "out.json") as file:
        file.write_text("x")
        raise error
    assert names(tmp_path) == []


def test_a_file_and_what_lies_beside_it_appear_together(tmp_path: Path) -> None:
    (tmp_path / "out.card").mkdir()
    (tmp_path / "out.card" / "old").touch()
    for fails in (True, False):
        with suppress(RuntimeError), atomic_with_beside(tmp_path / "out", tmp_path / "out.card", folder=False) as file:
            file.write_text("x")
            file.with_name("out.card").mkdir()
            file.with_name("out.card").joinpath("new").touch()
            assert not (tmp_path / "out").exists()
            if fails:
                raise RuntimeError
        assert names(tmp_path) == (["old", "out.card"] if fails else ["new", "out", "out.card"])


def test_empty_targets_are_taken(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out.json").touch()
    with atomic_folder(tmp_path / "out") as folder:
        (folder / "a.txt").write_text("x")
    with atomic_file(tmp_path / "out.json") as file:
        file.write_text("x")
    assert names(tmp_path) == ["a.txt", "out", "out.json"]


def test_what_is_there_is_not_overwritten(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder/file").write_text("mine")
    with pytest.raises(TargetExists, match="folder is not empty: remove it"), atomic_folder(tmp_path / "folder"):
        pytest.fail("begun")
    with pytest.raises(TargetExists, match="file is not empty: remove it"), atomic_file(tmp_path / "file"):
        pytest.fail("begun")
    with pytest.raises(TargetExists, match="file is a file: choose"), atomic_folder(tmp_path / "file"):
        pytest.fail("begun")
    with pytest.raises(TargetExists, match="folder is a folder: choose"), atomic_file(tmp_path / "folder"):
        pytest.fail("begun")


def test_what_appears_meanwhile_is_not_overwritten(tmp_path: Path) -> None:
    with pytest.raises(TargetExists), atomic_file(tmp_path / "out") as file:
        file.write_text("ours")
        (tmp_path / "out").write_text("theirs")
    assert (tmp_path / "out").read_text() == "theirs"
    assert names(tmp_path) == ["out"]


def test_it_asks_for_the_folder_around_it(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="none does not exist: make it first"), atomic_file(tmp_path / "none/a"):
        pytest.fail("begun")
