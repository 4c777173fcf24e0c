"""Data sets of grounding are read back as they were written.
Whatever is written for trainers is what their readers read: spans, boxes and equal phrases, one by one.
Broken data sets of grounding are named by file, line and key, and nothing of them is imported by half.
Parquet files of the hub: shards of bounded size, pictures inside, and what else data sets there look like.
"""

import json
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pyarrow
import pytest
from django.core.management import CommandError, call_command
from hypothesis import given, settings
from pyarrow import parquet

from annotation.models import Image, Project
from annotation.rules.box import Box
from exchange.checks import SourceError
from exchange.dataset import DatasetBox, DatasetChain, DatasetImage, DatasetMention, Problem
from exchange.export_dataset import export_dataset
from exchange.export_options import ExportOptions
from exchange.formats import detect
from exchange.formats import parquet as writer
from exchange.formats.chat import SIGNS
from exchange.formats.format import Loss
from exchange.formats.hub import objects_of
from exchange.formats.parquet import ParquetPictures
from exchange.formats.parquet_pages import page_sizes
from exchange.formats.phrases import ExportNote, grounded, note_sentences
from exchange.import_dataset import import_dataset
from exchange.registry import FORMATS, installed_formats
from exchange.split_captions import character_span, joined_caption
from pipeline.record.read_record import replay
from simulation.scenes.scene import write_source
from studies.interop.sources import made_images
from studies.interop.sources import write_source as write_interop_source
from tests.exchange.grounding.sets import FILES, Edit, read, set_of, without, written
from tests.support.data_files import write_data
from tests.support.dataset_images import several_images
from tests.support.grounding_readers import READERS, Read
from tests.support.pictures import plain_jpeg
from tests.support.projects import phrases, project_of
from tests.support.table import row

SHARD = "data/train-00000-of-00001.parquet"


@pytest.mark.django_db
@pytest.mark.parametrize(("export_format", "file"), (FILES | {"parquet": SHARD}).items())
def test_an_export_that_is_imported_and_exported_again_has_the_same_bytes(
    tmp_path: Path, export_format: str, file: str
) -> None:
    write_source(tmp_path / "source", 5, 4, pictures=FORMATS[export_format].with_pictures)
    import_dataset(project_name="first", path=tmp_path / "source")
    for name in ("first", "second"):
        (tmp_path / name).mkdir()
        target = tmp_path / name if FORMATS[export_format].with_pictures else tmp_path / name / file
        report = export_dataset(project=Project.objects.get(name=name), target=target, export_format=export_format)
        assert report.images == 4
        if name == "first":
            assert detect(tmp_path / name).name == export_format
            imported = import_dataset(project_name="second", path=tmp_path / name)
            assert (imported.images, imported.problems) == (4, [])

    assert (tmp_path / "first" / file).read_bytes() == (tmp_path / "second" / file).read_bytes()
    assert list(replay(Project.objects.get(name="second"))) == []


@pytest.mark.parametrize("export_format", FILES)
def test_captions_of_one_picture_are_one_image_and_phrases_with_the_same_boxes_one_chain(
    tmp_path: Path, export_format: str
) -> None:
    assert detect(written(tmp_path, export_format)).name == export_format
    image = read(tmp_path, export_format)[0]

    assert isinstance(image, DatasetImage)
    assert (image.path, image.width, image.height) == ("a/one.jpg", 100, 80)
    assert [caption.text for caption in image.captions] == ["A man and his dog .", "Two friends ."]
    chains = [one.chain for one in image.mentions]
    assert len({*chains}) == 3
    assert [(tuple(one.box), one.chains) for one in image.boxes] == [
        ((0, 0, 21, 60), (chains[0], chains[2])),
        ((30, 20, 50, 40), (chains[1], chains[2])),
    ]
    assert image.coco_id == (7 if export_format == "mdetr" else None)


