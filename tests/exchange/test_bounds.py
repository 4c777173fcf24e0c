"""Bounds at the door: what is too large is refused with a sentence, before it is worked on.
Captions as people type and paste them: kept as given, compared and typed as they read.
"""

import json
import shutil
import subprocess
import sys
import zlib
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any
from xml.sax.expatreader import ExpatParser

import pytest
from PIL import Image as Picture

from annotation import bounds
from annotation.models import Caption, Image, Mention, Project
from exchange.checks import Defect, SourceError, read_bytes
from exchange.details import Details
from exchange.formats.captions_folder import read_folder
from exchange.formats.flickr30k.read import parse_annotations
from exchange.formats.text_streams import _Rows
from exchange.import_dataset import ImportReport, import_dataset
from pipeline.models import Entry, Progress
from pipeline.protocol.image.machine import EntryKind, RecordEntry
from pipeline.protocol.state.progress_json import from_json
from pipeline.record.read_record import replay, replayed
from pipeline.settings.settings import Settings
from tests.exchange.hostile_files import BYTES, HONEST, HOSTILE, cost, read_as, size_of
from tests.support.lines_run import lines_run
from tests.support.pictures import encoded, plain_jpeg
from tests.support.table import case, row

pytestmark = pytest.mark.django_db


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "images").mkdir()
    (tmp_path / "images" / "a.jpg").write_bytes(plain_jpeg())
    return tmp_path


def refusal(path: Path, project: str = "parks", *, gold: bool = False) -> str:
    """Import, and return the only problem."""
    report: ImportReport = import_dataset(project_name=project, path=path, gold=gold)
    assert (report.images, len(report.problems)) == (0, 1)
    return str(report.problems[0])


def jsonl(folder: Path, *captions: str) -> Path:
    line = json.dumps({"image": "a.jpg", "captions": captions})
    (folder / "captions.jsonl").write_text(line + "\n", encoding="utf-8")
    return folder


def entities(folder: Path, sentence: str, objects: str = "") -> Path:
    (folder / "Sentences").mkdir()
    (folder / "Sentences" / "a.txt").write_text(sentence, encoding="utf-8")
    (folder / "Annotations").mkdir()
    size = "<size><width>500</width><height>400</height></size>"
    (folder / "Annotations" / "a.xml").write_text(f"<annotation>{size}{objects}</annotation>", encoding="utf-8")
    return folder


def coco(folder: Path, captions: list[str], boxes: int = 0) -> Path:
    image = {"id": 1, "file_name": "a.jpg", "width": 40, "height": 30}
    rows = [{"id": n, "image_id": 1, "caption": text} for n, text in enumerate(captions)]
    (folder / "captions.json").write_text(json.dumps({"images": [image], "annotations": rows}))
    drawn = [{"id": n, "image_id": 1, "category_id": 1, "bbox": [0, 0, 2, 2]} for n in range(boxes)]
    instances = {"images": [image], "annotations": drawn, "categories": [{"id": 1, "name": "cat"}]}
    (folder / "instances.json").write_text(json.dumps(instances))
    return folder


@case("newlines", "", "\n", "5")
@case("nines", "", "9", "")
@case("zeros before", "", "0", "1")
@case("zeros behind", "1.", "0", "")
def test_ten_times_as_long_a_number_takes_about_ten_times_as_much_work(before: str, again: str, after: str):
    """Work that grew with the square would be a hundred times as much: two megabytes took 160 seconds once.

    Python itself refuses to make a number of so many digits, so a ValueError here tells that it was asked to.
    """

    def lines(length: int) -> int:
        number = f"{before}{again * length}{after}"
        data = f"<annotation><size><width>{number}</width><height>5</height></size></annotation>".encode()

        def read() -> None:
            try:
                parse_annotations(data, Details("a.xml", "a.jpg"))
            except Defect as defect:
                assert len(defect.message) < 200

        return lines_run(read)

    assert lines(50_000) < 15 * lines(5_000)


