"""Archives are unpacked whole, or refused before they can do harm: leave the folder, lie, or fill the disk.
Pictures are found by name wherever they lie, and no picture is taken for another one.
"""

import re
import shutil
import stat
import zipfile
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace
from typing import Any, BinaryIO

import pytest

from annotation.bounds import FREE_BYTES
from exchange.atomic import TargetExists, atomic_file, atomic_folder, atomic_with_beside
from exchange.checks import Defect, SourceError
from exchange.formats import detect
from exchange.formats.coco import COCO
from exchange.formats.flickr30k.read import read_flickr30k
from exchange.formats.pictures import FolderPictures, FoundPictures, SourcePictures
from exchange.registry import import_format
from exchange.source import unpacked
from tests.support.table import row


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


def refusal(source: Path, **options: Any) -> str:
    with pytest.raises(SourceError) as raised, unpacked(source, **options):
        pytest.fail("unpacked")
    return raised.value.problem.message


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


EVIL = "../evil.txt a/../../evil.txt /etc/evil.txt C:/evil.txt ..\\evil.txt a//b.txt ./a.txt a/.."


@pytest.mark.parametrize("name", EVIL.split())
def test_it_refuses_paths_that_leave_the_folder(tmp_path: Path, name: str) -> None:
    source = make_zip(tmp_path, {"good.txt": b"x", name: b"evil"})
    assert f"member {name!r} has a" in refusal(source)
    assert [path.name for path in tmp_path.rglob("*")] == ["source.zip"]


@row("a/" * 41 + "b.jpg", "lies more than 40 folders deep, or has a path of more than 1,000 bytes")
@row("a/" * 2_000 + "b.jpg", "lies more than 40 folders deep")
@row("a/" + "b" * 1_000 + ".jpg", "has a path of more than 1,000 bytes")
@row("a" * 300 + ".jpg", "cannot be unpacked: File name too long")
def test_it_refuses_names_that_no_picture_has(name: str, told: str, tmp_path: Path) -> None:
    assert told in refusal(make_zip(tmp_path, {name: b"x"}))


def test_names_that_other_systems_take_for_one_or_for_a_device_stay_apart(tmp_path: Path) -> None:
    names = ["A.jpg", "a.jpg", "con.jpg", "nul", "caf\u00e9.jpg", "cafe\u0301.jpg", "a ./b.jpg"]
    with unpacked(make_zip(tmp_path, {name: name.encode() for name in names} | {"cut\0off.jpg": b"cut"})) as folder:
        found = {file.relative_to(folder).as_posix(): file.read_bytes() for file in folder.rglob("*") if file.is_file()}
    assert found == {name: name.encode() for name in names} | {"cut": b"cut"}


def test_a_file_that_is_a_folder_too_is_refused(tmp_path: Path) -> None:
    assert "cannot be unpacked: File exists" in refusal(make_zip(tmp_path, {"a": b"x", "a/b": b"x"}))


@pytest.mark.parametrize("kind", [stat.S_IFLNK, stat.S_IFIFO, stat.S_IFCHR])
def test_it_refuses_links_and_special_files(tmp_path: Path, kind: int) -> None:
    source = make_zip(tmp_path, {"images/a.jpg": b"/etc/passwd"}, mode=kind | 0o777)
    assert "member 'images/a.jpg' is a link or a special file" in refusal(source)


def test_it_refuses_bombs_by_how_much_they_grow(tmp_path: Path) -> None:
    source = make_zip(tmp_path, {"bomb.txt": bytes(5_000_000)})
    assert re.search(r"member 'bomb.txt' would grow from [\d,]+ to 5,000,000 bytes", refusal(source))


def test_it_refuses_more_than_the_limit(tmp_path: Path) -> None:
    source = make_zip(tmp_path, {"a.txt": bytes(600), "b.txt": bytes(600)}, method=zipfile.ZIP_STORED)
    told = refusal(source, max_bytes=1000)
    assert "member 'b.txt' takes the unpacked size over the limit of 1,000 bytes" in told


def test_it_refuses_a_member_that_is_there_twice(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "source.zip", "w") as archive, pytest.warns(UserWarning, match="Duplicate name"):
        archive.writestr("a.txt", "1")
        archive.writestr("a.txt", "2")
    assert "member 'a.txt' occurs twice" in refusal(tmp_path / "source.zip")