def test_boxes_of_a_hub_folder_without_phrases_have_their_categories(tmp_path: Path) -> None:
    boxes = {"bbox": [[1, 1, 3, 3], [2, 2, 4, 4]], "categories": ["cat", 3]}
    row = {"file_name": "two.jpg", "width": 9, "height": 9, "text": "A cat .", "objects": boxes}
    (tmp_path / "metadata.jsonl").write_text(f"{json.dumps(row)}\n")

    (image,) = read(tmp_path, "hub")

    assert isinstance(image, DatasetImage)
    found = [(tuple(one.box), one.chains, one.category) for one in image.boxes]
    assert found == [((1, 1, 4, 4), (), "cat"), ((2, 2, 6, 6), (), "3")]
    assert not image.captions[0].chunked, "its phrases are still to be found"


def round_trip(export_format: str, images: Sequence[DatasetImage]) -> tuple[list[Read], Counter[ExportNote]]:
    """Return what a reader reads of what is written, and the notes that were counted."""
    notes: Counter[ExportNote] = Counter()
    with TemporaryDirectory() as name:
        place = write_data(FORMATS[export_format], images, Path(name), notes=notes)
        return READERS[export_format](place), notes


def phrases_of(images: Sequence[DatasetImage]) -> list[Read]:
    """Return the phrases with boxes of the images, as they went in."""
    found = []
    for image in images:
        for mention in sorted(image.mentions, key=lambda one: (one.caption, one.start)):
            own = tuple(sorted(tuple(one.box) for one in image.boxes if mention.chain in one.chains))
            caption = image.captions[mention.caption]
            if own:
                span = character_span(caption, mention.start, mention.end)
                found.append(Read(image.file_name, caption.text, *span, own))
    return found


@pytest.mark.slow
@pytest.mark.parametrize("export_format", READERS)
@settings(max_examples=40)
@given(images=several_images())
def test_every_phrase_with_a_box_is_read_with_its_span_and_boxes(export_format: str, images: list[DatasetImage]):
    plain = [image for image in images if not any(sign in one.text for one in image.captions for sign in SIGNS)]

    assert round_trip(export_format, plain)[0] == phrases_of(plain)


PAIR = DatasetImage(
    "pair", 100, 80,
    (joined_caption(("a", "man", "near", "a", "man")), joined_caption(("two", "dogs")), joined_caption(("night",))),
    (
        DatasetMention(0, 0, 2, ("people",), "1"), DatasetMention(0, 3, 5, ("people", "other"), "2"),
        DatasetMention(1, 0, 2, ("animals",), "3"), DatasetMention(2, 0, 1, ("scene",), "4"),
    ),
    (DatasetChain("1", confidence=0.9), DatasetChain("2"), DatasetChain("3"), DatasetChain("4", scene=True)),
    (
        DatasetBox(Box(0, 0, 10, 20), ("1",), confidence=0.8), DatasetBox(Box(50, 0, 60, 20), ("2",)),
        *(DatasetBox(Box(x, 40, x + width, 60), ("3",)) for x, width in ((20, 10), (60, 20))),
    ),
)  # fmt: skip


@pytest.mark.parametrize("export_format", READERS)
def test_equal_phrases_of_a_caption_stay_apart_and_every_loss_is_counted(export_format: str) -> None:
    found, notes = round_trip(export_format, [PAIR])

    assert [(one.start, one.end, one.boxes) for one in found] == [
        (0, 5, ((0, 0, 10, 20),)),
        (11, 16, ((50, 0, 60, 20),)),
        (0, 8, ((20, 40, 30, 60), (60, 40, 80, 60))),
    ]
    assert notes[ExportNote.NO_PHRASE] == (Loss.CAPTIONS in FORMATS[export_format].loses)
    assert [notes[one] for one in (ExportNote.NO_BOX, ExportNote.SEVERAL_BOXES, ExportNote.SEVERAL_TYPES)] == [1, 1, 1]
    assert "Phrases without a box, left out: 1." in note_sentences(notes)