def test_the_lines_of_a_text_are_joined_once():
    class Line(str):
        def __radd__(self, before: str) -> str:
            raise AssertionError("a text that grows line by line is copied for each of them")

    rows = _Rows("annotation", ("width",), ExpatParser())  # type: ignore[no-untyped-call]
    rows.startElement("annotation", {})
    rows.startElement("width", {})
    for _ in range(3):
        rows.characters(Line("\n"))
    rows.endElement("width")
    assert [row.text for row in rows.done] == ["\n\n\n"]


def test_a_caption_of_five_million_characters_is_refused_before_its_words_are_found(
    folder: Path, monkeypatch: pytest.MonkeyPatch
):
    asked: list[str] = []
    monkeypatch.setattr("exchange.formats.coco.read.tokenized_caption", asked.append)
    source = coco(folder, ["a b c d e " * 500_000])
    assert "caption has 5,000,000 characters: at most 3,000 are allowed" in refusal(source)
    assert not asked


def test_a_long_caption_is_refused_in_a_folder_and_in_entities(folder: Path, tmp_path_factory: pytest.TempPathFactory):
    assert "caption 2 has 3,001 characters" in refusal(jsonl(folder, "a man", "m" * 3001))
    assert "caption 1 has 3,001 characters" in refusal(entities(tmp_path_factory.mktemp("entities"), "m" * 3001))


def test_a_caption_with_a_thousand_phrases_is_refused(folder: Path):
    assert "it has 1,000 phrases: at most 200 are allowed" in refusal(jsonl(folder, "[a] " * 1000))
    assert "caption 1 has 41 phrases: at most 40 are allowed" in refusal(jsonl(folder, "[a] " * 41))
    assert not Image.objects.exists()