def test_it_refuses_a_member_that_lies_about_its_size(tmp_path: Path) -> None:
    source = make_zip(tmp_path, {"a.txt": b"x" * 1000}, method=zipfile.ZIP_STORED)
    data = source.read_bytes()
    size = (1000).to_bytes(4, "little")
    assert data.count(size) == 4
    source.write_bytes(data.replace(size, (10).to_bytes(4, "little")))
    assert "cannot be unpacked" in refusal(source)


def test_it_refuses_damaged_files_and_what_is_no_zip(tmp_path: Path) -> None:
    source = make_zip(tmp_path, {"a.txt": b"hello" * 100}, method=zipfile.ZIP_STORED)
    source.write_bytes(source.read_bytes().replace(b"hellohello", b"hellOhello", 1))
    assert "cannot be unpacked: Bad CRC-32" in refusal(source)
    (tmp_path / "a.txt").write_text("x")
    assert "is neither a folder nor a .zip file" in refusal(tmp_path / "a.txt")
    assert "does not exist" in refusal(tmp_path / "none")


def test_what_is_wrong_inside_is_said_of_the_file_that_the_user_named(tmp_path: Path) -> None:
    source = make_zip(tmp_path, {"a.txt": b"x"})
    with pytest.raises(SourceError) as raised, unpacked(source) as folder:
        detect(folder)
    assert str(raised.value).startswith(f"{source}: is in no known format")


@pytest.mark.slow
def test_it_reads_the_real_images_from_a_zip_file(data_folder: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "source.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for file in sorted((data_folder / "flickr30k-entities").rglob("*.*")):
            archive.write(file, file.relative_to(data_folder))
    with unpacked(tmp_path / "source.zip") as folder:
        assert list(read_flickr30k(folder)) == list(read_flickr30k(data_folder / "flickr30k-entities"))


# --- Room on the disk ---


def free(monkeypatch: pytest.MonkeyPatch, *sizes: int) -> None:
    """Let the disk have so many bytes free beyond the reserve, one number at each look."""
    left = iter(sizes)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=FREE_BYTES + next(left)))


