"""The reader for Flickr30k Entities: `Sentences/`, `Annotations/`, and a folder of pictures if there is one."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path, PurePosixPath

from annotation.bounds import MOST_CAPTIONS, TEXT_BYTES
from annotation.rules.box import Box
from exchange.checks import Defect, read_bytes, read_lines, source_error
from exchange.dataset import DatasetBox, DatasetCaption, DatasetChain, DatasetImage, DatasetMention, Detail, Problem
from exchange.details import Details
from exchange.formats.pictures import FolderPictures, FoundPictures, SourcePictures, check_size, size_of
from exchange.formats.text_streams import Element, xml_rows
from exchange.names import can_be_named, image_name, names_of, natural_key, paths_by_name, same_name
from exchange.split_captions import (
    NOT_VISUAL,
    BracketedPhrase,
    MarkedCaption,
    joined_caption,
    parse_markup,
    parse_types,
)

_CHAIN = re.compile(r"[0-9]{1,18}")


@dataclass(frozen=True, slots=True)
class Sentences:
    """The contents of a sentence file, and its bad lines, whose captions are missing."""

    captions: tuple[DatasetCaption, ...]
    mentions: tuple[DatasetMention, ...]
    defects: tuple[Defect, ...]
    empty: tuple[Defect, ...] = ()
    """Brackets without a word, which are left out."""


def parse_sentences(lines: list[str]) -> Sentences:
    """Read the lines of one file. Blank lines are skipped."""
    captions: list[DatasetCaption] = []
    mentions: list[DatasetMention] = []
    defects: list[Defect] = []
    empty: list[Defect] = []
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        if len(captions) + len(defects) == MOST_CAPTIONS:
            defects.append(Defect(f"the file has more than {MOST_CAPTIONS:,} captions", number))
            break
        try:
            marked = parse_markup(line)
            caption, found = parse_caption(marked, len(captions))
        except Defect as defect:
            defects.append(Defect(defect.message, number))
            continue
        empty += [Defect(why, number) for why in marked.empty]
        if marked.empty and not marked.words:
            continue
        captions.append(caption)
        mentions.extend(found)
    return Sentences(tuple(captions), tuple(mentions), tuple(defects), tuple(empty))


def parse_caption(marked: MarkedCaption, caption: int) -> tuple[DatasetCaption, list[DatasetMention]]:
    """Read one line as the caption with this number. Raises Defect for markup of another format."""
    mentions = []
    non_visual = []
    for phrase in marked.phrases:
        mention = _mention(phrase, caption)
        if mention is None:
            non_visual.append((phrase.start, phrase.end))
        else:
            mentions.append(mention)
    return joined_caption(marked.words, non_visual=tuple(non_visual)), mentions


def chain_name(text: str) -> str:
    """Return a chain's number without leading zeros. Raises Defect if it is not a whole number."""
    if not _CHAIN.fullmatch(text):
        raise Defect(f"chain id {text[:40]!r} is not a whole number")
    return str(int(text))


def _mention(phrase: BracketedPhrase, caption: int) -> DatasetMention | None:
    """Return the mention of a phrase, or None for a phrase that is not visual."""
    if phrase.tag is None or not phrase.tag.startswith("EN#"):
        raise Defect("a bracket without /EN#<chain>/<type> after it: literal brackets cannot stand in this format")
    number, *types = phrase.tag.removeprefix("EN#").split("/")
    chain = chain_name(number)
    if types == [NOT_VISUAL] and chain == "0":
        return None
    if NOT_VISUAL in types or chain == "0":
        raise Defect(f"/{phrase.tag}: chain 0 goes with the type {NOT_VISUAL} alone, and that type with chain 0")
    return DatasetMention(caption, phrase.start, phrase.end, parse_types(types), chain)


ROOT = "annotation"
_WHOLE = re.compile(r"-?[0-9]{1,9}(\.0+)?")


