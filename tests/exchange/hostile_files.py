"""Files that are made to take far more time or memory than their size, and honest ones of each format."""

import gzip
import json
import pickle
import tracemalloc
from collections.abc import Callable, Iterable, Iterator
from io import BytesIO
from pathlib import Path
from typing import Any, BinaryIO
from zipfile import ZIP_DEFLATED, ZipFile

from evaluation.errors import InputError
from evaluation.reading.caption_file import read_captions
from evaluation.reading.pictures import read_pictures
from evaluation.reading.predictions.read_file import read_lines
from evaluation.reading.predictions.rows import read_results
from evaluation.reading.source import json_file
from exchange.checks import SourceError
from exchange.formats.pictures import SourcePictures
from exchange.registry import import_format
from tests.exchange.tools.exports import rectangle, relation, span, task
from tests.support.lines_run import lines_run
from tests.support.pictures import plain_jpeg

JPEG = plain_jpeg(100, 80)
BYTES = 60_000
SAID = ("A man and his dog sit on the bench .", "Two friends in the park .")
LAYERS = "".join(f'<!ENTITY {new} "{f"&{old};" * 10}">' for old, new in zip("abcdefg", "bcdefgh", strict=True))
Rows = list[dict[str, Any]]


class Drawn(SourcePictures):
    """Pictures of which any name exists, as far as readers ask; a list of them is never needed."""

    def __iter__(self) -> Iterator[str]:
        return iter(())

    def __contains__(self, name: object) -> bool:
        return True

    def head(self, name: str) -> BinaryIO:
        return BytesIO(JPEG)

    open = head


def written(folder: Path, **files: Any) -> None:
    """Write files, whose names have _ for their point and __ for /: what is no text or bytes as JSON."""
    for name, content in files.items():
        path = folder / ".".join(name.replace("__", "/").rsplit("_", 1))
        path.parent.mkdir(exist_ok=True)
        text = content if isinstance(content, str | bytes) else json.dumps(content)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())


def images(count: int, **more: Any) -> Rows:
    return [{"id": n, "file_name": f"a/{n:06}.jpg", "width": 100, "height": 80} | more for n in range(count)]


def boxes(count: int, **more: Any) -> Rows:
    return [{"id": n, "image_id": n, "category_id": 1, "bbox": [1, 2, 30.5, 40]} | more for n in range(count)]


def instances(count: int, **more: Any) -> dict[str, Rows]:
    return {"images": images(count), "annotations": boxes(count, **more), "categories": [{"id": 1, "name": "dog"}]}


def captioned(rows: Rows, captions: Rows) -> dict[str, Rows]:
    return {"images": rows, "annotations": captions}


def captions_of(count: int) -> Rows:
    return [{"id": 2 * n + k, "image_id": n, "caption": text} for n in range(count) for k, text in enumerate(SAID)]


def refs(count: int, **more: Any) -> Rows:
    said = [{"sent_id": 0, "sent": text, "raw": text, "tokens": text.split()} for text in SAID]
    return [{"ref_id": n, "ann_id": n, "image_id": n, "split": "train", "sentences": said} | more for n in range(count)]


def pickled(rows: Any, *, own: bool = False) -> bytes:
    """Return a pickle; with `own`, each of its lists and texts is written again wherever it is used."""
    return pickle.dumps(json.loads(json.dumps(rows)) if own else rows, 2)


def lines_of(rows: Iterable[Any]) -> str:
    return "".join(f"{json.dumps(one)}\n" for one in rows)


def odvg(n: int, caption: str = SAID[0], **region: Any) -> dict[str, Any]:
    grounding = {"caption": caption, "regions": [{"bbox": [1, 2, 30, 40], "tokens_positive": [[0, 5]]} | region]}
    return {"filename": f"a/{n:06}.jpg", "width": 100, "height": 80, "grounding": grounding}


def hub(n: int, **more: Any) -> dict[str, Any]:
    objects = {"bbox": [[1, 2, 30, 40]], "caption": [0], "start": [0], "end": [5]}
    return {"file_name": f"a/{n}.jpg", "width": 100, "height": 80, "captions": SAID, "objects": objects} | more