@pytest.mark.django_db
@pytest.mark.parametrize("export_format", ["hub", "parquet"])
def test_no_caption_that_is_there_is_called_left_out(export_format: str, tmp_path: Path) -> None:
    write_interop_source(made_images(), tmp_path / "source")
    import_dataset(project_name="parks", path=tmp_path / "source")
    options: dict[str, Any] = {"export_format": export_format, "include_unmerged": True}
    report = export_dataset(project=Project.objects.get(), target=tmp_path / "out", **options)
    assert [note for note in report.notes if "left out" in note] == ["Phrases without a box, left out: 2."]


def test_a_phrase_is_as_sure_as_its_chain_and_all_its_boxes_and_hub_folders_hold_no_null_which_no_reader_loads():
    (image,) = grounded([PAIR], Counter())

    assert [one.confidence for caption in image.captions for one in caption.phrases] == [0.72, None, None]
    assert objects_of(image)["confidence"] == [0.72, -1.0, -1.0, -1.0]


@pytest.mark.parametrize(
    "sign", ["<image>", "<video>", "<audio>", "<bbox>", "<ref-object>", "<cot-process>", "<start-image>"]
)
def test_a_caption_that_holds_a_sign_of_the_format_is_left_out_of_conversations(sign: str) -> None:
    odd = DatasetImage(
        "odd", 9, 9, (joined_caption(("a", sign)),), (DatasetMention(0, 0, 1, (), "1"),), (DatasetChain("1"),),
        (DatasetBox(Box(0, 0, 1, 1), ("1",)),),
    )  # fmt: skip

    found, notes = round_trip("chat", [odd])

    assert found == []
    assert notes[ExportNote.NOT_MARKED] == 1


BROKEN_MDETR = {
    "another size": (set_of("images", 1, "width", to=90), "has 90 x 80 pixels here and 100 x 80 in images[0]"),
    "half a word": (set_of("annotations", 0, "tokens_positive", to=[[0, 4]]), "are not at the edges of words"),
}  # fmt: skip
IN_ODVG = (0, "grounding", "regions", 0)
BROKEN_ODVG = {
    "another size": (set_of(1, "width", to=90), "line 2: a/one.jpg has 90 x 80 pixels here and 100 x 80 in line 1"),
    "a phrase that is there twice": (
        set_of(0, "grounding", "caption", to="A man, his dog and his dog ."), "does not have 'his dog' once",
    ),
    "half a word": (
        lambda data: [set_of(*IN_ODVG, "tokens_positive", to=[[0, 4]])(data), without(*IN_ODVG, "phrase")(data)],
        "are not at the edges of words",
    ),
    "a chain that is no text": (set_of(*IN_ODVG, "chain", to=3), "line 1: regions[0].chain is a number, not a text"),
}  # fmt: skip
IN_HUB = (0, "objects")
BROKEN_HUB = {
    "a path twice": (set_of(1, "file_name", to="a/one.jpg"), "line 2: a/one.jpg has 9 x 9 pixels here and 100 x 80 in"),
    "no picture to measure": (
        lambda data: [without(0, side)(data) for side in ("width", "height")], "the picture a/one.jpg is missing",
    ),
    "lists of other lengths": (set_of(*IN_HUB, "start", to=[0]), "the lists differ in length: bbox 4, categories 4"),
    "half a word": (lambda data: [set_of(*IN_HUB, "end", 0, to=4)(data), without(*IN_HUB, "phrase")(data)],
                    "are not at the edges of words"),
    "neither phrase nor category": (
        lambda data: [without(*IN_HUB, name)(data) for name in ("caption", "categories")],
        "has neither a phrase (caption, start, end) nor a category",
    ),
}  # fmt: skip


def every(column: str, value: Any) -> Edit:
    """Return an edit that sets a column of all rows: it holds one kind of value."""
    return lambda data: [row.update({column: value}) for row in data]


def every_list(column: str, *values: Any) -> Edit:
    """Return an edit that sets a list of `objects`; the second row has none."""
    return lambda data: [row["objects"].update({column: [*values] * (not place)}) for place, row in enumerate(data)]


