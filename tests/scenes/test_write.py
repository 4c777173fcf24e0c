"""Scenes as a source folder."""

from pathlib import Path

import pytest
from PIL import Image

from exchange.atomic import TargetExists
from exchange.dataset import DatasetImage, Problem
from exchange.flickr30k.read import read_flickr30k
from scenes.make import make_scene
from scenes.write import write_source


def test_it_writes_sentences_annotations_and_pictures(tmp_path: Path) -> None:
    write_source(tmp_path / "demo", 1, 2)
    names = [make_scene(1, index).image.name for index in range(2)]
    for folder, suffix in (("Sentences", ".txt"), ("Annotations", ".xml"), ("images", ".jpg")):
        assert sorted(file.name for file in (tmp_path / "demo" / folder).iterdir()) == [name + suffix for name in names]
    with Image.open(tmp_path / "demo" / "images" / f"{names[0]}.jpg") as picture:
        assert picture.size == (1200, 800)


def test_it_writes_no_pictures_if_none_are_wanted(tmp_path: Path) -> None:
    write_source(tmp_path / "texts", 1, 13, pictures=False)
    assert {file.name for file in (tmp_path / "texts").iterdir()} == {"Sentences", "Annotations"}
    assert len(list((tmp_path / "texts" / "Sentences").iterdir())) == 13


def known(image: DatasetImage | Problem) -> tuple[object, ...]:
    """All of an image that the format can hold; it keeps no order of boxes and chains."""
    assert isinstance(image, DatasetImage), str(image)
    spans = [caption.non_visual for caption in image.captions]
    chains = sorted(
        ((chain.name, chain.scene, chain.no_box) for chain in image.chains), key=lambda chain: int(chain[0])
    )
    boxes = sorted((box.box, tuple(sorted(box.chains))) for box in image.boxes)
    return image.name, [caption.text for caption in image.captions], spans, image.mentions, chains, boxes


def test_what_is_written_is_read_again_with_nothing_lost(tmp_path: Path) -> None:
    write_source(tmp_path / "texts", 1, 24, pictures=False)
    read = [known(image) for image in read_flickr30k(tmp_path / "texts")]
    assert read == [known(make_scene(1, index).image) for index in range(24)]


def test_it_refuses_a_folder_that_holds_something(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(TargetExists):
        write_source(tmp_path, 1, 1, pictures=False)


def test_it_refuses_to_write_no_scenes(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="at least one"):
        write_source(tmp_path / "none", 1, 0)
