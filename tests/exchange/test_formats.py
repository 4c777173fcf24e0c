"""The promises of every file format: the object alone tells which of these tests it has."""

import json
import math
import tracemalloc
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial, reduce
from io import BytesIO
from itertools import combinations, product
from operator import getitem
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pyarrow
import pytest
from hypothesis import given, settings

from annotation.rules.box import Box
from exchange.checks import SourceError
from exchange.dataset import (
    NONE_USED,
    DatasetBox,
    DatasetCaption,
    DatasetChain,
    DatasetImage,
    DatasetMention,
    Numbers,
    Problem,
    Remark,
)
from exchange.export_options import ExportOptions, filtered
from exchange.formats import FORMATS, detect
from exchange.formats.format import ExportOption, Format, Loss, write_files
from exchange.formats.parts import ExportPart, PartText, used_numbers_of
from exchange.formats.pictures import FolderPictures
from exchange.formats.schema.check_file import guess_kind
from exchange.split_captions import joined_caption
from studies.interop.sources import made_images
from tests.support.bad_details import HEIGHT, IMAGES, SOURCES, WIDTH
from tests.support.data_files import write_data
from tests.support.dataset_images import beach, dog, labelled_images
from tests.support.lines_run import lines_run
from tests.support.pictures import plain_jpeg
from tests.support.schema_fields import check_ours

READ = [known for known in FORMATS if known.read]
WRITTEN = [known for known in FORMATS if known.write]
BOTH_WAYS = [known for known in READ if known.write]
DOCS = Path(__file__).parents[2] / "docs" / "reference"
Read = list[DatasetImage | Problem]


def of(formats: Sequence[Format]) -> Any:
    return pytest.mark.parametrize("data_format", formats, ids=lambda known: known.name)


def example(data_format: Format, folder: Path, edit: Callable[[Any], object] = lambda data: None) -> Path:
    """Write a source of the format with three images, and their pictures."""
    folder.mkdir(exist_ok=True)
    source = SOURCES[data_format.name]
    data = source.made()
    edit(data)
    source.write(folder, data)
    for number in range(IMAGES):
        (folder / f"{number}.jpg").write_bytes(plain_jpeg(WIDTH, HEIGHT))
    return folder


def read(data_format: Format, folder: Path, boxes: str = "") -> Read:
    pictures = data_format.open_pictures(folder, WatchedPictures(folder))
    return list(data_format.images(folder, pictures, boxes))


def read_or_refused(data_format: Format, folder: Path) -> Read:
    """Read a source with faults. Anything but images, problems and a SourceError fails."""
    try:
        return read(data_format, folder)
    except SourceError as error:
        return [error.problem]


def images_in(found: Read) -> list[DatasetImage]:
    return [image for image in found if isinstance(image, DatasetImage)]


def files_in(folder: Path) -> dict[str, bytes]:
    return {str(file.relative_to(folder)): file.read_bytes() for file in folder.rglob("*") if file.is_file()}


# Detection


@of(READ)
def test_its_example_is_detected_and_counted_among_clutter(data_format: Format, tmp_path: Path) -> None:
    example(data_format, tmp_path)
    (tmp_path / ".DS_Store").write_bytes(b"\0\0\0\1Bud1")
    (tmp_path / "__MACOSX").mkdir()
    (tmp_path / "__MACOSX" / "._0.jpg").write_bytes(b"\0")
    (tmp_path / "notes.zip").write_bytes(b"PK\3\4")
    assert detect(tmp_path) is data_format
    found = read(data_format, tmp_path)
    assert len(images_in(found)) == len(found) == IMAGES
    pictures = data_format.open_pictures(tmp_path, FolderPictures(tmp_path))
    rows = 2 if data_format.name in ("mdetr", "odvg") else 1  # a row for each caption, of which images have two
    assert data_format.estimate(tmp_path, pictures) == rows * IMAGES


def test_a_folder_of_no_format_is_told_the_marks_of_each(tmp_path: Path) -> None:
    with pytest.raises(SourceError) as refused:
        detect(tmp_path)
    assert [known.name for known in READ if f"{known.marks} ({known.name})" not in str(refused.value)] == []
    (tmp_path / "a.jpg").touch()
    with pytest.raises(SourceError, match="is not a folder"):
        detect(tmp_path / "a.jpg")