NO_PICTURE = {"bytes": b"no picture", "path": "a/one.jpg"}
BROKEN_PARQUET = {
    "another size": (set_of(1, "width", to=8), "the picture is 9 x 9 pixels upright, 8 x 9 is left out"),
    "captions of bytes": (every("captions", [b"x"]), "row 2: captions[0] is bytes, not a text"),
    "objects that are a list": (every("objects", [{"bbox": [1, 2, 3, 4]}]), "objects is a list, not an object of"),
    "objects that are a text": (every("objects", "x"), "row 1: objects is a text, not an object of lists"),
    "lists of other lengths": (set_of(*IN_HUB, "start", to=[0]), "the lists differ in length: bbox 4, categories 4"),
    "a span of text": (every_list("start", *"abcd"), "['a', 5) is no part of a caption of 19 characters"),
    "half a word": (
        lambda data: [set_of(*IN_HUB, "end", 0, to=4)(data), *(row["objects"].pop("phrase") for row in data)],
        "are not at the edges of words",
    ),
    "neither phrase nor category": (
        lambda data: [row["objects"].pop(name) for row in data for name in ("caption", "categories")],
        "has neither a phrase (caption, start, end) nor a category",
    ),
    "no picture": (set_of(1, "image", "bytes", to=None), "two.jpg is neither in its row nor beside the file"),
    "a picture that is none": (set_of(0, "image", to=NO_PICTURE), "the picture a/one.jpg is not"),
}  # fmt: skip
BROKEN = {"hub": BROKEN_HUB, "parquet": BROKEN_PARQUET, "mdetr": BROKEN_MDETR, "odvg": BROKEN_ODVG}


@pytest.mark.parametrize(
    ("export_format", "edit", "told"),
    [pytest.param(of, *one, id=f"{of}: {name}") for of, broken in BROKEN.items() for name, one in broken.items()],
)
def test_a_broken_file_is_named_with_the_place(tmp_path: Path, export_format: str, edit: Edit, told: str) -> None:
    found = read(written(tmp_path, export_format, edit), export_format)

    problems = [one for one in found if isinstance(one, Problem)]
    assert any(told in str(one) for one in problems), [str(one) for one in problems]
    assert all(str(one).startswith(FILES[export_format]) for one in problems)


@pytest.mark.slow
@pytest.mark.django_db
@pytest.mark.parametrize("export_format", FILES)
def test_an_image_with_one_broken_phrase_is_imported_without_it(tmp_path: Path, export_format: str) -> None:
    broken = {"mdetr": BROKEN_MDETR, "odvg": BROKEN_ODVG, "hub": BROKEN_HUB, "parquet": BROKEN_PARQUET}[export_format]
    source = written(tmp_path, export_format, broken["half a word"][0])

    report = import_dataset(project_name="parks", path=source)

    assert (report.left_out, report.details["left out"]) == (0, 1)
    image = Image.objects.get(path="a/one.jpg")
    assert [one.text for one in image.captions.order_by("number")] == ["A man and his dog .", "Two friends ."]
    assert [*image.mentions.order_by("number").values_list("text", flat=True)] == ["his dog", "Two friends"]


@row("mdetr", '{"tokens_positive": ', "set.json:1: is not JSON")
@row("mdetr", '{"tokens_positive": 1}', "the file has no 'images'")
@row("mdetr", '{"tokens_positive": 1, "images": 3}', "images is a number, not a list")
@row("mdetr", "{}", "has 0 .json files with tokens_positive: it needs one")
@row("odvg", "{}", "has 0 .jsonl files with grounding: it needs one")
def test_a_file_that_is_none_of_the_format_is_refused(export_format: str, text: str, told: str, tmp_path: Path) -> None:
    (tmp_path / FILES[export_format]).write_text(text)
    with pytest.raises(SourceError) as refused:
        read(tmp_path, export_format)
    assert told in str(refused.value)


