"""An import that is stopped, fails or is refused leaves nothing half done, and can be run again."""

import shutil
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from django.db import connection

from annotation.models import Box, Caption, Chain, Gold, Image, KnownBox, Mention, MergedBox, Project
from exchange import import_dataset as importing
from exchange import import_image as writing
from exchange.dataset import DatasetImage, Problem
from exchange.import_dataset import StrictImportError, import_dataset
from pipeline.models import Entry, Progress, SettingsVersion
from pipeline.record.replay import replay

pytestmark = [pytest.mark.both_engines, pytest.mark.django_db, pytest.mark.usefixtures("empty_storage")]

TABLES = (Project, SettingsVersion, Image, Caption, Mention, Chain, Box, MergedBox, Gold, KnownBox, Entry, Progress)


def stop_at(number: int) -> Callable[[Iterable[DatasetImage | Problem], int], Iterable[DatasetImage | Problem]]:
    """The user presses Ctrl-C when this many images have been read."""

    def progress(images: Iterable[DatasetImage | Problem], total: int) -> Iterable[DatasetImage | Problem]:
        for count, image in enumerate(images):
            if count == number:
                raise KeyboardInterrupt
            yield image

    return progress


def stored_pictures(folder: Path) -> list[Path]:
    return [file for file in folder.rglob("*") if file.is_file()]


def rows() -> dict[str, int]:
    return {table.__name__: table.objects.count() for table in TABLES}


def contents() -> Any:
    """Return the imported rows, without ids and times."""
    return [
        list(Image.objects.order_by("position").values_list("name", "position", "width", "height", "state", "picture")),
        list(Caption.objects.order_by("image__position", "number").values_list("text", "words", "chunked")),
        list(Mention.objects.order_by("image__position", "number").values_list("number", "text", "types", "chain")),
        list(Chain.objects.order_by("image__position", "name").values_list("name", "state", "non_visual")),
        list(Box.objects.order_by("image__position", "number").values_list("chain", "x0", "y0", "x1", "y1", "state")),
        list(Gold.objects.order_by("image__position").values_list("chains", flat=True)),
        list(Entry.objects.order_by("image__position", "sequence").values_list("kind", "data", "settings_version")),
    ]


# --- Stopped and run again ---


@pytest.mark.parametrize("number", [0, 1, 2, 5])
@pytest.mark.parametrize("gold", [False, True])
def test_stopped_in_the_middle_and_run_again_nothing_is_double_or_lost(
    source: Path, number: int, *, gold: bool
) -> None:
    import_dataset(project_name="whole", path=source, gold=gold)
    whole = contents()
    Entry.objects.all()._raw_delete("default")
    for table in (Progress, Gold, Box, MergedBox, Chain, Mention, Caption):
        table.objects.all().delete()
    Image.objects.all().delete()
    with pytest.raises(KeyboardInterrupt):
        import_dataset(project_name="parks", path=source, gold=gold, progress=stop_at(number))
    assert Image.objects.count() == number
    report = import_dataset(project_name="parks", path=source, gold=gold)
    assert (report.images, report.already_there) == (6 - number, number)
    assert contents() == whole
    again = import_dataset(project_name="parks", path=source, gold=gold)
    assert (again.images, again.already_there) == (0, 6)
    assert contents() == whole
    assert list(replay(Project.objects.get(name="parks"))) == []


def test_an_image_that_fails_while_it_is_written_is_not_there_at_all(
    source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*args: Any, **options: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(writing, "begin_record", fail)
    with pytest.raises(KeyboardInterrupt):
        import_dataset(project_name="parks", path=source)
    assert (Image.objects.count(), Caption.objects.count(), Mention.objects.count()) == (0, 0, 0)


# --- Strict ---


def test_strict_refuses_everything_and_leaves_nothing_behind(pictured: Path, empty_storage: Path) -> None:
    last = sorted((pictured / "Sentences").glob("*.txt"))[-1]
    last.write_text("[/EN#1/people a man\n")
    with pytest.raises(StrictImportError) as refused:
        import_dataset(project_name="parks", path=pictured, strict=True)
    assert [problem.image for problem in refused.value.problems] == [last.stem]
    assert set(rows().values()) == {0}
    assert stored_pictures(empty_storage) == []


def test_strict_keeps_what_the_project_had_before(pictured: Path, empty_storage: Path) -> None:
    import_dataset(project_name="parks", path=pictured)
    before, pictures = contents(), stored_pictures(empty_storage)
    text = sorted((pictured / "Sentences").glob("*.txt"))[0]
    for name in ("new-1", "new-2"):  # the same picture again, and one of their own
        shutil.copy(text, text.with_name(f"{name}.txt"))
        shutil.copy(pictured / "Annotations" / f"{text.stem}.xml", pictured / "Annotations" / f"{name}.xml")
        shutil.copy(pictured / "images" / f"{text.stem}.jpg", pictured / "images" / f"{name}.jpeg")
    text.with_name("new-3.txt").write_text("[oops\n")
    with pytest.raises(StrictImportError):
        import_dataset(project_name="parks", path=pictured, strict=True)
    assert contents() == before
    assert stored_pictures(empty_storage) == pictures, "pictures of other images stay"


def test_strict_without_problems_imports_all(source: Path) -> None:
    assert import_dataset(project_name="parks", path=source, strict=True).images == 6


def test_a_strict_import_that_is_stopped_leaves_nothing_behind(pictured: Path, empty_storage: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        import_dataset(project_name="parks", path=pictured, strict=True, progress=stop_at(3))
    assert set(rows().values()) == {0}
    assert stored_pictures(empty_storage) == []


@pytest.mark.parametrize("strict", [False, True])
def test_nobody_waits_for_the_pictures_of_an_import(
    pictured: Path, empty_storage: Path, monkeypatch: pytest.MonkeyPatch, *, strict: bool
) -> None:
    """Pictures are decoded, and phrases found, while no transaction is open."""
    steps: list[str] = []

    def note(step: str) -> Callable[..., Any]:
        real = getattr(importing, step)

        def noted(*args: Any, **options: Any) -> Any:
            assert len(connection.savepoint_ids) == depth and connection.in_atomic_block == inside
            steps.append(step)
            return real(*args, **options)

        return noted

    depth, inside = len(connection.savepoint_ids), connection.in_atomic_block
    for step in ("verify_picture", "store_picture", "with_types"):
        monkeypatch.setattr(importing, step, note(step))
    report = import_dataset(project_name="parks", path=pictured, strict=strict)
    assert len(steps) == 3 * report.images > 0


def test_a_picture_that_was_replaced_after_a_strict_check_is_left_out(
    pictured: Path, empty_storage: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = sorted((pictured / "images").iterdir())[0]
    real = importing._checked

    @contextmanager
    def then_removed(images: Any) -> Iterator[Any]:
        with real(images) as checked:
            first.unlink()
            yield checked

    monkeypatch.setattr(importing, "_checked", then_removed)
    report = import_dataset(project_name="parks", path=pictured, strict=True)
    assert [problem.message for problem in report.problems] == ["the picture cannot be read: No such file or directory"]
    assert report.images == Image.objects.count() > 0
