"""The reader for Flickr30k Entities: `Sentences/`, `Annotations/`, and a folder of pictures if there is one."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from annotation.bounds import TEXT_BYTES
from exchange.dataset import DatasetBox, DatasetChain, DatasetImage, Problem
from exchange.flickr30k.annotations import Annotations, parse_annotations
from exchange.flickr30k.sentences import Sentences, parse_sentences
from exchange.names import image_name, natural_key
from exchange.picture_files import FolderPictures, Pictures, check_size, size_of
from exchange.problems import Defect, source_error
from exchange.read_text import read_bytes, read_lines

PICTURE_FOLDERS = ("flickr30k-images", "images", "Images")


@dataclass(slots=True)
class _Files:
    """The files of one image. More than one of a kind means that names differ only in case or ending."""

    sentences: list[Path] = field(default_factory=list)
    annotations: list[Path] = field(default_factory=list)


def read_flickr30k(path: Path, pictures: Pictures | None = None) -> Iterator[DatasetImage | Problem]:
    """Yield the images in the order of their names, and every problem of an image that is left out.

    `pictures` are the source's pictures if they are not in its folder. Raises SourceError if the folders of the format
    are missing.
    """
    source = _Source(path, pictures or FolderPictures(path))
    images = source.images()
    for name in sorted(images, key=natural_key):
        yield from source.read(name, images[name])


class _Source:
    def __init__(self, path: Path, pictures: Pictures) -> None:
        self.path = path
        self.pictures = pictures
        self.has_annotations = (path / "Annotations").is_dir()
        folder = next((name for name in PICTURE_FOLDERS if pictures.has_folder(name)), None)
        self.by_stem = None if folder is None else pictures.by_stem(folder)
        self.picture_folder = folder
        if not (path / "Sentences").is_dir():
            raise source_error(path, "has no folder Sentences/: give the folder that holds it")
        if not self.has_annotations and folder is None:
            raise source_error(
                path, "has neither Annotations/ nor a folder of pictures (images/): the sizes of the images are unknown"
            )

    def images(self) -> dict[str, _Files]:
        """Return the files of every image. Names that differ only in case count as one image with too many files."""
        found: dict[str, _Files] = {}
        for file in _files(self.path / "Sentences", ".txt"):
            found.setdefault(file.stem.casefold(), _Files()).sentences.append(file)
        if self.has_annotations:
            for file in _files(self.path / "Annotations", ".xml"):
                found.setdefault(file.stem.casefold(), _Files()).annotations.append(file)
        return {(files.sentences + files.annotations)[0].stem: files for files in found.values()}

    def read(self, name: str, files: _Files) -> Iterator[DatasetImage | Problem]:
        try:
            self._check_files(name, files)
        except Defect as defect:
            yield defect.problem(self._shown((files.sentences + files.annotations)[0]), name)
            return
        sentence_file = files.sentences[0]
        shown = self._shown(sentence_file)
        problems: list[Problem] = []
        sentences, annotations = None, None
        try:
            sentences = parse_sentences(read_lines(sentence_file, most=TEXT_BYTES))
            problems += [defect.problem(shown, name) for defect in _defects(sentences)]
        except Defect as defect:
            problems.append(defect.problem(shown, name))
        xml = self._shown(files.annotations[0]) if files.annotations else ""
        try:
            annotations = parse_annotations(read_bytes(files.annotations[0], most=TEXT_BYTES)) if xml else None
        except Defect as defect:
            problems.append(defect.problem(xml, name))
        if not problems and sentences is not None:
            try:
                picture, width, height = self._picture(name, annotations)
            except Defect as defect:
                problems.append(defect.problem(shown, name))
            else:
                yield from _unmentioned(sentences, annotations, xml)
                yield _image(name, (width, height), sentences, annotations, picture, shown)
        yield from problems

    def _check_files(self, name: str, files: _Files) -> None:
        image_name(f"{name}.jpg")
        for kind in (files.sentences, files.annotations):
            if len(kind) > 1:
                raise Defect(f"the same image again as {kind[1].name}: names must differ in more than case")
        if not files.sentences:
            raise Defect(f"has no captions: Sentences/{name}.txt is missing")
        if self.has_annotations and not files.annotations:
            raise Defect(f"has no Annotations/{name}.xml")

    def _picture(self, name: str, annotations: Annotations | None) -> tuple[str | None, int, int]:
        """Return the picture, if the source has pictures, and the image's size in pixels."""
        if self.by_stem is None:
            assert annotations is not None  # a source without either was refused
            return None, annotations.width, annotations.height
        found = self.by_stem.get(name.casefold(), [])
        if len(found) > 1:
            raise Defect(f"has several pictures: {', '.join(found)}")
        if not found:
            raise Defect(f"the picture {self.picture_folder}/{name}.jpg is missing")
        picture = found[0]
        if annotations is None:
            return (picture, *size_of(self.pictures, picture))
        check_size(self.pictures, picture, annotations.width, annotations.height)
        return picture, annotations.width, annotations.height

    def _shown(self, file: Path) -> str:
        return file.relative_to(self.path).as_posix()


def _files(folder: Path, suffix: str) -> list[Path]:
    return sorted(file for file in folder.iterdir() if file.suffix == suffix and not file.name.startswith("."))


def _defects(sentences: Sentences) -> list[Defect]:
    if sentences.captions or sentences.defects:
        return list(sentences.defects)
    return [Defect("has no captions: the file is empty")]


def _unmentioned(sentences: Sentences, annotations: Annotations | None, xml: str) -> Iterator[Problem]:
    """Yield a problem for each chain that no caption names. The chain is left out, the image is not."""
    mentioned = {mention.chain for mention in sentences.mentions}
    for chain, line in ({} if annotations is None else annotations.lines).items():
        if chain not in mentioned:
            yield Problem(xml, line, "", f"chain {chain} is in no caption: it is left out")


def _image(
    name: str,
    size: tuple[int, int],
    sentences: Sentences,
    annotations: Annotations | None,
    picture: str | None,
    shown: str,
) -> DatasetImage:
    names = tuple(dict.fromkeys(mention.chain for mention in sentences.mentions if mention.chain is not None))
    scene = annotations.scene if annotations else frozenset()
    no_box = annotations.no_box if annotations else frozenset()
    return DatasetImage(
        name=name,
        width=size[0],
        height=size[1],
        captions=sentences.captions,
        mentions=sentences.mentions,
        chains=tuple(DatasetChain(chain, scene=chain in scene, no_box=chain in no_box) for chain in names),
        boxes=_mentioned_boxes(annotations, frozenset(names)),
        picture=picture,
        source=shown,
    )


def _mentioned_boxes(annotations: Annotations | None, names: frozenset[str]) -> tuple[DatasetBox, ...]:
    boxes = () if annotations is None else annotations.boxes
    kept = (DatasetBox(box.box, tuple(chain for chain in box.chains if chain in names)) for box in boxes)
    return tuple(box for box in kept if box.chains)