def test_a_line_that_is_no_json_is_named_and_the_others_are_read(tmp_path: Path) -> None:
    path = written(tmp_path, "odvg") / "set.jsonl"
    path.write_text(f"{path.read_text()}{{\n[]\n")

    found = read(tmp_path, "odvg")

    assert [str(one) for one in found if isinstance(one, Problem)] == [
        "set.jsonl:3: is not JSON: Expecting property name enclosed in double quotes (column 1)"
        " (image line 3 left out)",
        "set.jsonl:4: line 4 is a list, not an object (image line 4 left out)",
    ]
    assert sum(isinstance(one, DatasetImage) for one in found) == 1


def phrases_read(folder: Path, export_format: str, caption: str, *spans: list[int], **more: Any) -> list[str]:
    """Return the phrases that are read of one box with these spans of a caption."""
    size = {"width": 100, "height": 80}
    if export_format == "mdetr":
        row = {"id": 1, "file_name": "a.jpg", "caption": caption, **size, **more}
        box = {"id": 1, "image_id": 1, "bbox": [1, 1, 9, 9], "tokens_positive": [*spans]}
        (folder / "x.json").write_text(json.dumps({"images": [row], "annotations": [box]}))
    else:
        region = {"bbox": [1, 1, 10, 10]} | ({"tokens_positive": [*spans]} if spans else {}) | more
        line = {"filename": "a.jpg", **size, "grounding": {"caption": caption, "regions": [region]}}
        (folder / "x.jsonl").write_text(f"{json.dumps(line)}\n")
    (image,) = (one for one in read(folder, export_format) if isinstance(one, DatasetImage))
    return [caption[slice(*character_span(image.captions[0], one.start, one.end))] for one in image.mentions]


def test_spans_with_only_white_space_between_are_one_phrase(tmp_path: Path) -> None:
    words = ([0, 3], [4, 8], [9, 12])
    assert phrases_read(tmp_path, "odvg", "the left man waves", *words, phrase="The left man") == ["the left man"]
    assert phrases_read(tmp_path, "odvg", "the left man waves", *words) == ["the left man"]
    assert phrases_read(tmp_path, "mdetr", "the left man waves", *words) == ["the left man"]
    apart = [[[0, 3]], [[4, 12]]]
    told = {"tokens_positive_eval": apart}
    assert phrases_read(
        tmp_path, "mdetr", "men dogs run", [0, 3], [4, 8], tokens_positive_eval=[[[0, 3]], [[4, 8]]]
    ) == [
        "men",
        "dogs",
    ], "the file lists each as a phrase"
    assert phrases_read(tmp_path, "mdetr", "the left man waves", *words, **told) == ["the left man"]


def test_a_phrase_in_two_pieces_is_left_out_where_its_text_says_that_it_is_one(tmp_path: Path) -> None:
    assert phrases_read(tmp_path, "odvg", "a man and a dog", [0, 5], [10, 15]) == ["a man", "a dog"]
    assert phrases_read(tmp_path, "odvg", "a man and a dog", [0, 5], [10, 15], phrase=["a man", "a dog"]) == [
        "a man",
        "a dog",
    ]
    assert phrases_read(tmp_path, "odvg", "a man and a dog", [0, 5], [10, 15], phrase="a man a dog") == []


@row("\u0130n Rome a cat sleeps", "a cat", "a cat")
@row("a catalog and a Cat", "cat", "Cat")
@row("cat  food", "cat food", "cat  food")
def test_a_phrase_is_found_by_whole_words_whatever_their_case(caption: str, phrase: str, found: str, tmp_path: Path):
    assert phrases_read(tmp_path, "odvg", caption, phrase=phrase) == [found]