@dataclass(frozen=True, slots=True)
class Annotations:
    """The contents of an annotation file. Sizes in pixels; `lines` holds the line that names each chain first."""

    width: int
    height: int
    boxes: tuple[DatasetBox, ...]
    scene: frozenset[str]
    no_box: frozenset[str]
    lines: dict[str, int]


def parse_annotations(data: bytes, details: Details, measured: tuple[int, int] | None = None) -> Annotations:
    """Read one file. Objects that cannot be used are left out. `measured`: the size of the picture, if there is one.

    Raises Defect with the line for broken XML, and for a file that does not tell the size of a picture that is missing.
    """
    rows = list(xml_rows(BytesIO(data), ROOT, ("size", "object")))
    line = 1 + data.count(b"\n", 0, data.index(f"<{ROOT}".encode()))
    root = Element(ROOT, line, {}, children=rows)
    width, height = _size(root, details, measured)
    boxes = []
    flagged: dict[str, set[str]] = {"scene": set(), "nobndbox": set()}
    lines: dict[str, int] = {}
    for node in root.all("object"):
        with details.left_out("the object", node.line):
            chains = _chains(node)
            lines |= {chain: node.line for chain in chains if chain not in lines}
            flags = [flag for flag in flagged if _flag(node, flag)]
            for flag in flags:
                flagged[flag].update(chains)
            if node.all("bndbox"):
                boxes.append(DatasetBox(_box(node.only("bndbox"), width, height, details), chains))
            elif not flags:
                raise Defect("<object> has neither a <bndbox> nor a flag <scene> or <nobndbox> that is 1", node.line)
    return Annotations(width, height, tuple(boxes), frozenset(flagged["scene"]), frozenset(flagged["nobndbox"]), lines)


def _size(root: Element, details: Details, measured: tuple[int, int] | None) -> tuple[int, int]:
    if measured is not None and not root.all("size"):
        return measured
    try:
        size = root.only("size")
        width, height = (_positive(size.only(tag)) for tag in ("width", "height"))
    except Defect as defect:
        if measured is None:
            raise
        details.add(f"{defect.message}: the size is left out", defect.line)
        return measured
    return width, height


def _chains(node: Element) -> tuple[str, ...]:
    chains = []
    for name in node.all("name"):
        try:
            chains.append(chain_name(name.text.strip()))
        except Defect as defect:
            raise Defect(defect.message, name.line) from defect
    if not chains or "0" in chains or len(set(chains)) < len(chains):
        raise Defect("<object> needs a <name> per chain: at least one, none twice, none 0", node.line)
    return tuple(chains)


def _flag(node: Element, tag: str) -> bool:
    found = node.all(tag)
    if not found:
        return False
    value = node.only(tag).text.strip()
    if value not in ("0", "1"):
        raise Defect(f"<{tag}> is {value[:20]!r}: write 0 or 1", found[0].line)
    return value == "1"


def _box(node: Element, width: int, height: int, details: Details) -> Box:
    x0, y0, x1, y1 = (_whole(node.only(tag)) for tag in ("xmin", "ymin", "xmax", "ymax"))
    sides = [x0 - 1, y0 - 1, x1 - x0 + 1, y1 - y0 + 1]
    return details.box(sides, width, height, f"the box {x0} {y0} {x1} {y1}", node.line, slack=0)


def _whole(node: Element) -> int:
    text = node.text.strip()
    if not _WHOLE.fullmatch(text):
        raise Defect(f"<{node.tag}> is {text[:40]!r}: boxes are whole pixels", node.line)
    return int(text.partition(".")[0])


def _positive(node: Element) -> int:
    value = _whole(node)
    if value < 1:
        raise Defect(f"<{node.tag}> is {value}: an image has at least one pixel", node.line)
    return value


PICTURE_FOLDERS = ("flickr30k-images", "images", "Images")