def table(folder: Path, count: int, compression: str = "snappy", **columns: Any) -> None:
    import pyarrow
    from pyarrow import parquet

    own = {"file_name": [f"a/{n:06}.jpg" for n in range(count)], "width": [100] * count, "height": [80] * count}
    made = pyarrow.table(own | columns)
    parquet.write_table(made, folder / "set.parquet", compression=compression)


def karpathy(n: int, **more: Any) -> dict[str, Any]:
    said = [{"raw": text, "tokens": text.split()} for text in SAID]
    return {"filename": f"{n:06}.jpg", "filepath": "a", "cocoid": n, "sentences": said} | more


def regions(count: int) -> Rows:
    sides = {"x": 1, "y": 2, "width": 30, "height": 40}
    return [
        {"id": n, "regions": [{"region_id": 2 * n + k, "phrase": text} | sides for k, text in enumerate(SAID)]}
        for n in range(count)
    ]


def tasks(count: int, *results: Any, **data: Any) -> Rows:
    own = [rectangle("b", (0.25, 0, 10, 75), "Person"), *(results or (span("s", 0, 5, "A man"), relation("s", "b")))]
    return [task(own, f"a/{n:06}.jpg", **({"caption": SAID[0]} | data)) for n in range(count)]


def cvat(count: int, inside: str = '<attribute name="caption">two friends</attribute>') -> str:
    box = f'<box label="man" xtl="0.50" ytl="0.00" xbr="20.50" ybr="60.00" group_id="1">{inside}</box>'
    return framed("".join(f'<image name="a/{n:06}.jpg" width="200" height="80">{box}</image>' for n in range(count)))


def framed(inside: str, before: str = "") -> str:
    return f"{before}<annotations>{inside}</annotations>"


OBJECT = "<object><name>1</name><bndbox><xmin>1</xmin><ymin>2</ymin><xmax>30</xmax><ymax>40</ymax></bndbox></object>"


def marked(folder: Path, count: int, objects: str = OBJECT, sentence: str = "", before: str = "") -> None:
    size = "<size><width>100</width><height>80</height></size>"
    for n in range(count):
        text = sentence or "[/EN#1/people A man] and his dog sit on the bench .\n" * 5
        annotation = f"{before}<annotation>{size}{objects}</annotation>"
        written(folder, **{f"Sentences__{n}_txt": text, f"Annotations__{n}_xml": annotation})


def predictions(count: int) -> Rows:
    own = {"caption": 0, "phrase": "A man", "boxes": [[1, 2, 30, 40]], "scores": [0.5]}
    return [{"image": f"a/{n:06}.jpg"} | own for n in range(count)]


