"""Sources in every format with three images each, and a bad detail in the second.

`python -m tests.support.bad_details` writes anew what becomes of each detail, into docs/reference/formats.md.
"""

import json
from collections.abc import Callable
from functools import partial, reduce
from operator import getitem
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from evaluation.reading.predictions.read_file import ImagePhrases, NamedPhrase, read_predictions
from exchange.dataset import DatasetImage, Detail, Problem
from exchange.formats import FORMATS, detect
from exchange.formats.pictures import FolderPictures
from exchange.import_dataset import ImportReport
from tests.support.pictures import plain_jpeg

FORMAT = {known.name: known for known in FORMATS}
WIDTH, HEIGHT, IMAGES = 40, 30, 3
DOG, CAT = "A dog beside a car", "A cat on a sofa"
X0, Y0, X1, Y1 = BOX = 5, 6, 20, 18
SIDES = [X0, Y0, X1 - X0, Y1 - Y0]
FILE = Path(__file__).parents[2] / "docs" / "reference" / "formats.md"
BEGIN, END = "<!-- bad details: made by python -m tests.support.bad_details -->\n", "<!-- end -->\n"
Edit = Callable[[Any], object]


class Source(NamedTuple):
    """A format: the data of its files, and how they are written."""

    make: Callable[[], Any]
    write: Callable[[Path, Any], object]

    def made(self) -> Any:
        """Return data of which no part stands in two places, so that an edit changes one."""
        return json.loads(json.dumps(self.make()))


def _names() -> list[str]:
    return [f"{number}.jpg" for number in range(IMAGES)]


def _json(name: str, folder: Path, data: Any) -> None:
    (folder / name).write_text(json.dumps(data))


def _lines(name: str, folder: Path, data: Any) -> None:
    (folder / name).write_text("".join(f"{json.dumps(one)}\n" for one in data))


def _rows(**more: Any) -> list[dict[str, Any]]:
    size = {"width": WIDTH, "height": HEIGHT}
    return [{"id": number, "file_name": name} | size | more for number, name in enumerate(_names())]


def _coco() -> Any:
    texts = [{"image_id": number, "caption": text} for number in range(IMAGES) for text in (DOG, CAT)]
    captions = [{"id": number} | one for number, one in enumerate(texts)]
    boxes = [{"id": number, "image_id": number, "category_id": 1, "bbox": SIDES} for number in range(IMAGES)]
    boxes.append(boxes[1] | {"id": 9})
    return {"images": _rows(), "captions": captions, "boxes": boxes}


def _write_coco(folder: Path, data: Any) -> None:
    _json("captions.json", folder, {"images": data["images"], "annotations": data["captions"]})
    _write_instances(folder, data)


def _write_instances(folder: Path, data: Any) -> None:
    categories = [{"id": 1, "name": "dog"}]
    _json("instances.json", folder, {"images": data["images"], "annotations": data["boxes"], "categories": categories})


def _refcoco() -> Any:
    boxes = [{"id": number, "image_id": number, "category_id": 1, "bbox": SIDES} for number in range(IMAGES)]
    boxes.append({"id": 9, "image_id": 1, "category_id": 1, "bbox": SIDES})
    refs = [
        {"ref_id": number, "ann_id": one["id"], "image_id": one["image_id"], "sentences": [{"sent": "a dog"}] * 2}
        for number, one in enumerate(boxes)
    ]
    return {"refs": refs, "images": _rows(), "boxes": boxes}


def _write_refcoco(folder: Path, data: Any) -> None:
    _json("refs.json", folder, data["refs"])
    _write_instances(folder, data)


def _genome() -> Any:
    sides = dict(zip(("x", "y", "width", "height"), SIDES, strict=True))
    regions = [
        {"id": number, "regions": [{"region_id": 10 * number + n, "phrase": DOG} | sides for n in range(2)]}
        for number in range(IMAGES)
    ]
    images = [{"image_id": number, "width": WIDTH, "height": HEIGHT, "url": f"x/{number}.jpg"} for number in range(3)]
    return {"regions": regions, "images": images}


def _write_genome(folder: Path, data: Any) -> None:
    _json("region_descriptions.json", folder, data["regions"])
    _json("image_data.json", folder, data["images"])


