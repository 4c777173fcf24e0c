"""Archives are unpacked whole, or refused before they can do harm: leave the folder, lie, or fill the disk."""

import shutil
import stat
import zipfile
from pathlib import Path
from types import SimpleNamespace

import pytest

from annotation.bounds import FREE_BYTES
from exchange.detect import detect_format
from exchange.flickr30k.read import read_flickr30k
from exchange.problems import SourceError
from exchange.unpack import unpacked


def make_zip(path: Path, members: dict[str, bytes], mode: int = 0, method: int = zipfile.ZIP_DEFLATED) -> Path:
    """A .zip file; names are written as they are, however bad."""
    with zipfile.ZipFile(path / "source.zip", "w", method) as archive:
        for name, data in members.items():
            info = zipfile.ZipInfo("x")
            info.filename = name
            info.external_attr = mode << 16
            info.compress_type = method
            archive.writestr(info, data)
    return path / "source.zip"


def test_it_unpacks_for_as_long_as_it_is_needed(tmp_path: Path) -> None:
    source = make_zip(tmp_path, {"captions.csv": b"image,caption", "images/": b"", "images/a.jpg": b"x"})
    with unpacked(source) as folder:
        assert (folder / "captions.csv").read_bytes() == b"image,caption"
        assert (folder / "images/a.jpg").read_bytes() == b"x"
    assert not folder.exists()


def test_it_enters_a_single_folder_and_ignores_what_archivers_add(tmp_path: Path) -> None:
    members = {"data/Sentences/1.txt": b"A .", "__MACOSX/data/._1.txt": b"x", "data/.DS_Store": b"x"}
    with unpacked(make_zip(tmp_path, members)) as folder:
        assert folder.name == "data"
        assert sorted(path.name for path in folder.rglob("*")) == ["1.txt", "Sentences"]


def test_it_gives_a_folder_as_it_is(tmp_path: Path) -> None:
    with unpacked(tmp_path) as folder:
        assert folder == tmp_path
    assert tmp_path.is_dir()


@pytest.mark.parametrize(
    "name",
    ["../evil.txt", "a/../../evil.txt", "/etc/evil.txt", "C:/evil.txt", "..\\evil.txt", "a//b.txt", "./a.txt", "a/.."],
)
def test_it_refuses_paths_that_leave_the_folder(tmp_path: Path, name: str) -> None:
    source = make_zip(tmp_path, {"good.txt": b"x", name: b"evil"})
    with pytest.raises(SourceError) as raised, unpacked(source):
        pytest.fail("unpacked")
    assert f"member {name!r} has a" in str(raised.value)
    assert [path.name for path in tmp_path.rglob("*")] == ["source.zip"]


@pytest.mark.parametrize("kind", [stat.S_IFLNK, stat.S_IFIFO, stat.S_IFCHR])
def test_it_refuses_links_and_special_files(tmp_path: Path, kind: int) -> None:
    source = make_zip(tmp_path, {"images/a.jpg": b"/etc/passwd"}, mode=kind | 0o777)
    with pytest.raises(SourceError, match=r"member 'images/a.jpg' is a link or a special file"), unpacked(source):
        pytest.fail("unpacked")


def test_it_refuses_bombs_by_how_much_they_grow(tmp_path: Path) -> None:
    source = make_zip(tmp_path, {"bomb.txt": bytes(5_000_000)})
    with (
        pytest.raises(SourceError, match=r"member 'bomb.txt' would grow from [\d,]+ to 5,000,000 bytes"),
        unpacked(source),
    ):
        pytest.fail("unpacked")


def test_it_refuses_more_than_the_limit(tmp_path: Path) -> None:
    source = make_zip(tmp_path, {"a.txt": bytes(600), "b.txt": bytes(600)}, method=zipfile.ZIP_STORED)
    message = r"member 'b\.txt' takes the unpacked size over the limit of 1,000 bytes"
    with pytest.raises(SourceError, match=message), unpacked(source, max_bytes=1000):
        pytest.fail("unpacked")


def test_it_refuses_a_member_that_is_there_twice(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "source.zip", "w") as archive, pytest.warns(UserWarning, match="Duplicate name"):
        archive.writestr("a.txt", "1")
        archive.writestr("a.txt", "2")
    with pytest.raises(SourceError, match=r"member 'a\.txt' occurs twice"), unpacked(tmp_path / "source.zip"):
        pytest.fail("unpacked")


def test_it_refuses_a_member_that_lies_about_its_size(tmp_path: Path) -> None:
    source = make_zip(tmp_path, {"a.txt": b"x" * 1000}, method=zipfile.ZIP_STORED)
    data = source.read_bytes()
    size = (1000).to_bytes(4, "little")
    assert data.count(size) == 4
    source.write_bytes(data.replace(size, (10).to_bytes(4, "little")))
    with pytest.raises(SourceError, match="cannot be unpacked"), unpacked(source):
        pytest.fail("unpacked")


def test_it_refuses_damaged_files_and_what_is_no_zip(tmp_path: Path) -> None:
    source = make_zip(tmp_path, {"a.txt": b"hello" * 100}, method=zipfile.ZIP_STORED)
    source.write_bytes(source.read_bytes().replace(b"hellohello", b"hellOhello", 1))
    with pytest.raises(SourceError, match="cannot be unpacked: Bad CRC-32"), unpacked(source):
        pytest.fail("unpacked")
    (tmp_path / "a.txt").write_text("x")
    with pytest.raises(SourceError, match=r"is neither a folder nor a \.zip file"), unpacked(tmp_path / "a.txt"):
        pytest.fail("unpacked")
    with pytest.raises(SourceError, match="does not exist"), unpacked(tmp_path / "none"):
        pytest.fail("unpacked")


def test_what_is_wrong_inside_is_said_of_the_file_that_the_user_named(tmp_path: Path) -> None:
    source = make_zip(tmp_path, {"a.txt": b"x"})
    with pytest.raises(SourceError) as raised, unpacked(source) as folder:
        detect_format(folder)
    assert str(raised.value).startswith(f"{source}: is in no known format")


@pytest.mark.slow
def test_it_reads_the_real_images_from_a_zip_file(data_folder: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "source.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for file in sorted((data_folder / "flickr30k-entities").rglob("*.*")):
            archive.write(file, file.relative_to(data_folder))
    with unpacked(tmp_path / "source.zip") as folder:
        assert list(read_flickr30k(folder)) == list(read_flickr30k(data_folder / "flickr30k-entities"))


# --- Room on the disk ---


@pytest.fixture
def bomb(tmp_path: Path) -> Path:
    """Many members that are each small enough to shrink by any factor."""
    with zipfile.ZipFile(tmp_path / "source.zip", "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for number in range(66):
            archive.writestr(f"{number}.txt", bytes(1 << 20))
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
    source = make_zip(tmp_path, {"a.txt": bytes(600), "b.txt": bytes(600)}, method=zipfile.ZIP_STORED)
    free(monkeypatch, 1_199)
    assert refusal(source) == ("needs 1,200 bytes unpacked, and only 1,199 are free on the server: make room")
    free(monkeypatch, 1_200, 600, 500)
    assert "only 500 are free" in refusal(source), "another file was unpacked at the same time"


def test_an_error_while_unpacking_names_no_path_of_the_server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = make_zip(tmp_path, {"a.txt": b"x"})

    def full(*args: object) -> None:
        raise OSError(28, "No space left on device", "/srv/chainbox/temporary/x7/a.txt")

    monkeypatch.setattr(shutil, "copyfileobj", full)
    assert refusal(source) == "cannot be unpacked: No space left on device"
