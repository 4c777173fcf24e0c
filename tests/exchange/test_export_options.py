"""Options of exports: pictures, parts, and what is sure enough or seen by people."""

import json
import re
from collections import Counter
from dataclasses import replace
from io import BytesIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from PIL import Image as Pillow
from pyarrow import parquet

from annotation.models import Project
from annotation.rules.box import Box
from exchange.dataset import AnswerTally, DatasetBox, DatasetChain, DatasetImage, DatasetMention, NegativePhrase
from exchange.export_dataset import export_dataset
from exchange.export_options import ExportOptions, draw_splits, filtered, parts_by_image, read_shares, read_splits
from exchange.export_pictures import scaled
from exchange.formats.phrases import ExportNote
from exchange.import_dataset import import_dataset
from exchange.registry import export_formats
from exchange.split_captions import joined_caption
from simulation.scenes.scene import write_source
from tests.support import flickr30k_reader
from tests.support.grounding_readers import READERS
from tests.support.projects import phrases, project_of
from tests.support.table import row


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """Three finished scenes with pictures."""
    write_source(tmp_path / "source", 5, 3)
    import_dataset(project_name="parks", path=tmp_path / "source")
    return Project.objects.get()


def export(project: Project, target: Path, export_format: str, *options: str) -> Path:
    call_command("export_dataset", project.name, str(target), "--format", export_format, *options)
    return target


@pytest.mark.slow
@pytest.mark.django_db
def test_every_format_takes_pictures_as_they_came_or_smaller_with_boxes_in_their_pixels(
    project: Project, tmp_path: Path
) -> None:
    given = {file.name: file.read_bytes() for file in (tmp_path / "source").rglob("*.jpg")}
    for export_format in export_formats():
        out = export(project, tmp_path / export_format, export_format, "--pictures")
        if export_format == "parquet":
            rows = [row for file in out.rglob("*.parquet") for row in parquet.read_table(file)["image"].to_pylist()]
            found = {row["path"]: row["bytes"] for row in rows}
        else:
            found = {file.name: file.read_bytes() for file in out.rglob("*.jpg")}
        assert found == given
        if export_format in READERS:
            half = export(project, tmp_path / f"{export_format}-half", export_format, "--longest-side", "320")
            assert_alike(export_format, out, half)


def assert_alike(export_format: str, whole: Path, half: Path) -> None:
    """Raise AssertionError unless the same phrases have the same boxes in smaller pictures."""
    place = "" if export_format in ("hub", "parquet") else "annotations.json" + "l" * (export_format != "mdetr")
    for large, small in zip(READERS[export_format](whole / place), READERS[export_format](half / place), strict=True):
        assert (large.caption, large.start, large.end) == (small.caption, small.start, small.end)
        by = max(size_of(half, small.file_name)) / max(size_of(whole, large.file_name))
        assert max(size_of(half, small.file_name)) == 320
        for before, after in zip(large.boxes, small.boxes, strict=True):
            assert all(abs(by * edge - own) <= 1 for edge, own in zip(before, after, strict=True))


def size_of(folder: Path, file_name: str) -> tuple[int, int]:
    """Return the size of the picture of this name."""
    for file in folder.rglob("*.parquet"):
        rows = parquet.read_table(file)["image"].to_pylist()
        (data,) = (row["bytes"] for row in rows if row["path"] == file_name)
        with Pillow.open(BytesIO(data)) as opened:
            return opened.size
    with Pillow.open(next(folder.rglob(Path(file_name).name))) as opened:
        return opened.size


@pytest.mark.django_db
def test_a_picture_that_its_camera_turned_is_written_upright(tmp_path: Path) -> None:
    folder = tmp_path / "source"
    folder.mkdir()
    exif = Pillow.Exif()
    exif[0x0112] = 6
    with Pillow.new("RGB", (40, 20)) as lying:
        lying.save(folder / "one.jpg", exif=exif)
    (folder / "captions.csv").write_text("image,caption\none.jpg,[/people a man]\n")
    import_dataset(project_name="turned", path=folder)

    out = tmp_path / "out"
    export(Project.objects.get(), out, "coco", "--pictures", "--include-unmerged")

    with Pillow.open(out / "images" / "one.jpg") as upright:
        assert (upright.size, upright.getexif().get(0x0112, 1)) == ((20, 40), 1)