def _mdetr() -> Any:
    rows = [one | {"caption": text} for one in _rows() for text in (DOG, CAT)]
    negatives = [{"phrase": "a sofa", "tokens_negative": [[9, 15]]}]
    images = [one | {"id": n, "negatives": negatives if n % 2 else []} for n, one in enumerate(rows)]
    boxes = [{"id": n, "image_id": n, "bbox": SIDES, "tokens_positive": [[0, 5]]} for n in range(2 * IMAGES)]
    return {"images": images, "annotations": boxes}


def _odvg() -> Any:
    region = {"bbox": [*BOX], "phrase": "A dog", "tokens_positive": [[0, 5]]}
    cat = {"bbox": [*BOX], "phrase": "A cat"}
    first = [region, {"bbox": [*BOX], "phrase": "a car"}]
    negatives = [{"phrase": "a sofa", "tokens_negative": [[9, 15]]}]
    said = [{"caption": DOG, "regions": first}, {"caption": CAT, "regions": [cat], "negatives": negatives}]
    size = {"width": WIDTH, "height": HEIGHT}
    return [{"filename": name, **size, "grounding": one} for name in _names() for one in said]


def _hub() -> Any:
    places = {"caption": [0, 1], "start": [0, 0], "end": [5, 5], "phrase": ["A dog", "A cat"]}
    objects = {"bbox": [SIDES, SIDES], "categories": ["animals", "animals"], **places}
    rows = [{"file_name": name, "width": WIDTH, "height": HEIGHT, "captions": [DOG, CAT]} for name in _names()]
    negatives = {"phrase": ["a sofa"], "caption": [1], "start": [9], "end": [15]}
    return [one | {"objects": objects, "negatives": negatives} for one in rows]


def _write_parquet(folder: Path, data: Any) -> None:
    import pyarrow
    from pyarrow import parquet

    columns = {name: [row.get(name) for row in data] for name in data[0]}
    parquet.write_table(pyarrow.table(columns), folder / "set.parquet")


RESULT = ("annotations", 0, "result")
SPAN = {"id": "s", "type": "labels", "to_name": "caption", "value": {"start": 0, "end": 5, "text": "A dog"}}


def _tasks() -> Any:
    percent = [100 * one / whole for one, whole in zip(SIDES, (WIDTH, HEIGHT) * 2, strict=True)]
    value = dict(zip(("x", "y", "width", "height"), percent, strict=True)) | {"rectanglelabels": ["Dog"]}
    size = {"original_width": WIDTH, "original_height": HEIGHT}
    box = {"id": "b", "type": "rectanglelabels", "value": value} | size
    text = {"id": "t", "type": "textarea", "value": {"text": [CAT]}}
    relation = {"type": "relation", "from_id": "s", "to_id": "b"}
    result = [box, SPAN, text, relation]
    return [{"data": {"image": name, "caption": DOG}, "annotations": [{"result": result}]} for name in _names()]


CVAT_EDGES = f'xtl="{X0}" ytl="{Y0}" xbr="{X1}" ybr="{Y1}"'
CVAT_BOX = f'<box label="dog" {CVAT_EDGES}><attribute name="caption">a dog</attribute></box>'


def _cvat() -> Any:
    tags = "".join(f'<tag label="t"><attribute name="caption">{text}</attribute></tag>' for text in (DOG, CAT))
    return [f'<image name="{name}" width="{WIDTH}" height="{HEIGHT}">{CVAT_BOX}{tags}</image>' for name in _names()]


def _write_cvat(folder: Path, data: Any) -> None:
    (folder / "annotations.xml").write_text(f"<annotations>{''.join(data)}</annotations>")


EDGES = f"<xmin>{X0 + 1}</xmin><ymin>{Y0 + 1}</ymin><xmax>{X1}</xmax><ymax>{Y1}</ymax>"
ENTITY = f"<object><name>1</name><bndbox>{EDGES}</bndbox></object>"


def _entities() -> Any:
    size = f"<size><width>{WIDTH}</width><height>{HEIGHT}</height></size>"
    texts = "[/EN#1/animals A dog] beside a car\n[/EN#2/animals A cat] on a sofa\n"
    return [{"texts": texts, "xml": f"<annotation>{size}{ENTITY}</annotation>"} for _ in range(IMAGES)]


