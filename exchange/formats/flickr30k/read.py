"""The reader for Flickr30k Entities: `Sentences/`, `Annotations/`, and a folder of pictures if there is one."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from annotation.bounds import TEXT_BYTES
from exchange.dataset import DatasetBox, DatasetChain, DatasetImage, Detail, Problem
from exchange.details import Details
from exchange.formats.find_pictures import FoundPictures
from exchange.formats.flickr30k.annotations import Annotations, parse_annotations
from exchange.formats.flickr30k.sentences import Sentences, parse_sentences
from exchange.formats.picture_files import FolderPictures, Pictures, check_size, size_of
from exchange.names import can_be_named, image_name, names_of, natural_key, paths_by_name, same_name
from exchange.problems import Defect, source_error
from exchange.read_text import read_bytes, read_lines

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


def read_flickr30k(path: Path, pictures: Pictures | None = None) -> Iterator[DatasetImage | Problem]:
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
    def __init__(self, path: Path, pictures: Pictures) -> None:
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
            for one in sentences.empty:
                details.add(f"{one.message}: it is left out", one.line)
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


def _paths_of(pictures: Pictures, stems: Iterable[str]) -> dict[str, tuple[str, str]]:
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
        path=path,
    )


def _mentioned_boxes(annotations: Annotations | None, names: frozenset[str]) -> tuple[DatasetBox, ...]:
    boxes = () if annotations is None else annotations.boxes
    kept = (DatasetBox(box.box, tuple(chain for chain in box.chains if chain in names)) for box in boxes)
    return tuple(box for box in kept if box.chains)
