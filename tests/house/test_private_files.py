"""Other users of the machine read nothing in the service's folder."""

import grp
import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured

from config.private_files import keep_private
from tests.house.test_settings import shown, start


@pytest.fixture(autouse=True)
def own_umask() -> Iterator[None]:
    """The test's process gets its umask back."""
    before = os.umask(0o022)
    yield
    os.umask(before)


def mode(path: Path) -> str:
    return oct(stat.S_IMODE(path.stat().st_mode))


def readable_by_others(folder: Path) -> list[str]:
    return [str(one) for one in (folder, *folder.rglob("*")) if one.stat().st_mode & 0o077]


def open_to_others(folder: Path, *names: str) -> Path:
    (folder / "media/full").mkdir(parents=True)
    for name in names:
        (folder / name).touch(0o644)
    return folder


def test_a_service_leaves_nothing_readable_to_other_users_and_closes_what_was(tmp_path: Path) -> None:
    folder = open_to_others(tmp_path / "var", "chainbox.sqlite3", "served_address", "media/full/a.jpg")
    code = (
        "__import__('django').setup(), s.SECRET_KEY,"
        "__import__('django.db').db.connection.ensure_connection(),"
        "__import__('django.core.files.storage').core.files.storage.default_storage.save('a/b.jpg',"
        "__import__('django.core.files.base').core.files.base.ContentFile(b'pixels'))"
    )
    done = start(code, folder)
    assert done.returncode == 0, done.stderr
    names = {path.name for path in folder.rglob("*")}
    assert {"chainbox.sqlite3", "secret_key", "a.jpg", "b.jpg"} <= names
    assert readable_by_others(folder) == []
    assert (mode(folder), mode(folder / "chainbox.sqlite3"), mode(folder / "media/a")) == ("0o700", "0o600", "0o700")


def test_a_new_folder_and_a_journal_that_was_left_open_are_closed(tmp_path: Path) -> None:
    assert keep_private(tmp_path / "new") == "" and mode(tmp_path / "new") == "0o700"
    folder = open_to_others(tmp_path / "var", "chainbox.sqlite3-wal")
    assert keep_private(folder) == "" and readable_by_others(folder) == []


def test_a_folder_that_cannot_be_made_stops_the_start_and_is_named() -> None:
    with pytest.raises(ImproperlyConfigured, match="CHAINBOX_DATA: the folder /dev/null/x cannot be made"):
        keep_private(Path("/dev/null/x"))


def test_a_file_that_was_left_open_in_a_closed_folder_is_closed(tmp_path: Path) -> None:
    tmp_path.chmod(0o700)
    (tmp_path / "chainbox.sqlite3").touch(0o644)
    assert keep_private(tmp_path) == ""
    assert mode(tmp_path / "chainbox.sqlite3") == "0o600"


def test_links_lead_nowhere_that_is_changed(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.touch(0o644)
    folder = tmp_path / "var"
    folder.mkdir()
    (folder / "link").symlink_to(outside)
    assert keep_private(folder) == ""
    assert mode(outside) == "0o644"


def test_a_folder_that_everybody_writes_to_is_left_as_it_is_and_named(tmp_path: Path) -> None:
    tmp_path.chmod(0o1777)
    (tmp_path / "of_others").touch(0o644)
    assert "a folder of its own" in keep_private(tmp_path)
    assert (mode(tmp_path), mode(tmp_path / "of_others")) == ("0o1777", "0o644")


def test_one_line_tells_that_permissions_cannot_be_set(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    tmp_path.chmod(0o755)
    monkeypatch.setattr(Path, "chmod", refuse)
    told = keep_private(tmp_path)
    assert told.count("\n") == 0
    assert "Other users of this machine may read files in" in told and "Operation not permitted" in told


def test_a_file_system_without_permissions_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tmp_path.chmod(0o755)
    monkeypatch.setattr(Path, "chmod", lambda *_, **__: None)
    assert "its file system keeps no permissions" in keep_private(tmp_path)


@pytest.mark.slow
def test_the_group_of_a_proxy_reads_pictures_and_page_files_and_nothing_else(tmp_path: Path) -> None:
    folder = open_to_others(tmp_path / "var", "chainbox.sqlite3", "media/full/a.jpg")
    group = grp.getgrgid(os.getgid()).gr_name
    expression = "oct(s.FILE_UPLOAD_PERMISSIONS), oct(s.FILE_UPLOAD_DIRECTORY_PERMISSIONS), s.FILES_GROUP"
    assert shown(expression, folder, FILES_GROUP=group) == str(("0o640", "0o2750", group))
    assert [keep_private(folder, group) for _ in range(2)] == ["", ""]
    found = [mode(folder / name) for name in ("", "chainbox.sqlite3", "media", "media/full", "media/full/a.jpg")]
    assert found == ["0o710", "0o600", "0o2750", "0o2750", "0o640"]


def test_a_group_that_does_not_exist_is_named_in_one_line(tmp_path: Path) -> None:
    told = keep_private(tmp_path, "no-such-group")
    assert "no-such-group" in told and told.count("\n") == 0