def _write_entities(folder: Path, data: Any) -> None:
    for name in ("Sentences", "Annotations"):
        (folder / name).mkdir()
    for number, one in enumerate(data):
        (folder / "Sentences" / f"{number}.txt").write_text(one["texts"])
        (folder / "Annotations" / f"{number}.xml").write_text(one["xml"])


def _karpathy() -> Any:
    return [{"filename": name, "sentences": [{"raw": text} for text in (DOG, CAT)]} for name in _names()]


SOURCES: dict[str, Source] = {
    "flickr30k-entities": Source(_entities, _write_entities),
    "coco": Source(_coco, _write_coco),
    "folder": Source(
        lambda: [{"image": name, "captions": [f"[{DOG[:5]}]{DOG[5:]}", CAT]} for name in _names()],
        partial(_lines, "captions.jsonl"),
    ),
    "mdetr": Source(_mdetr, partial(_json, "set.json")),
    "odvg": Source(_odvg, partial(_lines, "set.jsonl")),
    "hub": Source(_hub, partial(_lines, "metadata.jsonl")),
    "parquet": Source(_hub, _write_parquet),
    "refcoco": Source(_refcoco, _write_refcoco),
    "visual-genome": Source(_genome, _write_genome),
    "label-studio": Source(_tasks, partial(_json, "export.json")),
    "cvat": Source(_cvat, _write_cvat),
    "karpathy": Source(_karpathy, lambda folder, rows: _json("dataset_x.json", folder, {"images": rows})),
    "predictions": Source(
        lambda: {
            "categories": [{"id": 1, "name": "dog"}],
            "annotations": [
                {"image_id": number, "bbox": SIDES, "caption": 0, "phrase": "a dog"} for number in range(IMAGES)
            ]
            + [{"image_id": 1, "bbox": SIDES, "category_id": 1}],
        },
        partial(_json, "results.json"),
    ),
}


def at(*path: Any, to: Any) -> Edit:
    """Return an edit that sets the value at this path."""
    return lambda data: reduce(getitem, path[:-1], data).__setitem__(path[-1], to)


def gone(*path: Any) -> Edit:
    """Return an edit that deletes what is at this path."""
    return lambda data: reduce(getitem, path[:-1], data).pop(path[-1])


def text(place: Any, *changes: tuple[str, str]) -> Edit:
    """Return an edit of the text at the place: what is there, and what stands in its stead."""

    def edit(data: Any) -> None:
        *path, last = place if isinstance(place, tuple) else (place,)
        holder = reduce(getitem, path, data)
        for old, new in changes:
            assert old in holder[last], old
            holder[last] = holder[last].replace(old, new, 1)

    return edit


def more(*path: Any, new: Any) -> Edit:
    """Return an edit that appends to the list at this path."""
    return lambda data: reduce(getitem, path, data).append(new)


def every(*edits: Edit) -> Edit:
    return lambda data: [edit(data) for edit in edits]


def boxes(value: Callable[[list[float]], list[float]], corners: Any) -> dict[str, Edit]:
    """Return edits that put another box into each format. `value`: of its sides; `corners`: as XML has them."""
    sides = value([*map(float, SIDES)])
    x, y, w, h = [*sides, 0][:4]
    xyxy = [x, y, x + w, y + h] if len(sides) == 4 else sides
    keys = ("x", "y", "width", "height")
    whole = dict(zip(keys, (WIDTH, HEIGHT) * 2, strict=True))
    said = dict(zip(keys, (x, y, w, h), strict=True)) if xyxy is not sides else dict.fromkeys(keys, "wide")
    percent = {key: one if isinstance(one, str) else 100 * one / whole[key] for key, one in said.items()}
    old = (f'xtl="{X0}"', f'xbr="{X1}"')
    return {
        "flickr30k-entities": text((1, "xml"), *corners[0]),
        "coco": at("boxes", 1, "bbox", to=sides),
        "mdetr": at("annotations", 2, "bbox", to=sides),
        "odvg": at(2, "grounding", "regions", 0, "bbox", to=xyxy),
        "hub": at(1, "objects", "bbox", 0, to=sides),
        "refcoco": at("boxes", 1, "bbox", to=sides),
        "visual-genome": lambda data: data["regions"][1]["regions"][0].update(said),
        "label-studio": lambda data: data[1]["annotations"][0]["result"][0]["value"].update(percent),
        "cvat": text(1, *zip(old, corners[1], strict=True)),
        "predictions": at("annotations", 1, "bbox", to=sides),
    }


