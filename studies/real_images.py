"""Real images of a study: the folder that its command names, and the samples that it takes."""

from pathlib import Path

from django.core.management.base import CommandError, CommandParser

from exchange.dataset import DatasetImage
from exchange.flickr30k.read import read_flickr30k
from exchange.problems import SourceError


def add_path(parser: CommandParser) -> None:
    parser.add_argument("path", type=Path, help="a folder in the Flickr30k Entities format")


def add_folds(parser: CommandParser) -> None:
    """Add the folder, and the options of a study on disjoint samples of its images."""
    add_path(parser)
    parser.add_argument("--folds", type=int, default=5, help="disjoint samples of images (5)")
    parser.add_argument("--images", type=int, default=100, help="images in each (100)")
    parser.add_argument("--seed", type=int, default=0, help="of the samples and the crowd (0)")


def read_images(path: Path) -> list[DatasetImage]:
    """Return the images of a folder that can be read. Raises CommandError if there are none."""
    if not path.is_dir():
        raise CommandError(f"{path}: there is no such folder.")
    try:
        found = [image for image in read_flickr30k(path) if isinstance(image, DatasetImage)]
    except (SourceError, OSError) as error:
        raise CommandError(str(error)) from error
    if not found:
        raise CommandError(f"{path}: no image could be read.")
    return found