def test_as_many_as_allowed_are_imported(folder: Path):
    most, a_caption = bounds.MOST_PHRASES, bounds.MOST_PHRASES_OF_CAPTION
    phrases = ["[a] " * a_caption] * (most // a_caption)
    long = ["m" * bounds.LONGEST_CAPTION] * (bounds.MOST_CAPTIONS_TO_ANNOTATE - len(phrases))
    assert import_dataset(project_name="parks", path=jsonl(folder, *phrases, *long)).images == 1


def test_too_many_captions_or_boxes_of_an_image_are_refused(folder: Path):
    to_annotate = "has 61 captions: at most 60 are allowed of an image that is still to be annotated, 200 of an image"
    assert to_annotate in refusal(coco(folder, ["a"] * 61))
    assert "has 201 captions: at most 200 are allowed" in refusal(coco(folder, ["a"] * 201))
    assert "has 1,001 boxes: at most 1,000 are allowed" in refusal(coco(folder, ["a"], boxes=1001))
    for name in ("captions.json", "instances.json"):
        (folder / name).unlink()
    assert "more than 60 captions" in refusal(jsonl(folder, *["a"] * 61))
    (folder / "captions.jsonl").unlink()
    (folder / "captions.csv").write_text("image,caption\n" + "a.jpg,a man\n" * 61)
    assert "more than 60 captions" in refusal(folder)


def annotated(folder: Path, count: int) -> Path:
    """Write an image with this number of captions, of which each is a phrase with a box of its own."""
    rows = [{"id": n, "file_name": "a.jpg", "width": 500, "height": 400, "caption": f"man {n}"} for n in range(count)]
    boxes = [{"image_id": n, "bbox": [n, 0, 9, 9], "tokens_positive": [[0, 4 + len(str(n))]]} for n in range(count)]
    (folder / "set.json").write_text(json.dumps({"images": rows, "annotations": boxes}))
    (folder / "images" / "a.jpg").unlink(missing_ok=True)
    return folder


def test_an_image_that_comes_with_its_chains_may_have_as_many_phrases_as_region_descriptions_have(folder: Path):
    assert import_dataset(project_name="parks", path=annotated(folder, bounds.MOST_PHRASES)).mentions == 200
    assert "has 201 captions: at most 200 are allowed" in refusal(annotated(folder, 201), "streets")


def test_an_image_whose_chains_are_gold_is_bound_by_what_can_be_planned_and_told_the_way_out(folder: Path):
    way_out = "at most 60 are allowed of an image that is still to be annotated, 200 if its chains are imported as"
    assert f"it has 61 captions: {way_out}" in refusal(annotated(folder, 61), gold=True)
    assert import_dataset(project_name="parks", path=annotated(folder, 60), gold=True).mentions == 60


def test_a_file_about_one_image_is_at_most_a_megabyte(folder: Path):
    entities(folder, "m" * (bounds.TEXT_BYTES + 1))
    assert "Sentences/a.txt: has 1,048,577 bytes: at most 1,048,576 are read" in refusal(folder)
    (folder / "Sentences" / "a.txt").write_text("a man")
    (folder / "Annotations" / "a.xml").write_text("<annotation>" + "\n" * bounds.TEXT_BYTES + "</annotation>")
    assert "Annotations/a.xml: has 1,048,601 bytes" in refusal(folder)


def test_a_caption_file_beyond_the_bound_is_not_read(folder: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("exchange.formats.captions_folder.TABLE_BYTES", 10)
    with pytest.raises(SourceError, match="at most 10 are read"):
        import_dataset(project_name="parks", path=jsonl(folder, "a man"))
    with pytest.raises(Defect, match="has 8 bytes: at most 5 are read"):
        (folder / "long.json").write_text("12345678")
        read_bytes(folder / "long.json", most=5)


def test_a_line_of_ten_megabytes_is_passed_over_and_the_next_one_is_read(folder: Path):
    jsonl(folder, "a man")
    lines = (folder / "captions.jsonl").read_text()
    (folder / "captions.jsonl").write_text('{"image": "' + "x" * 10_000_000 + '"}\n' + lines)
    report = import_dataset(project_name="parks", path=folder)
    assert report.images == 1
    assert "captions.jsonl:1: the line has more than 1,048,576 bytes" in str(report.problems[0])


def test_rows_of_a_table_that_all_open_a_quote_are_read_once_and_then_refused(
    folder: Path, monkeypatch: pytest.MonkeyPatch
):
    (folder / "captions.csv").write_text("image,caption\n" + 'a.jpg,"a man\n' * 11_000)
    with pytest.raises(SourceError, match="more than 10,000 lines that cannot be read"):
        import_dataset(project_name="parks", path=folder)

    def refused_after(most: int) -> int:
        monkeypatch.setattr("exchange.formats.captions_folder.MOST_BAD_LINES", most)

        def read() -> None:
            with pytest.raises(SourceError, match=f"more than {most} lines"):
                list(read_folder(folder))

        return lines_run(read)

    assert refused_after(400) < 15 * refused_after(40)


def test_a_picture_file_beyond_the_bound_is_left_out(folder: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("annotation.decode_picture.PICTURE_BYTES", 100)
    assert "bytes, and at most 100 are allowed" in refusal(jsonl(folder, "a man"))


CAPTIONS = (
    "[the caf\u00e9] and [a man]",
    "[the cafe\u0301] and [a man\u200b]",
    "[the caf\u00e9\u2026] and [a ma\u00adn]",
    "[the \u201ccaf\u00e9\u201d] \u200b and [a man\U0001f600]",
)


@pytest.fixture
def project(tmp_path: Path) -> Project:
    (tmp_path / "street.jpg").write_bytes(plain_jpeg())
    rows = "".join(f'street.jpg,"{caption}"\n' for caption in CAPTIONS)
    (tmp_path / "captions.csv").write_text(f"image,caption\n{rows}")
    import_dataset(project_name="odd", path=tmp_path)
    return Project.objects.get(name="odd")


def test_phrases_that_read_alike_have_one_type_and_one_head_and_captions_stay_as_they_came(project: Project) -> None:
    plain = [caption.replace("[", "").replace("]", "") for caption in CAPTIONS]
    assert list(Caption.objects.order_by("number").values_list("text", flat=True)) == plain
    for caption in Caption.objects.all():
        for mention in caption.mentions.all():
            begin, end = caption.offsets[mention.start], caption.offsets[mention.end - 1]
            assert caption.text[begin:].startswith(caption.words[mention.start])
            assert caption.text[end:].startswith(caption.words[mention.end - 1])
    assert {tuple(types) for types in Mention.objects.values_list("types", flat=True)} == {("scene",), ("people",)}
    progress = from_json(Progress.objects.get(project=project).state)
    linked = [mention.for_links() for mention in progress.mentions.values()]
    assert {(one.head, one.words) for one in linked} == {("caf\u00e9", ("the", "caf\u00e9")), ("man", ("a", "man"))}
    assert list(replay(project)) == []


def test_records_from_before_fold_to_the_heads_that_they_had(project: Project) -> None:
    first = Entry.objects.get(image__project=project, sequence=0)
    old = {"mentions": [row[:7] for row in first.data["mentions"]]}
    progress = replayed([(RecordEntry(0, EntryKind.IMPORT, old), 1)], {1: Settings()})
    assert [mention.head for mention in progress.mentions.values()] == [
        "caf\u00e9", "man", "cafe\u0301", "man\u200b", "caf\u00e9\u2026", "ma\u00adn",
        "\u201ccaf\u00e9\u201d", "man\U0001f600",
    ]  # fmt: skip


# --- Files made to take far more time or memory than their size ---


@pytest.fixture(scope="module")
def honest(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], tuple[float, float]]:
    """Return the lines and the memory that a byte of an honest file of a format takes."""

    @cache
    def of_a_byte(kind: str) -> tuple[float, float]:
        small, large = (tmp_path_factory.mktemp("honest") for _ in range(2))
        HONEST[kind](small, 100)
        HONEST[kind](large, 50 * BYTES // size_of(small))
        read_as(kind, small)  # dictionaries and patterns are loaded once
        lines, memory, refused = cost(kind, large)
        assert not refused
        return lines / size_of(large), memory / size_of(large)

    return of_a_byte


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "harm"), HOSTILE, ids=[": ".join(one) for one in HOSTILE])
def test_a_file_that_means_harm_takes_at_most_ten_times_what_an_honest_one_of_its_size_takes(
    kind: str, harm: str, honest: Callable[[str], tuple[float, float]], tmp_path: Path
):
    lines, memory = honest(kind)
    HOSTILE[kind, harm](tmp_path)
    size = max(size_of(tmp_path), 4_000)  # what a reader takes for any file counts little
    ran, held, _ = cost(kind, tmp_path)
    assert ran <= 10 * lines * size
    assert held <= 10 * memory * size


@row(10**30, "images[0].id is a whole number of more than 64 bits: write it as a text")
@row(1e30, "images[0].id is a whole number of more than 64 bits: write it as a text")
@row("x" * 201, "images[0].id has 201 characters: at most 200 are allowed")
def test_an_id_is_neither_a_huge_number_nor_a_long_text(number: Any, told: str, folder: Path):
    source = coco(folder, ["a man"])
    content = json.loads((source / "captions.json").read_text())
    content["images"][0]["id"] = number
    (source / "captions.json").write_text(json.dumps(content))
    problems = import_dataset(project_name="parks", path=source).problems
    assert told in str(problems[0])


# --- Pictures that are far more than their file ---


def chunk(kind: bytes, data: bytes) -> bytes:
    return len(data).to_bytes(4, "big") + kind + data + zlib.crc32(kind + data).to_bytes(4, "big")


def png(width: int, height: int, *chunks: bytes) -> bytes:
    head = width.to_bytes(4, "big") + height.to_bytes(4, "big") + bytes([8, 0, 0, 0, 0])
    pixels = chunk(b"IDAT", zlib.compress(bytes(width + 1) * height))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + b"".join(chunks) + pixels + chunk(b"IEND", b"")


def scans(count: int) -> bytes:
    """Return a JPEG whose last scan, of a few bytes, comes again and again."""
    data = encoded(Picture.new("L", (40, 30), 100), "JPEG", progressive=True)
    return data[:-2] + data[data.rfind(b"\xff\xda") : -2] * count + b"\xff\xd9"


PACKED = zlib.compress(bytes(50_000_000))
GIF = encoded(Picture.new("P", (9, 9)), "GIF", save_all=True, append_images=[Picture.new("P", (9, 9), 1)] * 50)
EXIF = b"Exif\0\0II*\0\x08\0\0\0\x01\0\x69\x87\x04\0\x01\0\0\0\x08\0\0\0\x08\0\0\0"
HARMFUL: dict[str, tuple[bytes, str]] = {
    "more_pixels_than_any.png": (png(9_000, 9_000), "at most 80,000,000 pixels are allowed"),
    "much_larger_than_its_file.webp": (
        encoded(Picture.new("RGB", (8_000, 3_000)), "WEBP", lossless=True, method=0),
        "at most 20,000,000 pixels are allowed in WebP",
    ),
    "canvas.gif": (GIF[:6] + b"\xff" * 4 + GIF[10:], "declares a size that no photograph has"),
    "text.png": (png(4, 4, chunk(b"zTXt", b"k\0\0" + PACKED)), "is damaged: Decompressed data too large"),
    "other_text.png": (png(4, 4, chunk(b"iTXt", b"k\0\1\0\0\0" + PACKED)), "is damaged: Decompressed data too large"),
    "profile.png": (png(4, 4, chunk(b"iCCP", b"k\0\0" + PACKED)), "is damaged: Decompressed data too large"),
    "scans.jpg": (scans(100), "scans, and at most 50 are allowed: save it anew"),
    "cut_off.jpg": (plain_jpeg(400, 400)[:-100], "is truncated: its end is missing"),
    "drawing.png": (b'<svg xmlns="http://www.w3.org/2000/svg"/>', "is not a picture (JPEG, PNG, WebP, GIF or BMP)"),
    "empty.jpg": (b"", "is not a picture (JPEG, PNG, WebP, GIF or BMP)"),
}
HARMLESS = {
    "a.jpg": plain_jpeg(),
    "moving.gif": GIF,
    "page.jpg": plain_jpeg() + b"<script>alert(1)</script>",
    "circle.jpg": b"\xff\xd8\xff\xe1" + (len(EXIF) + 2).to_bytes(2, "big") + EXIF + plain_jpeg()[2:],
}
MEASURED = """
import sys
from pathlib import Path
from resource import RUSAGE_SELF, getrusage
from annotation.decode_picture import PictureError, verify_picture
verify_picture(Path(sys.argv[1]))
before = getrusage(RUSAGE_SELF).ru_maxrss
for name in sys.argv[2:]:
    try:
        verify_picture(Path(name))
    except PictureError as error:
        print(name, error, file=sys.stderr)
print(getrusage(RUSAGE_SELF).ru_maxrss - before)
"""


@pytest.mark.slow
@pytest.mark.parametrize("packed", [False, True])
def test_pictures_that_mean_harm_are_left_out_by_name_and_others_imported(folder: Path, *, packed: bool):
    named = {**HARMLESS, **{name: data for name, (data, _) in HARMFUL.items()}}
    for name, data in named.items():
        (folder / "images" / name).write_bytes(data)
    (folder / "captions.csv").write_text("image,caption\n" + "".join(f"{name},a man\n" for name in named))
    path = Path(shutil.make_archive(str(folder.parent / "packed"), "zip", folder)) if packed else folder

    report = import_dataset(project_name="parks", path=path)

    told = {problem.image: problem.message for problem in report.problems}
    assert (report.images, told.keys()) == (len(HARMLESS), HARMFUL.keys())
    assert [name for name, (_, reason) in HARMFUL.items() if reason not in told[name]] == []


@pytest.mark.slow
def test_pictures_that_mean_harm_are_refused_before_they_fill_the_memory(tmp_path: Path):
    named = {"first.webp": encoded(Picture.new("RGB", (9, 9)), "WEBP")} | {
        name: one for name, (one, _) in HARMFUL.items()
    }
    for name, data in named.items():
        (tmp_path / name).write_bytes(data)
    names = [str(tmp_path / name) for name in named]
    ran = subprocess.run([sys.executable, "-c", MEASURED, *names], capture_output=True, text=True, check=True)
    assert len(ran.stderr.splitlines()) == len(HARMFUL)
    assert int(ran.stdout) < 16_000, "kB"