XMIN, XMAX = f"<xmin>{X0 + 1}</xmin>", f"<xmax>{X1}</xmax>"
HALF = [0.0, 0.0, 10.0]
BAD: dict[str, dict[str, Edit]] = {
    "box over the edge": boxes(
        lambda one: [-3.0, *one[1:]], ([(XMIN, "<xmin>-3</xmin>")], ('xtl="-3"', f'xbr="{X1}"'))
    ),
    "box outside": boxes(
        lambda one: [90.0, *one[1:]], ([(XMIN, "<xmin>90</xmin>"), (XMAX, "<xmax>95</xmax>")], ('xtl="90"', 'xbr="95"'))
    ),
    "box without area": boxes(
        lambda one: [*one[:2], 0.0, one[3]], ([(XMAX, f"<xmax>{X0}</xmax>")], (f'xtl="{X0}"', f'xbr="{X0}"'))
    ),
    "no box": boxes(lambda one: HALF, ([(XMAX, "<xmax>wide</xmax>")], ('xtl="left"', f'xbr="{X1}"'))),
    "unknown category": {
        "coco": at("boxes", 1, "category_id", to=None),
        "hub": every(gone(1, "objects", "caption"), at(1, "objects", "categories", 0, to=None)),
        "parquet": every(
            *(at(1, "objects", name, 0, to=-1) for name in ("caption", "start", "end")),
            at(1, "objects", "categories", 0, to=None),
        ),
        "refcoco": at("boxes", 1, "category_id", to="dog"),
        "label-studio": at(1, *RESULT, 0, "value", "rectanglelabels", to=None),
        "cvat": text(1, ('label="dog"', "")),
        "predictions": at("annotations", 3, "category_id", to=None),
    },
    "phrase without words": {
        "flickr30k-entities": text((1, "texts"), ("on a sofa", "on [/EN#3/other ]")),
        "folder": at(1, "captions", 1, to="[] A cat on a sofa"),
        "mdetr": at("annotations", 2, "tokens_positive", to=[]),
        "odvg": every(
            at(2, "grounding", "regions", 0, "phrase", to=" "), gone(2, "grounding", "regions", 0, "tokens_positive")
        ),
        "hub": at(1, "objects", "end", 0, to=0),
        "refcoco": at("refs", 1, "sentences", 0, "sent", to="?"),
        "visual-genome": at("regions", 1, "regions", 0, "phrase", to=""),
        "label-studio": at(1, *RESULT, 1, "value", "end", to=0),
        "cvat": text(1, (">a dog<", ">...<")),
    },
    "phrase that is not there": {
        "mdetr": at("annotations", 2, "tokens_positive", to=[[0, 99]]),
        "odvg": at(2, "grounding", "regions", 1, "phrase", to="a horse"),
        "hub": at(1, "objects", "end", 0, to=99),
        "label-studio": at(1, *RESULT, 1, "value", "end", to=99),
        "predictions": at("annotations", 1, "phrase", to="a horse"),
    },
    "span of other words": {
        "odvg": at(2, "grounding", "regions", 0, "phrase", to="a car"),
        "hub": at(1, "objects", "phrase", 0, to="a car"),
        "label-studio": at(1, *RESULT, 1, "value", "text", to="a car"),
    },
    "phrases that share a word": {
        "mdetr": more("annotations", new={"id": 99, "image_id": 2, "bbox": SIDES, "tokens_positive": [[2, 5]]}),
        "odvg": more(2, "grounding", "regions", new={"bbox": [*BOX], "phrase": "dog"}),
        "hub": every(
            *(at(1, "objects", name, 1, to=to) for name, to in {"caption": 0, "start": 2, "phrase": "dog"}.items())
        ),
        "label-studio": more(1, *RESULT, new=SPAN | {"id": "z", "value": {"start": 2, "end": 5, "text": "dog"}}),
    },
    "unknown reference": {
        "flickr30k-entities": text((1, "xml"), ("<name>1</name>", "<name>9</name>")),
        "coco": at("boxes", 1, "image_id", to=99),
        "mdetr": at("annotations", 2, "image_id", to=99),
        "hub": at(1, "objects", "caption", 0, to=7),
        "refcoco": at("refs", 1, "ann_id", to=99),
        "visual-genome": at("regions", 1, "regions", 0, "image_id", to=99),
        "label-studio": at(1, *RESULT, 3, "to_id", to="gone"),
        "predictions": at("annotations", 1, "image_id", to=99),
    },
    "empty caption": {
        "coco": at("captions", 2, "caption", to=" "),
        "folder": at(1, "captions", 1, to=" "),
        "mdetr": at("images", 2, "caption", to=None),
        "odvg": at(2, "grounding", "caption", to=""),
        "hub": at(1, "captions", 1, to=""),
        "label-studio": at(1, *RESULT, 2, "value", "text", to=[" "]),
        "cvat": text(1, (CAT, " ")),
        "karpathy": at(1, "sentences", 0, "raw", to=""),
    },
    "id as a text": {
        "coco": at("boxes", 1, "image_id", to="1"),
        "mdetr": at("annotations", 2, "image_id", to="2"),
        "refcoco": at("refs", 1, "ann_id", to="1"),
        "visual-genome": at("images", 1, "image_id", to="1"),
        "predictions": at("annotations", 1, "image_id", to="1"),
    },
    "id twice": {
        "coco": at("boxes", 1, "id", to=0),
        "mdetr": at("images", 3, "id", to=2),
        "refcoco": at("refs", 1, "ref_id", to=0),
        "visual-genome": at("regions", 1, "regions", 1, "region_id", to=10),
        "label-studio": lambda data: data[1]["annotations"][0]["result"].append(data[1]["annotations"][0]["result"][1]),
    },
    "no size": {
        "flickr30k-entities": text((1, "xml"), ("<size>", "<sizes>"), ("</size>", "</sizes>")),
        "coco": every(gone("images", 1, "width"), gone("images", 1, "height")),
        "mdetr": every(*(gone("images", place, side) for place in (2, 3) for side in ("width", "height"))),
        "odvg": every(*(gone(place, side) for place in (2, 3) for side in ("width", "height"))),
        "hub": every(gone(1, "width"), gone(1, "height")),
        "parquet": every(at(1, "width", to=None), at(1, "height", to=None)),
        "refcoco": every(gone("images", 1, "width"), gone("images", 1, "height")),
        "visual-genome": every(gone("images", 1, "width"), gone("images", 1, "height")),
        "label-studio": every(*(gone(1, *RESULT, 0, side) for side in ("original_width", "original_height"))),
        "cvat": text(1, (f'width="{WIDTH}" height="{HEIGHT}"', "")),
    },
}
"""Kinds of bad details: how each format gets one; a format that cannot have it is missing."""
for _edits in BAD.values():
    if "hub" in _edits:
        _edits.setdefault("parquet", _edits["hub"])