@dataclass(slots=True)
class _Files:
    """The files of one image."""

    stem: str
    sentences: Path | None = None
    annotations: Path | None = None

    @property
    def first(self) -> Path:
        found = self.sentences or self.annotations
        assert found is not None  # the one by which the image was found
        return found


def read_flickr30k(path: Path, pictures: SourcePictures | None = None) -> Iterator[DatasetImage | Problem]:
    """Yield the images in the order of their names, and every problem of an image that is left out.

    `pictures` are the source's pictures if they are not in its folder. Raises SourceError if the folders of the format
    are missing.
    """
    source = _Source(path, pictures or FolderPictures(path))
    usable: dict[str, _Files] = {}
    problems = []
    for stem, files in source.images().items():
        try:
            image_name(f"{stem}.jpg")
            usable[f"{stem}.jpg"] = files
        except Defect as defect:
            problems.append(defect.problem(source.shown(files.first), stem))
    yield from problems
    names = names_of(usable)
    for path_of_image in sorted(usable, key=lambda one: natural_key(names[one])):
        yield from source.read(names[path_of_image], usable[path_of_image])


class _Source:
    def __init__(self, path: Path, pictures: SourcePictures) -> None:
        self.path = path
        self.pictures = pictures
        self.has_annotations = (path / "Annotations").is_dir()
        if not (path / "Sentences").is_dir():
            raise source_error(path, "has no folder Sentences/: give the folder that holds it")
        # The texts name pictures without an ending.
        stems = [file.stem for file in _files(path / "Sentences", ".txt")]
        self.paths = _paths_of(pictures, stems)
        known = {f"{stem}.jpg": f"{folder}{path}" for stem, (folder, path) in self.paths.items()}
        wanted = [f"{stem}.jpg" for stem in stems]
        self.found = FoundPictures(pictures, wanted, folders=PICTURE_FOLDERS, endings=False, known=known)
        if not self.has_annotations and not self.found:
            raise source_error(path, "has neither Annotations/ nor any pictures: the sizes of the images are unknown")
        self.found.check("Sentences/")

    def images(self) -> dict[str, _Files]:
        """Return the files of every image by its name in the files, which may differ from the others only in case."""
        found = {file.stem: _Files(file.stem, file) for file in _files(self.path / "Sentences", ".txt")}
        by_case: dict[str, list[str]] = {}
        for stem in found:
            by_case.setdefault(same_name(stem), []).append(stem)
        for file in _files(self.path / "Annotations", ".xml") if self.has_annotations else ():
            same = [file.stem] if file.stem in found else by_case.get(same_name(file.stem), [])
            if len(same) == 1 and found[same[0]].annotations is None:
                found[same[0]].annotations = file
            else:
                found.setdefault(file.stem, _Files(file.stem)).annotations = file
        return found

    def read(self, name: str, files: _Files) -> Iterator[DatasetImage | Problem]:
        if files.sentences is None or (self.has_annotations and files.annotations is None):
            missing = f"no captions: Sentences/{files.stem}.txt is missing"
            if files.sentences is not None:
                missing = f"no Annotations/{files.stem}.xml"
            yield Problem(self.shown(files.first), None, files.stem, f"has {missing}")
            return
        shown = self.shown(files.sentences)
        xml = self.shown(files.annotations) if files.annotations else ""
        problems: list[Problem] = []
        sentences, annotations, picture, measured = None, None, None, None
        details, in_xml = Details(shown, files.stem), Details(xml, files.stem)
        try:
            sentences = parse_sentences(read_lines(files.sentences, most=TEXT_BYTES))
            problems += [defect.problem(shown, files.stem) for defect in _defects(sentences)]
            for empty_sentence in sentences.empty:
                details.add(f"{empty_sentence.message}: it is left out", empty_sentence.line)
            if self.found:
                picture = self.found.of(f"{files.stem}.jpg")
                measured = size_of(self.pictures, picture)
        except Defect as defect:
            problems.append(defect.problem(shown, files.stem))
        try:
            if files.annotations:
                data = read_bytes(files.annotations, most=TEXT_BYTES)
                annotations = parse_annotations(data, in_xml, measured)
        except Defect as defect:
            problems.append(defect.problem(xml, files.stem))
        if not problems and sentences is not None:
            try:
                size = self._size(picture, measured, annotations, in_xml)
            except Defect as defect:
                problems.append(defect.problem(shown, files.stem))
            else:
                yield from (*details.found, *in_xml.found, *_unmentioned(sentences, annotations, xml))
                path = self.paths[files.stem][1] if files.stem in self.paths else PurePosixPath(picture or "").name
                yield _image(name, size, sentences, annotations, picture, path, shown)
        yield from problems

    def _size(
        self, picture: str | None, measured: tuple[int, int] | None, annotations: Annotations | None, details: Details
    ) -> tuple[int, int]:
        """Return the image's size in pixels. Raises Defect if boxes have the pixels of another size."""
        if measured is None:
            assert annotations is not None  # a source without either was refused
            return annotations.width, annotations.height
        if annotations is not None and picture is not None and (annotations.width, annotations.height) != measured:
            if annotations.boxes:
                check_size(self.pictures, picture, annotations.width, annotations.height)
            details.add(
                f"the picture is {measured[0]} x {measured[1]} pixels upright: the size of the file is left out"
            )
        return measured

    def shown(self, file: Path) -> str:
        return file.relative_to(self.path).as_posix()


