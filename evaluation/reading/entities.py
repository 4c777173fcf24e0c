"""Exports in the format of Flickr30k Entities: folders `Sentences/` and `Annotations/`, as a folder or an archive."""

from collections.abc import Callable, Iterable
from pathlib import Path, PurePosixPath

from evaluation.errors import InputError
from evaluation.reading.annotations import read_annotations
from evaluation.reading.picture import Picture
from evaluation.reading.sentences import read_sentences
from evaluation.reading.source import Source, folder_of

Shown = Callable[[Iterable[str], str], Iterable[str]]
"""Shows progress: Work.progress."""


def read_entities(path: Path, shown: Shown = lambda names, _: names) -> list[Picture]:
    """Return the pictures by name. Raises InputError if the folders are missing or a file is of another form."""
    source = Source(path)
    names = source.names()
    top = folder_of(names, "Sentences")
    if top is None:
        raise InputError(f"{path} has no folder Sentences/: give an export in the format flickr30k-entities.")
    sentences, annotations = (
        _stems(names, f"{top}{kind}/", end) for kind, end in (("Sentences", ".txt"), ("Annotations", ".xml"))
    )
    if not sentences:
        raise InputError(f"{path}: Sentences/ holds no .txt file.")
    if missing := sorted(sentences.keys() - annotations.keys()):
        raise InputError(f"{path}: Annotations/{missing[0]}.xml is missing ({len(missing)} are).")
    return [_picture(source, name, sentences[name], annotations[name]) for name in shown(sorted(sentences), "reading")]


def _stems(names: Iterable[str], folder: str, suffix: str) -> dict[str, str]:
    found = {}
    for name in names:
        file = PurePosixPath(name)
        if name == f"{folder}{file.name}" and file.suffix == suffix and not file.name.startswith("."):
            found[file.stem] = name
    return found


def _picture(source: Source, name: str, sentences: str, annotations: str) -> Picture:
    captions = read_sentences(source.text(sentences), sentences)
    boxed = read_annotations(source.read(annotations), annotations)
    return Picture(name, boxed.width, boxed.height, captions, boxed.boxes)