def test_a_hub_row_for_each_caption_is_one_image_with_the_phrases_of_each(tmp_path: Path) -> None:
    texts = {"A man .": [0, 5], "Two dogs .": [0, 8]}
    size = {"width": 100, "height": 80}
    objects = {"bbox": [[1, 1, 9, 9]], "caption": [0], "chain": ["1"]}
    rows = [
        {"file_name": "a.jpg", **size, "text": text, "objects": objects | {"start": [start], "end": [end]}}
        for text, (start, end) in texts.items()
    ]
    (tmp_path / "metadata.jsonl").write_text("".join(f"{json.dumps(one)}\n" for one in rows))
    (image,) = read(tmp_path, "hub")
    assert isinstance(image, DatasetImage)
    assert [(one.caption, one.start, one.end, one.chain) for one in image.mentions] == [(0, 0, 2, "1"), (1, 0, 2, "1")]


def table(
    folder: Path, columns: dict[str, list[Any]], name: str = "set", metadata: dict[str, Any] | None = None
) -> Path:
    """Write columns into a Parquet file of the folder."""
    made = pyarrow.table(columns)
    if metadata:
        made = made.replace_schema_metadata({"huggingface": json.dumps({"info": {"features": metadata}})})
    parquet.write_table(made, folder / f"{name}.parquet")
    return folder


def images_of(*names: str | None, inside: bool = True) -> dict[str, list[Any]]:
    """Return columns of images of 9 x 9 pixels with a caption each."""
    picture = plain_jpeg(9, 9) if inside else None
    return {"image": [{"bytes": picture, "path": name} for name in names], "caption": ["a cat" for _ in names]}


# --- Writing ---


@pytest.mark.slow
@pytest.mark.django_db
def test_files_and_row_groups_are_bounded_and_named_by_their_number(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    write_source(tmp_path / "source", 5, 7)
    import_dataset(project_name="parks", path=tmp_path / "source")
    largest = max(file.stat().st_size for file in tmp_path.rglob("*.jpg"))
    monkeypatch.setattr(writer, "GROUP_ROWS", 2)
    monkeypatch.setattr(writer, "SHARD_BYTES", 3 * largest)

    export_dataset(project=Project.objects.get(), target=tmp_path / "out", export_format="parquet")

    files = sorted((tmp_path / "out" / "data").iterdir())
    assert [file.name for file in files] == [f"train-0000{place}-of-00002.parquet" for place in range(2)]
    sizes = [parquet.ParquetFile(file).metadata for file in files]
    assert [[one.row_group(group).num_rows for group in range(one.num_row_groups)] for one in sizes] == [[2, 2], [2, 1]]
    names = [name for file in files for name in parquet.read_table(file)["file_name"].to_pylist()]
    assert names == sorted(names) and len(names) == 7
    assert import_dataset(project_name="again", path=tmp_path / "out").images == 7


@pytest.mark.django_db
@pytest.mark.parametrize("part", ["dev-1", "all"])
def test_parts_that_the_hubs_reader_would_not_find_are_refused(tmp_path: Path, part: str) -> None:
    options, project = ExportOptions(splits={"1": part}), project_of(phrases("people: a man"))
    with pytest.raises(ValueError, match=f"The part '{part}' has no Parquet files"):
        export_dataset(project=project, target=tmp_path / "out", export_format="parquet", options=options)
    assert not (tmp_path / "out").exists()


@pytest.mark.django_db
def test_without_the_extra_exports_and_imports_say_how_to_install_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    project = project_of(phrases("people: a man"))
    table(tmp_path, images_of("a.jpg"))
    monkeypatch.setattr(writer, "find_spec", lambda name: None)
    told = r"needs pyarrow.*run scripts/setup.sh hub"
    with pytest.raises(CommandError, match=told):
        call_command("export_dataset", project.name, str(tmp_path / "out"), "--format", "parquet")
    with pytest.raises(CommandError, match=told):
        call_command("import_dataset", "again", str(tmp_path))
    assert not (tmp_path / "out").exists() and Project.objects.count() == 1
    assert "parquet" not in installed_formats(), "pages offer what works"


# --- Reading ---


def test_images_keep_the_order_of_the_rows_so_that_pictures_are_read_once(tmp_path: Path) -> None:
    table(tmp_path, images_of("b.jpg", "a.jpg", "c/c.jpg"))
    assert detect(tmp_path).name == "parquet"

    found = read(tmp_path, "parquet")

    assert [one.path for one in found if isinstance(one, DatasetImage)] == ["b.jpg", "a.jpg", "c/c.jpg"]
    assert [(one.width, one.captions[0].text) for one in found if isinstance(one, DatasetImage)] == [(9, "a cat")] * 3


def test_a_picture_without_a_name_gets_one_from_its_file_and_row(tmp_path: Path) -> None:
    columns = images_of(None, None) | {"image": [{"bytes": plain_jpeg(9, 9), "path": None}, {"bytes": b"\x89PNG"}]}
    assert list(ParquetPictures(table(tmp_path, columns))) == ["set-00000.jpg", "set-00001.png"]


def test_pictures_may_lie_beside_the_file_that_names_them(tmp_path: Path) -> None:
    (tmp_path / "images").mkdir()
    (tmp_path / "images" / "a.jpg").write_bytes(plain_jpeg(9, 9))
    columns = images_of("a.jpg", inside=False) | {"width": [9], "height": [9]}

    (image,) = read(table(tmp_path, columns), "parquet")

    assert isinstance(image, DatasetImage) and image.picture == "images/a.jpg"


@pytest.mark.parametrize("column", ["categories", "category"])
def test_numbers_of_categories_get_the_names_that_the_file_gives_them(tmp_path: Path, column: str) -> None:
    label = {"names": ["cat", "dog"], "_type": "ClassLabel"}
    features = {"objects": {column: {"feature": label, "_type": "List"}}}
    objects = {"objects": [{"bbox": [[1, 1, 3, 3], [2, 2, 3, 3], [3, 3, 3, 3]], column: [1, 0, 7]}]}

    (image,) = read(table(tmp_path, images_of("a.jpg") | objects, metadata=features), "parquet")

    assert isinstance(image, DatasetImage)
    assert [one.category for one in image.boxes] == ["dog", "cat", "7"]


def cut(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:-9])