def _paths_of(pictures: SourcePictures, stems: Iterable[str]) -> dict[str, tuple[str, str]]:
    """Return the folder of pictures, with / at its end, and the path in it of each text that is named by its picture.

    Exports name texts so: `cam1_0001.txt` is beside `images/cam1/0001.jpg`.
    """
    found: dict[str, tuple[str, str]] = {}
    for folder in (*(f"{folder}/" for folder in PICTURE_FOLDERS), ""):
        inside = [picture.removeprefix(folder) for picture in pictures if picture.startswith(folder)]
        by_name = paths_by_name(filter(can_be_named, inside), {*stems} - found.keys())
        found |= {stem: (folder, path) for stem, path in by_name.items()}
    return found


def _files(folder: Path, suffix: str) -> list[Path]:
    return sorted(file for file in folder.iterdir() if file.suffix == suffix and not file.name.startswith("."))


def _defects(sentences: Sentences) -> list[Defect]:
    if sentences.captions or sentences.defects:
        return list(sentences.defects)
    if sentences.empty:
        return list(sentences.empty)
    return [Defect("has no captions: the file is empty")]


def _unmentioned(sentences: Sentences, annotations: Annotations | None, xml: str) -> Iterator[Problem]:
    """Yield a problem for each chain that no caption names. The chain is left out, the image is not."""
    mentioned = {mention.chain for mention in sentences.mentions}
    for chain, line in ({} if annotations is None else annotations.lines).items():
        if chain not in mentioned:
            yield Detail(xml, line, "", f"chain {chain} is in no caption: it is left out")


def _image(
    name: str,
    size: tuple[int, int],
    sentences: Sentences,
    annotations: Annotations | None,
    picture: str | None,
    path: str,
    shown: str,
) -> DatasetImage:
    names = dict.fromkeys(mention.chain for mention in sentences.mentions if mention.chain is not None)
    scene = annotations.scene if annotations else frozenset()
    no_box = annotations.no_box if annotations else frozenset()
    boxes = () if annotations is None else annotations.boxes
    kept = (DatasetBox(box.box, tuple(chain for chain in box.chains if chain in names)) for box in boxes)
    return DatasetImage(
        name=name,
        width=size[0],
        height=size[1],
        captions=sentences.captions,
        mentions=sentences.mentions,
        chains=tuple(DatasetChain(chain, scene=chain in scene, no_box=chain in no_box) for chain in names),
        boxes=tuple(box for box in kept if box.chains),
        picture=picture,
        source=shown,
        path=path,
    )