def test_a_small_file_with_very_many_small_members_that_grow_is_refused_as_a_whole(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "source.zip", "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for number in range(66):  # each is small enough to shrink by any factor
            archive.writestr(f"{number}.txt", bytes(1 << 20))
    assert "to 69,206,016 bytes in all: nothing was unpacked" in refusal(tmp_path / "source.zip")


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


def touch(path: Path, *names: str) -> None:
    for name in names:
        (path / name).parent.mkdir(parents=True, exist_ok=True)
        (path / name).write_text("")


@row("annotations/captions_val2017.json", "coco")
@row("captions.csv", "folder")
@row("refs(unc).p", "refcoco")
def test_it_knows_each_format_by_its_files(file: str, name: str, tmp_path: Path) -> None:
    touch(tmp_path, file)
    assert detect(tmp_path).name == name


def test_it_gives_the_reader_of_a_name() -> None:
    assert import_format("coco") is COCO
    with pytest.raises(ValueError, match="unknown format 'pascal': choose one of flickr30k-entities, coco, folder"):
        import_format("pascal")


def test_it_counts_images_for_the_progress_bar(tmp_path: Path) -> None:
    touch(tmp_path, "Sentences/1.txt", "Sentences/2.txt", "Sentences/.hidden.txt", "a.jpg", "b/c.PNG", "notes.md")
    (tmp_path / "captions.json").write_text('{"images": [{"file_name": "a"}, {"file_name" : "b"}, {"file_name": "c"}]}')
    assert import_format("flickr30k-entities").estimate(tmp_path, FolderPictures(tmp_path)) == 2
    assert import_format("coco").estimate(tmp_path, FolderPictures(tmp_path)) == 3
    assert import_format("folder").estimate(tmp_path, FolderPictures(tmp_path)) == 2


def test_it_detects_and_counts_the_real_data(data_folder: Path) -> None:
    for name, count in (("flickr30k-entities", 500), ("coco", 80)):
        assert detect(data_folder / name).name == name
        assert import_format(name).estimate(data_folder / name, FolderPictures(data_folder / name)) == count


def names(path: Path) -> list[str]:
    return sorted(file.name for file in path.rglob("*"))


def test_a_folder_and_a_file_appear_when_they_are_whole(tmp_path: Path) -> None:
    with atomic_folder(tmp_path / "out") as folder:
        (folder / "a.txt").write_text("x")
        assert not (tmp_path / "out").exists()
        assert folder.parent == tmp_path
    assert names(tmp_path) == ["a.txt", "out"]
    with atomic_file(tmp_path / "out.json") as file:
        file.write_text("x")
        assert not (tmp_path / "out.json").exists()
    assert names(tmp_path) == ["a.txt", "out", "out.json"]
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


class Named(SourcePictures):
    """Pictures of which only the names are there."""

    def __init__(self, *names: str) -> None:
        self.names = names

    def __iter__(self) -> Any:
        return iter(self.names)

    def __contains__(self, name: object) -> bool:
        return name in self.names

    def head(self, name: str) -> BinaryIO:
        raise NotImplementedError

    open = head


def found(paths: list[str], *there: str, **options: Any) -> list[str]:
    """Return the picture of each path, or what is wrong with it."""
    pictures = FoundPictures(Named(*there), paths, **options)
    told = []
    for path in paths:
        try:
            told.append(pictures.of(path))
        except Defect as defect:
            told.append(defect.message)
    return told


def test_each_layout_gives_each_path_its_own_picture() -> None:
    several = "the picture a.jpg is there several times: "
    table: list[tuple[list[str], list[str], list[str]]] = [
        (["a.jpg"], ["images/a.jpg", "a.jpg"], ["images/a.jpg"]),
        (["a.jpg"], ["val2017/a.jpg"], ["val2017/a.jpg"]),
        (["a.jpg", "b.jpg"], ["train2017/a.jpg", "val2017/b.jpg"], ["train2017/a.jpg", "val2017/b.jpg"]),
        (["val2017/a.jpg"], ["a.jpg"], ["a.jpg"]),
        (["a.jpg"], ["x/A.JPG"], ["x/A.JPG"]),
        (["at 9.41 AM.png"], ["x/at 9.41\u202fam.png"], ["x/at 9.41\u202fam.png"]),
        (["A.jpg", "a.jpg"], ["x/a.jpg", "x/A.jpg"], ["x/A.jpg", "x/a.jpg"]),
        (["A.jpg", "a.jpg"], ["x/a.jpg"], ["the picture A.jpg is missing", "x/a.jpg"]),
        (["a.jpg"], ["one/a.jpg", "two/a.jpg"], [f"{several}one/a.jpg, two/a.jpg"]),
        (["a.jpg", "b.jpg"], ["one/a.jpg", "two/a.jpg", "two/b.jpg"], ["two/a.jpg", "two/b.jpg"]),
        (["cam1/a.jpg", "cam2/a.jpg"], ["a.jpg"], [f"the picture cam{n}/a.jpg is missing" for n in (1, 2)]),
        (["a.jpg", "cam1/a.jpg"], ["x/cam1/a.jpg"], ["the picture a.jpg is missing", "x/cam1/a.jpg"]),
        (["set/cam1/a.jpg", "set/cam2/a.jpg"], ["p/cam1/a.jpg", "p/cam2/a.jpg"], ["p/cam1/a.jpg", "p/cam2/a.jpg"]),
        (["caf\u00e9.jpg"], ["x/cafe\u0301.jpg"], ["x/cafe\u0301.jpg"]),
        (["a.jpg"], ["a.png"], ["the picture a.jpg is missing"]),
    ]
    assert [found(paths, *there) for paths, there, _ in table] == [expected for *_, expected in table]


def test_paths_without_endings_take_a_picture_of_any_ending() -> None:
    folders = {"folders": ("images",), "endings": False}
    there = ["flickr30k_images/1.png", "flickr30k_images/2.JPG"]
    assert found(["1.jpg", "2.jpg"], *there, **folders) == there
    (told,) = found(["1.jpg"], "x/1.png", "x/1.jpg", **folders)
    assert told == "the picture 1.jpg is there several times: x/1.jpg, x/1.png"


def test_pictures_of_which_none_is_named_are_an_error_that_says_what_is_where() -> None:
    with pytest.raises(SourceError) as raised:
        FoundPictures(Named("pics/b.jpg", "pics/c.jpg"), ["a.jpg"]).check("captions.json")
    assert str(raised.value) == (
        "captions.json: names 1 picture (a.jpg), and the source has 2 pictures (pics/b.jpg, pics/c.jpg), but no two "
        "names agree: nothing was imported"
    )
    FoundPictures(Named(), ["a.jpg"]).check("captions.json")  # a source may have no pictures at all
