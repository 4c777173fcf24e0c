"""The real mentions on which studies of links simulate workers."""

from pathlib import Path

import pytest

from exchange.dataset import DatasetImage
from exchange.flickr30k.read import read_flickr30k
from simulation.compare_strategies import BedImage, bed_image


@pytest.fixture(scope="session")
def bed(data_folder: Path) -> list[BedImage]:
    """Read all images once for all studies."""
    images = read_flickr30k(data_folder / "flickr30k-entities")
    return [bed_image(image) for image in images if isinstance(image, DatasetImage)]