def test_a_source_of_any_two_formats_is_not_guessed(tmp_path: Path) -> None:
    for number, (first, second) in enumerate(combinations(READ, 2)):
        folder = tmp_path / str(number)
        example(first, folder)
        example(second, folder)
        with pytest.raises(SourceError, match="choose one with --format") as refused:
            detect(folder)
        assert f"could be any of {first.name}, {second.name}:" in str(refused.value)


# Round trip


def held(images: Sequence[DatasetImage]) -> dict[Loss, set[object]]:
    """Return what the images hold by kind, whatever their chains are called."""
    found: dict[Loss, set[object]] = {kind: set() for kind in Loss}
    for image in images:
        boxes = defaultdict(set)
        for box in image.boxes:
            for chain in box.chains:
                boxes[chain].add(box.box)
            if not box.chains:
                found[Loss.OTHER_BOXES].add((image.name, box.box, box.category))
        found[Loss.PATHS].add(image.file_name)
        found[Loss.IDS].add((image.name, image.coco_id))
        found[Loss.CAPTIONS] |= {(image.name, caption.text) for caption in image.captions}
        members = defaultdict(set)
        for mention in image.mentions:
            place = (image.name, image.captions[mention.caption].text, mention.start, mention.end)
            chain = mention.chain or ""
            if not boxes[chain]:
                found[Loss.OTHER_PHRASES].add(place)
                continue
            members[chain].add(place)
            found[Loss.TYPES].add((place, mention.types))
            found[Loss.FIRST_TYPES].add((place, mention.types[:1]))
        found[Loss.CHAINS] |= {(frozenset(places), frozenset(boxes[chain])) for chain, places in members.items()}
        reasons = {chain.name: (chain.scene, chain.no_box) for chain in image.chains if chain.scene or chain.no_box}
        found[Loss.REASONS] |= {(image.name, *reasons[one.chain]) for one in image.mentions if one.chain in reasons}
    return found


def picture_of(image: DatasetImage) -> bytes:
    return plain_jpeg(image.width, image.height)


def as_exported(images: Sequence[DatasetImage]) -> list[DatasetImage]:
    """Return the images with paths, types and chains as projects have them: a phrase has types, a box one chain."""
    exported = []
    for number, image in enumerate(images, start=1):
        mentions = tuple(replace(mention, types=mention.types or ("other",)) for mention in image.mentions)
        used = dict.fromkeys(mention.chain for mention in mentions)
        boxes = {box.box: replace(box, chains=box.chains[:1]) for box in image.boxes if box.chains[0] in used}
        path = f"{image.name}.jpg"
        exported.append(replace(image, mentions=mentions, boxes=tuple(boxes.values()), path=path, coco_id=number))
    return exported


@pytest.mark.slow
@of(BOTH_WAYS)
@settings(max_examples=40, deadline=None)
@given(image=labelled_images())
def test_what_it_writes_is_read_back_but_for_what_it_loses(data_format: Format, image: DatasetImage) -> None:
    exported = [image, *as_exported([dog()])]  # one that has a box, which some formats need
    with TemporaryDirectory() as name:
        write_data(data_format, exported, Path(name), picture=picture_of)
        found = read(data_format, Path(name), "pixels" if data_format.either_unit else "")
    assert [str(problem) for problem in found if isinstance(problem, Problem)] == []
    before, after = held(exported), held(images_in(found))
    assert {kind.value for kind in Loss if before[kind] != after[kind]} <= {kind.value for kind in data_format.loses}


@of(BOTH_WAYS)
def test_everything_that_it_is_said_to_lose_it_loses(data_format: Format, tmp_path: Path) -> None:
    made = made_images()
    if Loss.OTHER_BOXES in data_format.loses:
        made = [replace(image, boxes=tuple(box for box in image.boxes if box.chains)) for image in made]
    write_data(data_format, made, tmp_path, picture=picture_of)
    before, after = held(made_images()), held(images_in(read(data_format, tmp_path)))
    assert all(before.values()), "the made images hold something of every kind"
    assert {kind for kind in Loss if before[kind] != after[kind]} == data_format.loses
    if Loss.CAPTIONS in data_format.loses:  # images that it holds keep theirs
        assert after[Loss.PATHS] <= before[Loss.PATHS] and after[Loss.IDS] <= before[Loss.IDS]


