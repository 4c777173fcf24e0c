"""Whatever stops the commands, the same command goes on: nothing is written, removed or inserted twice."""

from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError

from annotation.models import Project
from annotation.rules.states import ProjectState
from campaign.archive import bring_back as bringing
from campaign.archive import remove_rows, write_archive
from campaign.archive.manifest import Archive, ArchiveError, locked
from campaign.archive.rows import write_rows
from pipeline.record.replay import replay
from tests.campaign.archive.conftest import archive, bring_back
from tests.support.rows import make_project

pytestmark = pytest.mark.django_db


class Stopping:
    """A function in place of another one, at whose nth call the person presses Ctrl-C; 0: at none."""

    def __init__(self, real: Any, at: int) -> None:
        self.real, self.at, self.calls = real, at, 0

    def __call__(self, *args: Any, **options: Any) -> Any:
        self.calls += 1
        if self.calls == self.at:
            raise KeyboardInterrupt
        return self.real(*args, **options)


def test_files_that_were_written_are_not_written_again(
    small: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = write_archive._Writing._note
    first, second = (Stopping(real, at) for at in (9, 0))
    monkeypatch.setattr(write_archive._Writing, "_note", lambda *given: first(*given))
    with pytest.raises(CommandError, match="Run the same command again to continue"):
        archive(small, tmp_path / "archive")
    monkeypatch.setattr(write_archive._Writing, "_note", lambda *given: second(*given))
    archive(small, tmp_path / "archive")
    whole = Archive(tmp_path / "archive")
    assert second.calls == len(whole.manifest["files"]) - 8
    assert not list((tmp_path / "archive").rglob("*.partial"))


@pytest.fixture
def begun(small: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder of an archive that was stopped at its last step."""
    folder = tmp_path / "archive"
    with monkeypatch.context() as patched:
        patched.setattr(write_archive._Writing, "finish", Stopping(None, 1))
        with pytest.raises(CommandError, match="Stopped"):
            archive(small, folder)
    return folder


def test_an_archive_that_one_project_began_is_not_overwritten_by_another(begun: Path) -> None:
    before = sorted(begun.rglob("*"))
    other = make_project("other")
    Project.objects.filter(pk=other.pk).update(state=ProjectState.FINISHED.value)
    with pytest.raises(CommandError, match="holds an archive of another project"):
        archive(other, begun)
    assert sorted(begun.rglob("*")) == before


@pytest.mark.slow
def test_an_archive_that_begins_anew_leaves_other_files_alone(
    small: Project, begun: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (begun / "mine.txt").touch()
    monkeypatch.setattr(write_archive, "PIECE", 2)
    archive(small, begun)
    assert (begun / "mine.txt").exists() and len(Archive(begun).pieces) == 3


@pytest.mark.slow
def test_two_processes_neither_remove_nor_bring_back_the_same_rows(small: Project, tmp_path: Path) -> None:
    folder = tmp_path / "archive"
    archive(small, folder)
    with locked(folder), pytest.raises(CommandError, match="in use by another process"):
        archive(small, folder, "--remove")
    late = Project.objects.get(pk=small.pk)
    with locked(folder), pytest.raises(ArchiveError, match="in use by another process"):
        remove_rows.remove_rows(Archive(folder), late)
    archive(small, folder, "--remove")
    remove_rows.remove_rows(Archive(folder), late)
    late.refresh_from_db()
    assert late.away is not None and late.away["absent"] == 2, "it did not open the project whose rows are gone"
    with locked(folder), pytest.raises(CommandError, match="in use by another process"):
        bring_back(folder)


@pytest.mark.slow
def test_rows_leave_and_come_back_piece_by_piece(
    small: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def absent() -> int:
        small.refresh_from_db()
        return -1 if small.away is None else small.away["absent"]

    def stop(module: Any, name: str) -> None:
        with monkeypatch.context() as patched:
            patched.setattr(module, name, Stopping(getattr(module, name), 2))
            with pytest.raises(CommandError, match="Stopped"):
                archive(small, folder, "--remove") if module is remove_rows else bring_back(folder)

    folder = tmp_path / "archive"
    stop(remove_rows, "_remove")
    assert absent() == 1 and small.images.count() == 2, "the first three are away"
    archive(small, folder, "--remove")
    assert absent() == 2 and small.images.count() == 0
    stop(bringing, "_insert")
    assert absent() == 1 and small.images.count() == 2, "the last two are back"
    archive(small, folder, "--remove")
    assert absent() == 2
    bring_back(folder)
    assert absent() == -1 and small.images.count() == 5 and list(replay(small)) == []


def test_rows_are_compared_again_if_the_process_was_killed_before_it_removed_any(
    small: Project, tmp_path: Path
) -> None:
    archive(small, tmp_path / "archive")
    Project.objects.filter(pk=small.pk).update(away=remove_rows.away_of(Archive(tmp_path / "archive"), absent=0))
    small.images.update(width=1)
    with pytest.raises(CommandError, match=r"differ: annotation_image\.width"):
        archive(small, tmp_path / "archive", "--remove")
    small.refresh_from_db()
    assert small.away is None and small.images.count() == 5


@pytest.mark.slow
def test_every_row_of_a_kill_is_there_once(small: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A process that dies within a piece takes back what it did in it."""
    archive(small, tmp_path / "archive", "--remove")
    with monkeypatch.context() as patched:
        patched.setattr(bringing, "write_rows", Stopping(write_rows, 3))
        with pytest.raises(CommandError, match="Stopped"):
            bring_back(tmp_path / "archive")
    assert small.images.count() == 0
    bring_back(tmp_path / "archive")
    assert small.images.count() == 5
