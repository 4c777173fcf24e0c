"""The formats into which corrections are written, and what writes them."""

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from exchange.corrected import flickr30k
from exchange.corrected.kept_edits import KeptEdits
from exchange.dataset import DatasetImage
from exchange.detect import FLICKR30K


class Corrected(NamedTuple):
    """A format."""

    key_of: Callable[[DatasetImage], int | str]
    """Returns what tells an image from others in the files of the format."""
    patch: Callable[[Path, Path, KeptEdits], None]
    """Writes what changes of the files of one folder into another one, which has copies of them all.

    Raises Defect for a file in which the edits have no place.
    """


FORMATS: dict[str, Corrected] = {FLICKR30K: Corrected(flickr30k.key_of, flickr30k.patch_flickr30k)}