@of([known for known in BOTH_WAYS if ExportOption.NEGATIVES in known.options])
def test_negative_phrases_come_back_as_phrases_without_a_box_and_are_written_alike(
    data_format: Format, tmp_path: Path
) -> None:
    caption = joined_caption(("A", "man", "and", "his", "dog", "pose", "for", "the", "camera"), non_visual=((3, 4),))
    phrases = (DatasetMention(0, 0, 2, ("people",), "1"), DatasetMention(0, 7, 9, ("other",), "2"))
    chains = DatasetChain("1"), DatasetChain("2", no_box=True)
    unasked = joined_caption(("In", "the", "meantime", "it", "rains"), non_visual=((1, 3), (3, 4)))
    scene = DatasetMention(1, 0, 2, ("scene",), "3")
    posed = replace(
        dog(),
        captions=(caption, joined_caption(("The", "park")), unasked),
        mentions=(*phrases, scene),
        chains=(*chains, DatasetChain("3", scene=True)),
        boxes=(DatasetBox(Box(0, 0, 10, 10), ("1",)),),
        path="dog.jpg",
        coco_id=1,
    )
    texts = list[dict[str, bytes]]()
    written: Any = [posed]
    for name in ("first", "second"):
        (tmp_path / name).mkdir()
        asked = list(filtered(written, ExportOptions(negatives=True), Counter()))
        write_data(data_format, asked, tmp_path / name, picture=picture_of)
        texts.append(files_in(tmp_path / name))
        written = images_in(found := read(data_format, tmp_path / name))
        assert found == written, "nothing is left out"
    assert texts[0] == texts[1]
    (kept,) = written
    flags = {chain.name: (chain.scene, chain.no_box) for chain in kept.chains}
    without = {words_of(kept.captions[one.caption], one) for one in kept.mentions if flags[one.chain][1]}
    assert without == {"the camera", "the meantime"}
    assert [words_of(kept.captions[one.caption], one) for one in kept.mentions if not flags[one.chain][1]] == ["A man"]
    (tmp_path / "off").mkdir()
    write_data(data_format, list(filtered([posed], ExportOptions(), Counter())), tmp_path / "off")
    assert b"negatives" not in b"".join(files_in(tmp_path / "off").values())