@pytest.mark.django_db
@pytest.mark.parametrize("export_format", ["coco", "hub", "parquet"])
def test_a_picture_that_becomes_a_jpeg_never_takes_the_name_of_another(tmp_path: Path, export_format: str) -> None:
    folder = tmp_path / "source"
    folder.mkdir()
    for name in ("a.png", "a.jpg", "b.png"):
        Pillow.new("RGB", (40, 20)).save(folder / name)
    (folder / "captions.csv").write_text("image,caption\na.png,a [man]\na.jpg,a [man]\nb.png,a [man]\n")
    import_dataset(project_name="alike", path=folder)

    out = tmp_path / "out"
    export(Project.objects.get(), out, export_format, "--longest-side", "16", "--include-unmerged")

    if export_format == "parquet":
        (file,) = out.rglob("*.parquet")
        names = parquet.read_table(file)["file_name"].to_pylist()
    else:
        names = [file.name for file in out.rglob("*.jpg")]
    assert sorted(names) == ["a.jpg", "a.png.jpg", "b.jpg"]


@pytest.mark.slow
@pytest.mark.django_db
def test_each_part_is_an_export_of_its_own_and_what_is_in_none_is_said(
    project: Project, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    names = list(project.images.order_by("position").values_list("name", flat=True))
    file = tmp_path / "splits.csv"
    file.write_text(f"image,part\n{names[0]}.jpg,train\n{names[1]}\tval\n")

    for export_format in export_formats():
        out = export(project, tmp_path / export_format, export_format, "--splits", str(file))
        files = (out / "data").iterdir() if export_format == "parquet" else out.iterdir()
        there = {re.split(r"[.-]", one.name)[0] for one in files}
        assert there - {"README", "croissant"} == {"train", "val"}
        assert "Images left out, because they are in no part of the split: 1." in capsys.readouterr().out
    assert [*flickr30k_reader.read(tmp_path / "flickr30k-entities" / "train")] == [names[0]]


@pytest.mark.django_db
@row(("--splits", "no.csv"), "no.csv cannot be read: No such file or directory")
@row(("--shares", "a=0.5,a=0.5"), "'a=0.5' is not a share")
def test_wrong_options_are_refused_before_anything_is_written(options: tuple[str, ...], told: str, tmp_path: Path):
    with pytest.raises(CommandError, match=told):
        export(project_of(phrases("people: a man")), tmp_path / "out", "coco", *options)
    assert not (tmp_path / "out").exists()


@pytest.mark.django_db
def test_of_the_whole_record_nothing_is_left_out(tmp_path: Path) -> None:
    project = project_of(phrases("people: a man"))
    for options in (ExportOptions(people_only=True), ExportOptions(min_confidence=0.5), ExportOptions(pictures=99)):
        with pytest.raises(ValueError, match="The format jsonl takes no "):
            export_dataset(project=project, target=tmp_path / "out", export_format="jsonl", options=options)


@row("a.jpg\n", "splits.csv, line 1: write IMAGE,PART")
@row("a.jpg,../x\n", "splits.csv, line 1: write IMAGE,PART")
@row("a.jpg,train\nb.jpg,train\n", "line 2: the project has no image 'b.jpg'")
@row("a.jpg,train\na,test\n", "line 2: the image 'a' is in 'train' already")
@row("\n", "The file of parts holds no lines IMAGE,PART")
@row("a.jpg,tr\0ain\n", "splits.csv has the control character")
def test_a_file_of_parts_that_cannot_be_used_is_refused_with_its_line(text: str, told: str) -> None:
    with pytest.raises(ValueError, match=told.replace(".", "\\.")):
        parts_by_image(read_splits("splits.csv", text.encode()), {"a": "a", "a.jpg": "a"})


def test_drawn_parts_have_their_shares_and_stay_when_images_are_added() -> None:
    shares = read_shares("train=0.8, val=0.1, test=0.1")
    names = [f"image {number}" for number in range(5000)]

    drawn = draw_splits(shares, 3, names)

    counts = Counter(drawn.values())
    assert all(abs(counts[part] / len(names) - share) < 0.02 for part, share in shares.items())
    assert draw_splits(shares, 3, names[:100]) == {name: drawn[name] for name in names[:100]}
    assert draw_splits(shares, 4, names) != drawn


def image(*boxes: DatasetBox, chains: tuple[DatasetChain, ...] = ()) -> DatasetImage:
    return DatasetImage("one", 100, 50, (), chains=chains, boxes=boxes)


def test_boxes_that_are_not_sure_enough_are_left_out_and_unknown_ones_counted() -> None:
    sure, unsure, unknown = (DatasetBox(Box(0, 0, 1, 1), ("1",), confidence=one) for one in (0.9, 0.4, None))
    counts: Counter[ExportNote] = Counter()

    (kept,) = filtered([image(sure, unsure, unknown)], ExportOptions(min_confidence=0.5), counts)

    assert kept.boxes == (sure, unknown)
    assert counts == {ExportNote.UNSURE: 1, ExportNote.UNKNOWN: 1}
    chain = DatasetChain("1", confidence=0.3)
    (none,) = filtered([image(sure, unknown, chains=(chain,))], ExportOptions(min_confidence=0.5), counts)
    assert none.boxes == ()


def test_boxes_and_flags_by_programs_alone_are_left_out_and_those_of_imports_kept() -> None:
    people, programs, both = (
        AnswerTally({"drawn": 1}),
        AnswerTally({}, {"p": {"drawn": 1}}),
        AnswerTally({"good": 1}, {"p": {}}),
    )
    own = [DatasetBox(Box(0, 0, 1, 1), answers=one) for one in (people, both, programs, AnswerTally(), None)]
    chains = DatasetChain("1", scene=True, answers=programs), DatasetChain("2", no_box=True, answers=people)
    counts: Counter[ExportNote] = Counter()

    (kept,) = filtered([image(*own, chains=chains)], ExportOptions(people_only=True), counts)

    assert [box.answers for box in kept.boxes] == [people, both, AnswerTally(), None]
    assert [(chain.scene, chain.no_box) for chain in kept.chains] == [(False, False), (False, True)]
    assert counts == {ExportNote.PROGRAMS: 1, ExportNote.FLAGS: 1}


def test_negatives_that_are_not_sure_enough_or_by_programs_alone_are_left_out_and_counted() -> None:
    chains = (
        DatasetChain("sure", no_box=True, confidence=0.9, box_confidence=0.8, answers=AnswerTally({"no box": 2})),
        DatasetChain("doubtful", no_box=True, confidence=0.9, box_confidence=0.5, answers=AnswerTally({"no box": 2})),
        DatasetChain("of programs", no_box=True, answers=AnswerTally({}, {"p": {"no box": 2}})),
        DatasetChain("boxed", no_box=True),
    )
    captions = (joined_caption(("a", "b", "c", "it", "e", "f"), non_visual=((3, 4), (5, 6))),)
    mentions = tuple(DatasetMention(0, place, place + 1, (), chain.name) for place, chain in enumerate(chains[:3]))
    mentions += (DatasetMention(0, 4, 5, (), "boxed"),)
    box = DatasetBox(Box(0, 0, 1, 1), ("boxed",))
    counts: Counter[ExportNote] = Counter()
    options = ExportOptions(min_confidence=0.5, people_only=True, negatives=True)

    (kept,) = filtered([replace(image(box, chains=chains), captions=captions, mentions=mentions)], options, counts)

    assert kept.negatives == (NegativePhrase(0, 0, 1, 0.72), NegativePhrase(0, 5, 6))
    assert (counts[ExportNote.UNSURE_NEGATIVES], counts[ExportNote.FLAGS]) == (1, 1)


def test_scaled_boxes_stay_inside_and_have_an_area() -> None:
    found = scaled(image(DatasetBox(Box(99, 49, 100, 50)), DatasetBox(Box(0, 0, 100, 50))), 10, 5)

    assert [box.box for box in found.boxes] == [Box(9, 4, 10, 5), Box(0, 0, 10, 5)]
    assert (found.width, found.height) == (10, 5)
    assert json.dumps(found.boxes[0].box) == "[9, 4, 10, 5]"