SAID = {
    "box over the edge": "is not inside the image of 40 x 30 pixels: it is cut",
    "box outside": "is outside the image of 40 x 30 pixels",
    "box without area": "has no area",
    "no box": "has 3 numbers, not 4|not a number|boxes are whole pixels",
    "unknown category": "is null, not|is in no list of categories|has no label",
    "phrase without words": "empty|has no word|is no part of a caption|is in no caption|does not have '' once",
    "phrase that is not there": "is no part of a caption of 18|is in no caption|does not have 'a horse' once",
    "span of other words": "'a car', but the caption has 'A dog' there|'a car' .* is in no caption",
    "phrases that share a word": "two phrases share a word: 'dog' is left out",
    "unknown reference": r"is in no (list|caption)|names 'gone', which is neither|is 7: the image has 2|99 is not 1",
    "empty caption": "is empty|is null, not a text",
    "id twice": "occurs twice|is that of .*, too",
}
"""The words about each kind of detail; nothing is said of the other kinds."""


class Outcome(NamedTuple):
    """The numbers of images and of captions that were read, what became of the detail, and what is said of it."""

    images: int
    captions: int
    fate: str
    said: list[str]


IN_JSON = tuple(name for name in SOURCES if name not in ("flickr30k-entities", "parquet", "cvat", "predictions"))
"""The formats that are JSON and name images."""
ROWS = {"coco": "images", "mdetr": "images", "refcoco": "refs", "visual-genome": "regions"}
"""The field with the rows that name images; the other formats are rows and nothing else."""
KEYS = {"folder": "image", "odvg": "filename", "refcoco": "image_id", "visual-genome": "id", "karpathy": "filename"}
"""The field by which a row names its image, where that is not file_name."""