@of([known for known in BOTH_WAYS if known.file_layout])
def test_an_export_into_one_file_holds_what_a_folder_holds(data_format: Format, tmp_path: Path) -> None:
    for name in ("folder", f"file/set{data_format.file_ending}"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        write_files(data_format, made_images(), tmp_path / name)
    in_one, apart = (images_in(read(data_format, tmp_path / name)) for name in ("file", "folder"))
    assert detect(tmp_path / "file") is data_format
    assert [replace(image, source="") for image in in_one] == [replace(image, source="") for image in apart] != []


@of(WRITTEN)
def test_the_same_images_give_the_same_bytes(data_format: Format, tmp_path: Path) -> None:
    for name in ("first", "second"):
        (tmp_path / name).mkdir()
        write_data(data_format, EXPORTED, tmp_path / name)
    assert files_in(tmp_path / "first") == files_in(tmp_path / "second") != {}


EXPORTED = [
    replace(image, name=f"{number}", path=f"{number}.jpg", coco_id=number)
    for number, image in enumerate(as_exported([beach(), dog()] * 4)[:7])
]


def in_parts(data_format: Format, images: Sequence[DatasetImage], count: int, folder: Path) -> dict[str, bytes]:
    """Return the files of an export that is written in this number of parts, as layouts say."""
    assert data_format.write is not None
    start, parts = NONE_USED, list[dict[str, bytes]]()
    size = math.ceil(len(images) / count)
    for first in range(0, len(images), size):
        own, texts = images[first : first + size], defaultdict[str, BytesIO](KeptText)
        assert data_format.write(own, ExportPart(folder / str(first), texts.__getitem__, start=start)) == len(own)
        parts.append({name: text.getvalue() for name, text in texts.items()})
        for image in own:
            start = Numbers(*start).plus(used_numbers_of(image))
    files = {
        str(file.relative_to(folder / file.relative_to(folder).parts[0])): file.read_bytes()
        for file in folder.rglob("*")
        if file.is_file()
    }
    for path, pieces in data_format.layout.items():
        files[path] = b"".join(piece if isinstance(piece, bytes) else joined(piece, parts) for piece in pieces)
    return files


class KeptText(BytesIO):
    """A text that can be read after it was closed for writing."""

    def __exit__(self, *error: object) -> None:
        pass


def joined(text: PartText, parts: Sequence[dict[str, bytes]]) -> bytes:
    texts = [part[text.name] for part in (parts[-1:] if text.last else parts)]
    return text.between.join(filter(None, texts))


@of([known for known in WRITTEN if not known.packing])
def test_the_parts_of_an_export_are_together_what_one_part_is(data_format: Format, tmp_path: Path) -> None:
    whole = in_parts(data_format, EXPORTED, 1, tmp_path / "1")
    for count in (2, 7):
        assert in_parts(data_format, EXPORTED, count, tmp_path / str(count)) == whole
    written = tmp_path / "written"
    written.mkdir()
    write_data(data_format, EXPORTED, written)
    assert list(whole.values()) and sorted(files_in(written).values()) == sorted(whole.values())


# Faults


def places(data: Any, before: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the path of every value, of a list those of its second entry, which belongs to the second image."""
    if len(before) > 1:  # the example itself is made of its first keys
        yield before
    if isinstance(data, dict):
        for name, value in data.items():
            yield from places(value, (*before, name))
    elif isinstance(data, list) and data:
        place = min(1, len(data) - 1)
        yield from places(data[place], (*before, place))


def put(data: Any, *, path: Sequence[Any], value: Any) -> None:
    *way, last = path
    holder = reduce(getitem, way, data)
    if value is GONE:
        del holder[last]
    elif value is TWICE:
        with suppress(KeyError, IndexError, TypeError):  # the entry before has nothing there
            place = max(place for place, step in enumerate(path) if isinstance(step, int) and step)
            holder[last] = reduce(getitem, (*path[:place], path[place] - 1, *path[place + 1 :]), data)
    else:
        holder[last] = value


GONE, TWICE = object(), object()
ODD: list[Any] = [
    *(GONE, TWICE, None, True, -7, 0.5, 1 << 63, 1e308, math.nan, "", "x", "../../x", "/etc/passwd", "\0", "\ud800"),
    *([], {}, [[]]),
]
OF_VALUES = [known for known in READ if known.name not in ("flickr30k-entities", "cvat")]
"""Formats whose example is JSON or a table, of which any value may be any other."""


def names_of(path: Sequence[Any], value: Any) -> set[str]:
    """Return texts of which the message about a wrong value has one: its key, or the value itself."""
    keys = [step for step in path if isinstance(step, str)]
    place = path[-1] if isinstance(path[-1], int) else path[-2]
    key = keys[-1].replace("_", " ")
    own = {repr(value), Path(value).name or repr(value)} if isinstance(value, str) else set()
    own |= {"twice", "also", "too"} if value is TWICE else {"control character"} if value in ("\0", "\ud800") else set()
    own |= {"picture"} if "file" in key else set()
    return {*keys[-3:], key, key.removesuffix("s"), *own} | ({f"[{place}]"} if path[-1] == place else set())


class WatchedPictures(FolderPictures):
    """The pictures of a folder, of which none outside is ever looked at."""

    def __contains__(self, name: object) -> bool:
        assert not {"", "..", "/"} & {*Path(str(name)).parts} and not Path(str(name)).is_absolute(), name
        return super().__contains__(name)


@of(OF_VALUES)
def test_any_value_in_the_place_of_any_other_is_named_and_costs_no_more_than_its_image(
    data_format: Format, tmp_path: Path
) -> None:
    for number, path in enumerate(places(SOURCES[data_format.name].made())):
        for kind, value in enumerate(ODD):
            try:
                folder = example(data_format, tmp_path / f"{number} {kind}", partial(put, path=path, value=value))
            except (pyarrow.ArrowException, OverflowError, UnicodeEncodeError, AttributeError):
                continue  # a column of a table holds one kind of value
            found = read_or_refused(data_format, folder)
            problems = [item for item in found if isinstance(item, Problem) and not isinstance(item, Remark)]
            assert found and all(problem.file and problem.message for problem in problems), (path, value)
            told = " ".join(map(str, problems))
            assert not problems or any(name in told for name in names_of(path, value)), (path, value, told)
            left_out = {problem.left_out for problem in problems if problem.image}
            read_or_left_out = len(images_in(found)) + len(left_out)
            assert read_or_left_out >= IMAGES or value is TWICE or not isinstance(path[-1], str), (path, value, told)
            assert len(images_in(found)) >= IMAGES - 2, "two, if they would have one name"


@of(READ)
@pytest.mark.parametrize("rest", [b"", b"\xff", b"\xed\xa0\x80", b"\0", b"\x07"], ids=repr)
def test_a_file_that_is_cut_off_or_spoilt_is_refused_or_read_in_part(
    data_format: Format, rest: bytes, tmp_path: Path
) -> None:
    """Each file is cut at each tenth, or gets bytes there that no text has."""
    whole = files_in(example(data_format, tmp_path / "whole"))
    texts = [name for name in whole if not name.endswith(".jpg")]
    for name, tenth in product(texts, range(10)):
        folder, place = example(data_format, tmp_path / f"{Path(name).name} {tenth}"), len(whole[name]) * tenth // 10
        (folder / name).write_bytes(whole[name][:place] + (rest + whole[name][place:] if rest else b""))
        found = read_or_refused(data_format, folder)
        problems = [item for item in found if isinstance(item, Problem)]
        assert len(images_in(found)) <= IMAGES
        assert problems or not rest or data_format.name == "parquet", "what is spoilt there may be read by nobody"
        assert all(problem.file and problem.message for problem in problems)


# Names and texts

NAMES = (
    *("a b.jpg", "a%20b.jpg", "a#b.jpg", "a?b.jpg", "cam 1/deep/x.jpg", "a.b.jpg", "1,2.jpg", "'q'.jpg", "a&b<c>.jpg"),
    *(unicodedata.normalize(form, "\u00e9t\u00e9.jpg") for form in ("NFC", "NFD")),
    *("\u0645\u0631\u062d\u0628\u0627.jpg", "\U0001f415.jpg", f"{'x' * 196}.jpg"),
)


@of([known for known in BOTH_WAYS if Loss.PATHS not in known.loses or Loss.CAPTIONS in known.loses])
@pytest.mark.parametrize("path", NAMES)
def test_a_path_comes_back_as_it_was(data_format: Format, path: str, tmp_path: Path) -> None:
    (image,) = as_exported([beach()])
    write_data(data_format, [replace(image, path=path)], tmp_path, picture=picture_of)
    (found,) = read(data_format, tmp_path)
    assert isinstance(found, DatasetImage), str(found)
    assert found.path == path


@of([known for known in BOTH_WAYS if Loss.PATHS not in known.loses or Loss.CAPTIONS in known.loses])
@pytest.mark.parametrize("paths", [("A.jpg", "a.jpg"), ("a.jpg", "a.png"), ("a/b.jpg", "a_b.jpg")])
def test_paths_that_are_almost_the_same_are_two_images(
    data_format: Format, paths: tuple[str, str], tmp_path: Path
) -> None:
    (image,) = as_exported([beach()])
    write_data(
        data_format,
        [replace(image, name=path, path=path, coco_id=n) for n, path in enumerate(paths)],
        tmp_path,
        picture=picture_of,
    )
    found = images_in(read(data_format, tmp_path))
    assert {image.path for image in found} == {*paths}
    assert len({image.name for image in found}) == 2


TEXTS = (
    "e\u0301te\u0301 a\u0308", "\U0001f469\u200d\U0001f680 lands", "\u0643\u0644\u0628 \u0635\u063a\u064a\u0631",
    "\u72d7 \u5728 \u8dd1", "a \"quoted\" 'dog'", "a <b>dog</b> & cat", "100 % of #1", "back\\slash dog", "{a} dog",
)  # fmt: skip


@of(BOTH_WAYS)
@pytest.mark.parametrize("text", TEXTS)
def test_a_caption_and_the_place_of_its_phrase_come_back_as_they_were(
    data_format: Format, text: str, tmp_path: Path
) -> None:
    (image,) = as_exported([dog()])
    words = tuple(text.split())
    mention = DatasetMention(0, 0, len(words) - 1, ("other",), "5")
    changed = replace(image, captions=(joined_caption(words),), mentions=(mention,))
    write_data(data_format, [changed], tmp_path, picture=picture_of)
    (found,) = read(data_format, tmp_path)
    assert isinstance(found, DatasetImage), str(found)
    assert [caption.text for caption in found.captions] == [text]
    (phrase,) = found.mentions
    assert words_of(found.captions[0], phrase) == " ".join(words[:-1])


def words_of(caption: DatasetCaption, mention: DatasetMention) -> str:
    start, last = caption.offsets[mention.start], mention.end - 1
    return caption.text[start : caption.offsets[last] + len(caption.words[last])]


@of(WRITTEN)
def test_half_a_character_is_refused_and_not_written(data_format: Format, tmp_path: Path) -> None:
    (image,) = as_exported([dog()])
    broken = replace(image, captions=(joined_caption(("a", "\ud800", "dog")),))
    with pytest.raises(ValueError, match="surrogates not allowed"):
        write_data(data_format, [broken], tmp_path)


# Size


@pytest.mark.slow
@of([known for known in WRITTEN if not known.packing])
def test_the_memory_of_writing_does_not_grow_with_the_images(data_format: Format, tmp_path: Path) -> None:
    peaks = []
    for count in (200, 2000):
        (tmp_path / str(count)).mkdir()
        base = as_exported([beach()])[0]
        images = Endless(base, count)
        tracemalloc.start()
        write_data(data_format, images, tmp_path / str(count))
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < 2 * peaks[0] + (1 << 20), peaks


@pytest.mark.slow
@of(BOTH_WAYS)
def test_twice_as_many_images_take_twice_as_many_lines_of_python(data_format: Format, tmp_path: Path) -> None:
    lines = []
    for count in (10, 20, 40):
        folder, images = tmp_path / str(count), Endless(as_exported([beach()])[0], count)
        folder.mkdir()
        written = lines_run(partial(write_data, data_format, images, folder, picture=picture_of))
        lines.append(written + lines_run(partial(read, data_format, folder)))
    assert lines[2] - lines[1] <= 2.2 * (lines[1] - lines[0]), lines


class Endless(Sequence[DatasetImage]):
    """Images that are made when they are asked for."""

    def __init__(self, image: DatasetImage, count: int) -> None:
        self._image, self._count = image, count

    def __len__(self) -> int:
        return self._count

    def __getitem__(self, place: Any) -> Any:
        if place >= self._count:
            raise IndexError(place)
        return replace(self._image, name=f"{place}", path=f"{place}.jpg", coco_id=place)


# Said once


@of(FORMATS)
def test_the_reference_names_it(data_format: Format) -> None:
    text = (DOCS / "formats.md").read_text()
    assert f"`{data_format.name}`" in text
    fields = (DOCS / "fields.md").read_text()
    assert [kind.name for kind in data_format.kinds if f"## {kind.name}\n" not in fields] == []
    assert [kind.name for kind in data_format.kinds if not (DOCS / "schemas" / f"{kind.name}.json").exists()] == []


@of([known for known in WRITTEN if known.kinds])
def test_the_schemas_of_its_kinds_fit_all_that_it_writes_to_the_last_field(data_format: Format, tmp_path: Path) -> None:
    every = ExportOptions(negatives=ExportOption.NEGATIVES in data_format.options)
    write_data(data_format, [*filtered(made_images(), every, Counter())], tmp_path)
    if data_format.file_layout:
        write_files(data_format, made_images(), tmp_path / f"whole{data_format.file_ending}")
    named = {kind.name: kind for kind in data_format.kinds}
    checked = set()
    for file in sorted(tmp_path.rglob("*.json*")):
        kind = guess_kind(file, named)
        texts = file.read_text().splitlines() if kind.is_lines else [file.read_text()]
        check_ours(kind.name, map(json.loads, texts))
        checked.add(kind.name)
    assert checked == named.keys()


@of([known for known in WRITTEN if not known.packing])
def test_readers_of_its_card_find_every_kind_of_file_that_it_writes(data_format: Format, tmp_path: Path) -> None:
    write_data(data_format, EXPORTED, tmp_path)
    names = {Path(name).name for name in files_in(tmp_path)}
    declared = tuple(ending for rows in data_format.record_sets for ending in rows.files)
    assert {Path(name).suffix for name in names if not name.endswith(declared)} <= {".xml"}
    for file in tmp_path.rglob("*.json"):
        lists = {rows.within for rows in data_format.record_sets if file.name.endswith(rows.files)}
        assert lists and lists <= json.loads(file.read_text()).keys()


def test_names_are_unique_and_fit_addresses() -> None:
    names = [known.name for known in FORMATS]
    assert len({*names}) == len(names)
    assert all(name.replace("-", "").isalnum() and name == name.lower() for name in names)
