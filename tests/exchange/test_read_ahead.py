"""Large imports in pieces: the same rows, whoever prepares the images, and however often somebody stops."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from annotation.models import Project
from annotation.pictures import store_picture
from exchange import import_dataset as importing
from exchange import read_ahead
from exchange.dataset import DatasetCaption, DatasetImage, Problem
from exchange.formats.captions_folder import CAPTIONS_FOLDER, read_folder
from exchange.import_dataset import ImportReport, import_dataset
from exchange.read_ahead import PHRASES, PiecesAhead, ReadAhead, WorkAhead, help_with_import
from exchange.registry import FORMATS
from pipeline.models import Entry
from pipeline.project.settings_versions import open_project
from runtime import clock, pieces
from runtime.disk_errors import StorageError
from runtime.models import JobRun
from runtime.runs import HELD
from tests.support.pictures import plain_jpeg

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("empty_storage")]
RUN = "an import"
Ask = Callable[[WorkAhead, int], object]


class TwoWords:
    """A chunker for which the first two words of each caption are a phrase."""

    def chunk_many(self, captions: Iterable[Any]) -> Iterator[list[tuple[int, int]]]:
        for words in captions:
            yield [(0, min(2, len(words)))]


@pytest.fixture(autouse=True)
def _pieces_of_two(monkeypatch: pytest.MonkeyPatch) -> None:
    """Imports of three images are large; four pieces of two are read ahead."""
    for name, value in (("LEAST_IMAGES", 3), ("PIECE_IMAGES", 2), ("MOST_AHEAD", 4), ("LOOK_SECONDS", 0)):
        monkeypatch.setattr(read_ahead, name, value)
    for module in (importing, read_ahead):
        monkeypatch.setattr(module, "make_chunker", lambda *_: TwoWords())
    monkeypatch.setattr(read_ahead, "why_no_chunker", lambda _: "")
    monkeypatch.setattr(read_ahead, "IDLE_SECONDS", 0)


@pytest.fixture
def parks(tmp_path: Path) -> Path:
    """Eleven images with captions whose phrases are not marked; the picture of one is cut off."""
    folder = tmp_path / "parks"
    folder.mkdir()
    lines = ["image,caption\n"]
    for number in range(11):
        (folder / f"{number:02}.jpg").write_bytes(plain_jpeg(40 + number))
        lines += [f"{number:02}.jpg,A dog runs .\n", f"{number:02}.jpg,Number {number} of the parks .\n"]
    (folder / "captions.csv").write_text("".join(lines))
    (folder / "04.jpg").write_bytes((folder / "04.jpg").read_bytes()[:-200])
    return folder


def imported(name: str, folder: Path, ask: Ask | None = None, **options: Any) -> tuple[Project, ImportReport]:
    """Import the folder: ahead of what is written if there is somebody to ask for help."""
    project = Project.objects.filter(name=name).first() or open_project(name=name)
    JobRun.objects.get_or_create(key=RUN, defaults={"state": "running", "held_until": clock.now()})
    ahead = ReadAhead(project, RUN, ask, options.pop("look", lambda: None)) if ask else None
    try:
        return project, import_dataset(project=project, path=folder, ahead=ahead, **options)
    finally:
        if ahead:
            ahead.forget()


def contents(project: Project) -> list[Any]:
    images = project.images.order_by("position").values_list("name", "path", "position", "picture", "state")
    entries = Entry.objects.filter(project=project).order_by("image__position", "sequence")
    return [*images, *entries.values_list("kind", "data", "settings_version")]


def nobody(work: WorkAhead, number: int) -> None:
    """Do not help."""


@pytest.mark.both_engines
@pytest.mark.parametrize("ask", [nobody, lambda work, _: help_with_import(work)])
def test_the_rows_are_those_of_one_process_that_reads_nothing_ahead(parks: Path, ask: Ask) -> None:
    alone, told = imported("alone", parks)
    ahead, told_ahead = imported("ahead", parks, ask)
    assert alone.images.count() == 10
    assert contents(ahead) == contents(alone)
    assert told_ahead.problems == told.problems
    assert "04.jpg" in str(told.problems)
    assert not JobRun.objects.exclude(key=RUN).exists()


def test_whoever_helps_leaves_nothing_to_do(parks: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def ask(work: WorkAhead, _: int) -> None:
        help_with_import(work)
        patched = monkeypatch.setattr
        patched(read_ahead.PiecesAhead, "make_one", lambda _: pytest.fail("a piece was left"))
        patched(importing, "make_chunker", lambda *_: pytest.fail("phrases were left"))

    (parks / "04.jpg").write_bytes(plain_jpeg())
    monkeypatch.setattr(read_ahead, "MOST_AHEAD", 6)
    assert imported("ahead", parks, ask)[1].images == 11


def test_another_machine_finds_phrases_and_leaves_pictures_that_it_cannot_read(parks: Path) -> None:
    made: list[str] = []

    def ask(work: WorkAhead, _: int) -> None:
        help_with_import(work._replace(machine="elsewhere"))
        made.extend(row.key for row in JobRun.objects.filter(state="done"))
        assert JobRun.objects.filter(state="waiting", key__endswith="pictures").count() > 0

    project, _ = imported("ahead", parks, ask)
    assert made
    assert all(key.endswith(PHRASES) for key in made)
    assert contents(project) == contents(imported("alone", parks)[0])


def test_an_import_that_was_stopped_goes_on_where_it_stood(parks: Path) -> None:
    def five(images: Iterable[DatasetImage | Problem], _: int) -> Iterator[DatasetImage | Problem]:
        for number, image in enumerate(images):
            if number == 5:
                raise KeyboardInterrupt
            yield image

    with pytest.raises(KeyboardInterrupt):
        imported("ahead", parks, nobody, progress=five)
    assert Project.objects.get(name="ahead").images.count() == 4
    assert not JobRun.objects.exclude(key=RUN).exists()
    project, told = imported("ahead", parks, nobody)
    assert told.already_there == 4
    assert contents(project) == contents(imported("alone", parks)[0])


def test_a_wish_to_stop_is_heard_while_others_make_the_pieces(parks: Path) -> None:
    def ask(work: WorkAhead, _: int) -> None:
        held = {"state": "running", "held_until": clock.now() + HELD, "holder": "another process"}
        JobRun.objects.exclude(key=RUN).update(**held)

    def stop() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        imported("ahead", parks, ask, look=stop)
    assert not JobRun.objects.exclude(key=RUN).exists()


def test_images_before_a_place_that_cannot_be_read_are_imported(parks: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    reader = read_folder

    def breaks(*places: Any) -> Iterator[DatasetImage | Problem]:
        for number, image in enumerate(reader(*places)):
            if number == 7:
                raise StorageError("the network is gone")
            yield image

    monkeypatch.setitem(FORMATS, "folder", replace(CAPTIONS_FOLDER, read=breaks))
    with pytest.raises(StorageError):
        imported("ahead", parks, nobody)
    assert Project.objects.get(name="ahead").images.count() == 6


def test_a_piece_whose_maker_fails_is_made_by_the_import(parks: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tries = [0]

    def fails_once(*what: Any, **more: Any) -> str:
        tries[0] += 1
        if tries[0] == 1:
            raise StorageError("the bucket did not answer")
        return store_picture(*what, **more)

    def ask(work: WorkAhead, _: int) -> None:
        if not tries[0]:
            with pytest.raises(StorageError):
                help_with_import(work)

    monkeypatch.setattr(read_ahead, "store_picture", fails_once)
    project, _ = imported("ahead", parks, ask)
    assert contents(project) == contents(imported("alone", parks)[0])


def test_a_piece_that_was_used_meanwhile_is_not_made_again(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = pieces.PieceRows(RUN)
    rows.add([("1", ["what"])])
    stale = rows.rows()
    rows.forget()
    monkeypatch.setattr(rows, "rows", lambda: stale)
    assert not rows.make_one(lambda _: pytest.fail("made"))
    assert not JobRun.objects.exists()


def test_no_row_is_given_a_character_that_it_cannot_hold() -> None:
    caption = DatasetCaption("a \0", ("a", "\0"), (0, 2), chunked=False)
    image = DatasetImage("1", 9, 9, (caption,), picture="\udcff.jpg")
    assert PiecesAhead(WorkAhead(RUN, "", open_project(name="odd").pk, 1, "", "folder", None)).add(0, [image]) == 0


def test_a_small_import_asks_nobody(parks: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(read_ahead, "LEAST_IMAGES", 12)
    imported("ahead", parks, lambda *_: pytest.fail("help"))


def test_a_piece_that_another_process_has_just_made_stays_as_it_is(parks: Path) -> None:
    def ask(work: WorkAhead, _: int) -> None:
        help_with_import(work)
        made = JobRun.objects.filter(state="done")
        before = list(made.values_list("key", "arguments"))
        made.update(state="waiting")  # as a process sees rows that it read a moment ago
        help_with_import(work)
        assert before == list(made.values_list("key", "arguments"))

    imported("ahead", parks, ask)