Writer = Callable[[Path, int], object]
HONEST: dict[str, Writer] = {
    "coco": lambda to, n: written(to, captions_json=captioned(images(n), captions_of(n)), instances_json=instances(n)),
    "refcoco": lambda to, n: written(to, instances_json=instances(n), refs_p=pickled(refs(n), own=True)),
    "mdetr": lambda to, n: written(
        to, set_json=captioned(images(n, caption=SAID[0]), boxes(n, tokens_positive=[[0, 5]]))
    ),
    "odvg": lambda to, n: written(to, set_jsonl=lines_of(map(odvg, range(n)))),
    "hub": lambda to, n: written(to, metadata_jsonl=lines_of(map(hub, range(n)))),
    "parquet": lambda to, n: table(to, n, caption=[f"{SAID[place % 2]} {place}" for place in range(n)]),
    "visual-genome": lambda to, n: written(
        to,
        **{
            "region_descriptions_json": regions(n),
            "image_data_json": [one | {"url": one["file_name"]} for one in images(n)],
        },
    ),
    "label-studio": lambda to, n: written(to, e_json=tasks(n)),
    "cvat": lambda to, n: written(to, a_xml=cvat(n)),
    "flickr30k-entities": lambda to, n: marked(to, n),
    "folder": lambda to, n: written(
        to, captions_jsonl=lines_of({"image": f"{i}.jpg", "captions": SAID} for i in range(n))
    ),
    "karpathy": lambda to, n: written(to, dataset_a_json={"images": [karpathy(place) for place in range(n)]}),
    "grounding": lambda to, n: written(to, set_jsonl=lines_of(map(odvg, range(n)))),
    "predictions": lambda to, n: written(to, p_jsonl=lines_of(predictions(n))),
    "captions": lambda to, n: written(
        to, c_gz=gzip.compress("".join(f"{i}.jpg#0\t{SAID[0]} {i}\n" for i in range(n)).encode())
    ),
    "export": lambda to, n: marked(to, n),
}
COLLIDING = [{"id": n * (2**61 - 1), "image_id": n} for n in range(2_000)]
"""Rows whose ids all have the hash of 0."""
LETTERS = "abcdefghijk"
CASES = ["".join(one.upper() if n >> k & 1 else one for k, one in enumerate(LETTERS)) for n in range(1_000)]
SHARED = [{"sent_id": 1, "sent": "a man"}] * 1_000
WORDS = "a " * 1_400
PHRASES = [{"tokens_positive": [[2 * n, 2 * n + 1]], "chain": f"{n}"} for n in range(1_400)]
EMPTY = "[" + ",".join(["{}"] * 20_000) + "]"
NUMBERS = "[" + ",".join(["1"] * 30_000) + "]"
POLYGON = {"id": "p", "type": "polygonlabels", "value": {"points": [[1, 2]] * 6_000}}
ATTRIBUTES = " ".join(f'a{n}=""' for n in range(7_000))
IMAGE, CAPTION = '<image name="a" width="100" height="80">', '<attribute name="caption">'
GROUPED = "".join(
    f'<box label="a" xtl="1" ytl="1" xbr="9" ybr="9" group_id="1">{CAPTION}a {n}</attribute></box>' for n in range(900)
)
LETTER_LINES = "a\n" * 30_000
NOTHING = [None] * 300_000


def bomb(folder: Path) -> None:
    """Write the archive of an export with one file of 20 MB of the same letter."""
    with ZipFile(folder / "x.zip", "w", ZIP_DEFLATED) as archive:
        archive.writestr("Sentences/1.txt", "m" * 20_000_000)
        archive.writestr("Annotations/1.xml", "<annotation/>")


def coco_of(image: Rows, captions: Any = (), drawn: Rows | None = None) -> Callable[[Path], None]:
    more = {} if drawn is None else {"instances_json": instances(0) | {"annotations": drawn}}
    return lambda to: written(to, captions_json=captioned(image, list(captions)), **more)


def refs_of(data: Any, count: int = 1, **more: Any) -> Callable[[Path], None]:
    return lambda to: written(to, instances_json=instances(count, **more), refs_p=data)


def xml(inside: str, before: str = "") -> Callable[[Path], None]:
    return lambda to: written(to, a_xml=framed(inside, before))


def cost(kind: str, folder: Path) -> tuple[int, int, str]:
    """Read the source, and return the lines of Python run, the most bytes held at once, and why it is refused."""
    refused = ""

    def read() -> None:
        nonlocal refused
        try:
            read_as(kind, folder)
        except (SourceError, InputError) as error:
            refused = str(error)

    lines = lines_run(read)
    tracemalloc.start()
    try:
        if "parquet" in kind:
            return lines, of_arrow(read) + tracemalloc.get_traced_memory()[1], refused
        read()
        return lines, tracemalloc.get_traced_memory()[1], refused
    finally:
        tracemalloc.stop()


def of_arrow(read: Callable[[], None]) -> int:
    """Return the most bytes that Arrow, which Python does not see, holds at once."""
    import pyarrow

    usual = pyarrow.default_memory_pool()
    pool = pyarrow.proxy_memory_pool(usual)
    pyarrow.set_memory_pool(pool)
    try:
        read()
        return pool.max_memory() or 0
    finally:
        pyarrow.set_memory_pool(usual)