def broken(folder: Path, name: str, rng: Random) -> tuple[int, int, int]:
    """Write a source with rows that fail in ways drawn at random, and read it.

    Returns the number of images that the rows name, with each row that names none, and those taken and left out.
    """
    data = SOURCES[name].made()
    rows, key, named = data[ROWS[name]] if name in ROWS else data, KEYS.get(name, "file_name"), set[Any]()
    for place, row in enumerate(rows):
        inner, own = (row["data"], "image") if name == "label-studio" else (row, key)
        ways: list[Any] = [row, row, [], 7, None, "x", {}, f"../{place}.jpg", f"gone {place}.jpg", 5, None]
        way = rng.choice(ways[:7] if name in ("refcoco", "visual-genome") else ways)
        if isinstance(way, str) and way != "x":
            inner[own] = way
        elif way != row:
            rows[place] = way
            named.add(("row", place))
            continue
        named.add(inner[own])
    SOURCES[name].write(folder, data)
    for picture in _names():
        (folder / picture).write_bytes(plain_jpeg(WIDTH, HEIGHT))
    found = list(FORMAT[name].images(folder, FolderPictures(folder)))
    report = ImportReport(problems=[one for one in found if isinstance(one, Problem)])
    unused = {one.image for one in report.problems if "has no captions in" in one.message}
    return len(named), sum(isinstance(one, DatasetImage) for one in found), report.left_out - len(unused)


def outcome(folder: Path, name: str, edit: Edit = lambda data: None) -> Outcome:
    """Write the source of a format with the edit, and read it."""
    data = SOURCES[name].made()
    edit(data)
    SOURCES[name].write(folder, data)
    if name == "predictions":
        return _predictions(folder)
    for picture in _names():
        (folder / picture).write_bytes(plain_jpeg(WIDTH, HEIGHT))
    return outcome_of(folder, name)


def outcome_of(folder: Path, name: str) -> Outcome:
    """Read a source that is there."""
    assert detect(folder).name == name
    pictures = FORMAT[name].open_pictures(folder, FolderPictures(folder))
    found = list(FORMAT[name].images(folder, pictures))
    images = [one for one in found if isinstance(one, DatasetImage)]
    details = [one for one in found if isinstance(one, Detail)]
    cut = [one.cut for one in details]
    fate = _fate(cut=any(cut), dropped=not all(cut))
    return Outcome(len(images), sum(len(one.captions) for one in images), fate, [*map(str, details)])


def _fate(*, cut: bool, dropped: bool) -> str:
    return "cut" if cut else "left out" if dropped else "read"


def _predictions(folder: Path) -> Outcome:
    phrase = NamedPhrase(0, 0, 0, 2, "a dog", ("animals",))
    images = {number: ImagePhrases(str(number), WIDTH, HEIGHT, [phrase]) for number in range(IMAGES)}
    by_name: Any = images | {str(number): image for number, image in images.items()}
    data = (folder / "results.json").read_bytes()
    found = read_predictions(
        "results.json", data, lambda names: {one: by_name[one] for one in names if one in by_name}, spare=True
    )
    dropped = bool(found.left_out or found.unknown)
    return Outcome(len(found.images), 0, _fate(cut=bool(found.cut), dropped=dropped), [])


def fates() -> dict[str, dict[str, str]]:
    """Return what becomes of each kind of detail in each format."""
    found: dict[str, dict[str, str]] = {}
    for kind, edits in BAD.items():
        for name, edit in edits.items():
            with TemporaryDirectory() as folder:
                found.setdefault(kind, {})[name] = outcome(Path(folder), name, edit).fate
    return found


def table(found: dict[str, dict[str, str]]) -> str:
    """Return the table of the docs."""
    lines = [f"| | {' | '.join(SOURCES)} |", f"| --- |{' --- |' * len(SOURCES)}"]
    lines += [f"| {kind} | {' | '.join(own.get(name, '–') for name in SOURCES)} |" for kind, own in found.items()]
    return "\n".join(lines) + "\n"


def main() -> None:
    before, rest = FILE.read_text().split(BEGIN)
    FILE.write_text(f"{before}{BEGIN}{table(fates())}{END}{rest.split(END)[1]}")


if __name__ == "__main__":
    main()