def damage(file: Path) -> None:
    """Overwrite the rows, and keep the end, which says where they are and, in its last bytes, its own length."""
    data = file.read_bytes()
    end = int.from_bytes(data[-8:-4], "little") + 8
    file.write_bytes(data[:4] + bytes(len(data) - 4 - end) + data[-end:])


@row(lambda file: file.write_bytes(b""), "is no Parquet file that can be read")
@row(lambda file: file.write_text("image,caption\n"), "is no Parquet file that can be read")
@row(cut, "is no Parquet file that can be read")
@row(lambda file: file.write_bytes(b"PAR1" + bytes(40) + b"PAR1"), "is no Parquet file that can be read")
@row(damage, "cannot be read to its end")
@row(lambda file: table(file.parent, {"text": ["a cat"]}, "two"), "has neither a column image nor file_name, only")
def test_a_file_that_cannot_be_read_is_named_beside_one_that_can(
    spoil: Callable[[Path], object], told: str, tmp_path: Path
) -> None:
    table(tmp_path, {name: values * 9 for name, values in images_of("a.jpg").items()}, "one")
    table(tmp_path, images_of("b.jpg"), "two")
    spoil(tmp_path / "two.parquet")
    with pytest.raises(SourceError) as refused:
        read(tmp_path, "parquet")
    assert str(refused.value).startswith("two.parquet: ") and told in str(refused.value)


def test_a_group_of_rows_that_would_fill_the_memory_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("exchange.formats.parquet.MOST_GROUP_BYTES", 99)
    with pytest.raises(SourceError, match=r"set\.parquet: row group 1 has too many bytes: write it with smaller ones"):
        read(table(tmp_path, images_of("a.jpg")), "parquet")