def read_as(kind: str, folder: Path) -> object:
    file = next(iter(sorted(folder.iterdir())))
    match kind:
        case "predictions":
            return read_lines(file.read_text()) if file.suffix == ".jsonl" else read_results(json_file(file), {})
        case "captions":
            return read_captions(file)
        case "export" | "grounding":
            return read_pictures(file if file.is_file() else folder)
    return list(import_format(kind).images(folder, Drawn()))


def size_of(folder: Path) -> int:
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())


HOSTILE: dict[tuple[str, str], Callable[[Path], object]] = {
    ("coco", "rows of nothing"): lambda to: written(to, captions_json=f'{{"images": {EMPTY}, "annotations": []}}'),
    ("coco", "captions of nothing"): (
        lambda to: written(to, captions_json=f'{{"images": [], "annotations": {EMPTY}}}')
    ),
    ("coco", "a small file"): coco_of(images(1), captions_of(1)),
    ("coco", "one file name"): coco_of([one | {"file_name": "a.jpg"} for one in images(1_000)]),
    ("coco", "names that differ in case"): (
        coco_of([{**images(1)[0], "id": n, "file_name": CASES[n]} for n in range(1_000)])
    ),
    ("coco", "ids of one hash"): coco_of(COLLIDING),
    ("coco", "a long id again and again"): coco_of([{"id": "x" * 30_000}] * 2, [{"image_id": "x" * 30_000}]),
    ("mdetr", "a box of every chain"): (
        lambda to: written(to, set_json=captioned(images(1, caption=WORDS), [boxes(1)[0] | one for one in PHRASES]))
    ),
    ("mdetr", "one span again and again"): (
        lambda to: written(
            to, set_json=captioned(images(1, caption=SAID[0]), boxes(1, tokens_positive=[[0, 1]] * 10_000))
        )
    ),
    ("mdetr", "rows of nothing"): (
        lambda to: written(to, set_json=f'{{"images": {EMPTY}, "annotations": [], "tokens_positive": 1}}')
    ),
    ("refcoco", "sentences that all refs share"): refs_of(pickled(refs(500, sentences=SHARED))),
    ("refcoco", "a long sentence that all refs share"): refs_of(pickled(refs(500, sentences=[{"sent": WORDS}]))),
    ("refcoco", "keys of one hash"): refs_of(pickled({one["id"]: 0 for one in COLLIDING})),
    ("refcoco", "ids of one hash"): refs_of(pickled([{"ref_id": one["id"], "image_id": 0} for one in COLLIDING])),
    ("refcoco", "a long id that faults repeat"): (
        refs_of(pickled(refs(500, ann_id=0, image_id=1)), 2, image_id="x" * 9_000)
    ),
    ("refcoco", "empty lists"): refs_of(b"(" + b"]" * BYTES + b"l."),
    ("refcoco", "empty dicts that are kept"): refs_of(b"(" + b"}\x94" * (BYTES // 2) + b"l."),
    ("refcoco", "lists in lists"): refs_of(b"]" * BYTES + b"a" * (BYTES - 1) + b"."),
    ("odvg", "lines of a letter"): lambda to: written(to, set_jsonl='{"grounding": 1}\n' + "1\n" * 30_000),
    ("odvg", "regions of one phrase"): (
        lambda to: written(
            to,
            set_jsonl=lines_of(
                odvg(0, WORDS, tokens_positive=[[0, 1]] * 1_000, bbox=[[1, 2, 3, 4]] * 1_000) for n in range(3)
            ),
        )
    ),
    ("hub", "lines of a letter"): lambda to: written(to, metadata_jsonl="1\n" * 30_000),
    ("hub", "captions of a letter"): (
        lambda to: written(to, metadata_jsonl=lines_of([hub(0, captions=["a"] * 10_000)] * 2))
    ),
    ("hub", "a path of folders"): lambda to: written(to, metadata_jsonl=lines_of([hub(0, file_name="a/" * 25_000)])),
    ("parquet", "a text that all rows share"): lambda to: table(to, 2_000, caption=["m" * 20_000] * 2_000),
    ("parquet", "captions that are one"): lambda to: table(to, 1, caption=[["m" * 2_000] * 50_000]),
    ("parquet", "a name that all rows share"): lambda to: table(to, 3_000, file_name=["a/" * 9_000] * 3_000),
    ("parquet", "a path of folders"): lambda to: table(to, 1, file_name=["a/" * 9_000], caption=["a man"]),
    ("parquet", "a picture that all rows share"): lambda to: table(to, 3_000, image=[{"bytes": JPEG * 99}] * 3_000),
    ("parquet", "rows of nothing"): lambda to: table(to, 300_000, file_name=NOTHING, width=NOTHING, height=NOTHING),
    ("parquet", "a list of nothing"): lambda to: table(to, 1, caption=[[*NOTHING, "a man"]]),
    ("parquet", "a text of one letter"): lambda to: table(to, 1, "zstd", caption=["m" * 20_000_000]),
    ("visual-genome", "rows of nothing"): (
        lambda to: written(to, **{"region_descriptions_json": EMPTY, "image_data_json": []})
    ),
    ("visual-genome", "images of nothing"): (
        lambda to: written(to, **{"region_descriptions_json": [], "image_data_json": EMPTY})
    ),
    ("visual-genome", "numbers"): (
        lambda to: written(to, **{"region_descriptions_json": NUMBERS, "image_data_json": []})
    ),
    ("label-studio", "numbers"): lambda to: written(to, e_json=f'[{{"data": 1}}, {NUMBERS[1:]}'),
    ("label-studio", "spans and relations"): (
        lambda to: written(
            to,
            e_json=tasks(
                1,
                *(span(f"s{n}", 2 * n, 2 * n + 1, "a") for n in range(500)),
                *(relation(f"s{n}", "b") for n in range(500)),
                caption=WORDS,
            ),
        )
    ),
    ("label-studio", "a row of relations"): (
        lambda to: written(
            to,
            e_json=tasks(
                1,
                *(span(f"s{n}", 2 * n, 2 * n + 1, "a") for n in range(190)),
                *(relation(f"s{n}", f"s{n - 1}") for n in range(189, 0, -1)),
                caption=WORDS,
            ),
        )
    ),
    ("label-studio", "spans of many captions"): (
        lambda to: written(
            to, e_json=tasks(1, *(span(f"s{n}", n, n + 1, "b", to="x") for n in range(200)), captions=["c" * 50] * 900)
        )
    ),
    ("label-studio", "a polygon of points"): lambda to: written(to, e_json=tasks(1, POLYGON)),
    ("cvat", "entities"): xml('<image name="&a;"/>', f'<!DOCTYPE a [<!ENTITY h "{"x" * 1_000}">{LAYERS}]>'),
    ("cvat", "a document type of elsewhere"): xml("", '<!DOCTYPE a SYSTEM "file:///etc/passwd">'),
    ("cvat", "elements in elements"): xml(f"<image>{'<a>' * 8_000}{'</a>' * 8_000}</image>"),
    ("cvat", "empty elements"): xml(f"<image>{'<a/>' * 15_000}</image>"),
    ("cvat", "images of nothing"): xml("<image/>" * 8_000),
    ("cvat", "attributes"): xml(f"<image {ATTRIBUTES}/>"),
    ("cvat", "lines of a letter"): xml(f"{IMAGE}<tag>{CAPTION}{LETTER_LINES}</attribute></tag></image>"),
    ("cvat", "captions and boxes of one group"): xml(f"{IMAGE}{GROUPED}</image>"),
    ("flickr30k-entities", "entities"): (
        lambda to: marked(to, 1, "<object>&a;</object>", before=f"<!DOCTYPE a [{LAYERS}]>")
    ),
    ("flickr30k-entities", "elements in elements"): lambda to: marked(to, 1, "<a>" * 8_000 + "</a>" * 8_000),
    ("flickr30k-entities", "empty elements"): lambda to: marked(to, 1, "<a/>" * 15_000),
    ("flickr30k-entities", "open brackets"): lambda to: marked(to, 1, sentence="[\n" * 30_000),
    ("karpathy", "rows of nothing"): (
        lambda to: written(to, dataset_a_json=f'{{"sentences": 1, "filename": 1, "images": {EMPTY}}}')
    ),
    ("karpathy", "sentences of nothing"): (
        lambda to: written(to, dataset_a_json={"images": [karpathy(0, sentences=[0] * 30_000)]})
    ),
    ("karpathy", "a sentence of a letter"): (
        lambda to: written(to, dataset_a_json={"images": [karpathy(0, sentences=[{"raw": "a"}] * 5_000)]})
    ),
    ("karpathy", "one file name"): (
        lambda to: written(to, dataset_a_json={"images": [karpathy(0, sentences=[])] * 1_000})
    ),
    ("karpathy", "ids of one hash"): (
        lambda to: written(to, dataset_a_json={"images": [karpathy(n, cocoid=n * (2**61 - 1)) for n in range(400)]})
    ),
    ("odvg", "regions of a number"): (
        lambda to: written(
            to,
            set_jsonl=lines_of([odvg(0) | {"grounding": {"caption": SAID[0], "regions": [1] * 15_000}}]),
        )
    ),
    ("odvg", "a long path and bad regions"): (
        lambda to: written(
            to,
            set_jsonl=lines_of(
                [odvg(0) | {"filename": "a/" * 9_000, "grounding": {"caption": SAID[0], "regions": [1] * 9_000}}]
            ),
        )
    ),
    ("odvg", "phrases that the caption has everywhere"): (
        lambda to: written(
            to,
            set_jsonl=lines_of([odvg(0) | {"grounding": {"caption": WORDS, "regions": [{"phrase": "a"}] * 4_000}}]),
        )
    ),
    ("grounding", "phrases of the whole caption"): (
        lambda to: written(
            to,
            set_jsonl=lines_of([odvg(0, "a " * 9_000, tokens_positive=[[n, 18_000] for n in range(0, 4_000, 2)])]),
        )
    ),
    ("grounding", "boxes of one phrase"): (
        lambda to: written(to, set_jsonl=lines_of([odvg(0, bbox=[[n, 2, 3, 4] for n in range(4_000)])]))
    ),
    ("folder", "lines of a letter"): lambda to: written(to, captions_jsonl="1\n" * 30_000),
    ("folder", "captions of a letter"): (
        lambda to: written(to, captions_jsonl=lines_of([{"image": "a.jpg", "captions": ["a"] * 12_000}]))
    ),
    ("folder", "quotes that stay open"): (
        lambda to: written(to, captions_csv="image,caption\n" + 'a.jpg, "a\n' * 2_000)
    ),
    ("folder", "two images in turn"): (
        lambda to: written(to, captions_csv="image,caption\n" + "a.jpg,a\nb.jpg,a\n" * 1_500)
    ),
    ("predictions", "a field twice"): (
        lambda to: written(to, p_jsonl="{" + ",".join(f'"{n}":1' for n in range(7_000)) + ',"6999":1}\n')
    ),
    ("predictions", "ids of one hash"): (
        lambda to: written(to, p_json={"annotations": [], "images": [{"file_name": "a"} | one for one in COLLIDING]})
    ),
    ("predictions", "open lists"): lambda to: written(
        to, p_jsonl=lines_of([{"image": "a", "caption": 0, "reply": "[" * 300_000}])
    ),
    ("predictions", "open marks"): (
        lambda to: written(
            to, p_jsonl=lines_of([{"image": "a", "caption": 0, "reply": "<ref>" * 50_000 + "</ref><box>" * 30_000}])
        )
    ),
    ("captions", "a file that grows"): (
        lambda to: (to / "c.gz").write_bytes(gzip.compress(f"a.jpg#0\t{SAID[0]}\n".encode() * 500_000))
    ),
    ("export", "an archive that grows"): bomb,
    ("export", "an open bracket and blanks"): lambda to: marked(to, 1, sentence="[/EN#1" + " " * 500_000),
    ("export", "entities"): lambda to: marked(to, 1, "<object>&a;</object>", before=f"<!DOCTYPE a [{LAYERS}]>"),
}
