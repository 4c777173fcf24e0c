"""Predictions for the phrases of a data set, from a file in the form that is read everywhere."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from evaluation.errors import InputError
from evaluation.localization.predictions.known_phrases import Key, KnownPhrases
from evaluation.reading.picture import Box
from evaluation.reading.predictions.read_file import read_predictions as read_file

FILES = ("jsonl", "coco")


@dataclass
class Predictions:
    """The predicted boxes of each phrase, the best first."""

    boxes: dict[Key, list[Box]] = field(default_factory=dict)
    """Only phrases with a gold box."""
    unboxed: int = 0
    """Phrases without a gold box: their predictions are ignored."""
    unknown: list[str] = field(default_factory=list)
    """Names of images that the data does not have."""
    unused: int = 0
    """Boxes of a detector whose category fits no phrase of their image."""


def read_predictions(
    path: Path,
    known: KnownPhrases,
    *,
    kind: str = "",
    form: str = "",
    clip: bool = False,
    categories: Mapping[int, str] | None = None,
) -> Predictions:
    """Read a file. `kind`: one of FILES; `form`: one of box_forms.FORMS; without them by its name, and as usual.

    Raises InputError for the first line or entry that is wrong, and for a file without any.
    """
    if path.is_dir():
        raise InputError(f"{path} is a folder: give a file.")
    try:
        found = read_file(
            path.name, path.read_bytes(), known.look, kind=kind, form=form, clip=clip, categories=categories
        )
    except InputError as refused:
        comma = "" if str(refused).startswith(("ends in", "names", "holds")) else ","
        raise InputError(f"{path.name}{comma} {refused}") from refused
    kept = Predictions(unknown=found.unknown, unused=found.unused)
    for placed in found.images:
        for phrase, boxes in placed.boxes.items():
            assert phrase.number is not None
            key = (placed.image.name, phrase.caption, phrase.number)
            if known.has_box(key):
                kept.boxes[key] = [one.box for one in boxes]
            else:
                kept.unboxed += 1
    return kept