def test_a_text_that_is_not_utf_8_costs_its_own_row_alone(tmp_path: Path) -> None:
    texts = pyarrow.array([b"a cat", b"\xff", b"a dog"]).cast(pyarrow.string(), safe=False)
    made = pyarrow.table(images_of("a.jpg", "b.jpg", "c.jpg")).drop_columns("caption").append_column("caption", texts)
    parquet.write_table(made, tmp_path / "set.parquet")

    found = read(tmp_path, "parquet")

    assert [str(one) for one in found if isinstance(one, Problem)] == [
        "set.parquet: row 2 holds a text that is not UTF-8 (image b.jpg left out)"
    ]
    assert [one.path for one in found if isinstance(one, DatasetImage)] == ["a.jpg", "c.jpg"]


def test_rows_of_one_picture_are_one_image_and_a_path_of_two_pictures_is_two(tmp_path: Path) -> None:
    for name in ("one", "two"):
        table(tmp_path, images_of("a.jpg"), name)
    other: dict[str, list[Any]] = {
        "image": [{"bytes": plain_jpeg(9, 9, (9, 9, 9)), "path": "a.jpg"}],
        "caption": ["a dog"],
    }
    table(tmp_path, other, "three")
    found = [one for one in read(tmp_path, "parquet") if isinstance(one, DatasetImage)]
    assert [(one.path, [caption.text for caption in one.captions]) for one in found] == [
        ("a.jpg", ["a cat", "a cat"]),
        ("three-00000.jpg", ["a dog"]),
    ]


@pytest.mark.django_db
def test_with_strict_one_bad_row_refuses_every_other(tmp_path: Path) -> None:
    written(tmp_path, "parquet", lambda data: data[0]["objects"].update(start=[0]))
    with pytest.raises(CommandError, match="Nothing was imported"):
        call_command("import_dataset", "parks", str(tmp_path), strict=True)
    assert not Project.objects.exists()


def test_a_file_whose_end_says_less_than_its_pages_take_is_refused(tmp_path: Path) -> None:
    """The size of the texts, as a whole number of Thrift, is written over with 1,000 in as many bytes."""
    columns = {"file_name": ["a.jpg"], "caption": ["m" * 20_000_000]}
    file = tmp_path / "set.parquet"
    options: dict[str, Any] = {"compression": "zstd", "use_dictionary": False, "store_schema": False}
    parquet.write_table(pyarrow.table(columns), file, **options)
    size = parquet.ParquetFile(file).metadata.row_group(0).column(1).total_uncompressed_size
    told = bytes([*((2 * size >> 7 * place) & 127 | 128 for place in range(3)), 2 * size >> 21])
    end = file.read_bytes().index(told, 100)
    assert len(told) == 4
    file.write_bytes(file.read_bytes()[:end] + b"\xd0\x8f\x80\x00" + file.read_bytes()[end + 4 :])
    assert parquet.ParquetFile(file).metadata.row_group(0).column(1).total_uncompressed_size == 1_000
    with pytest.raises(SourceError, match=r"set\.parquet: has more than 40 times as much in its rows"):
        read(tmp_path, "parquet")


@row({"compression": "zstd"})
@row({"compression": "none", "data_page_version": "2.0"})
@row({"use_dictionary": False, "write_page_checksum": True, "data_page_size": 300})
def test_pages_are_counted_as_the_file_says(options: dict[str, Any], tmp_path: Path) -> None:
    columns: dict[str, Any] = images_of(*(f"{place}.jpg" for place in range(300))) | {
        "objects": [{"bbox": [[1.5]]}] * 300
    }
    plain = {"row_group_size": 200, "write_statistics": False} | options
    parquet.write_table(pyarrow.table(columns), tmp_path / "set.parquet", **plain)
    data = (tmp_path / "set.parquet").read_bytes()
    metadata = parquet.ParquetFile(tmp_path / "set.parquet").metadata
    for group in map(metadata.row_group, range(2)):
        for one in map(group.column, range(group.num_columns)):
            start = one.dictionary_page_offset or one.data_page_offset
            sizes = list(page_sizes(data, start, start + one.total_compressed_size))
            headers = one.total_uncompressed_size - sum(sizes)
            assert sizes and 10 * len(sizes) <= headers <= 60 * len(sizes)
