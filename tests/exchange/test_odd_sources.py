"""Each image of a source is read whole, or left out by name, and the counts add up; whatever the source looks like."""

from collections import Counter
from pathlib import Path

import pytest

from exchange.dataset import DatasetImage, Problem, shown_text
from exchange.detect import detect_format, reader_for
from exchange.import_report import ImportReport
from exchange.names import same_name
from exchange.picture_files import FolderPictures
from tests.support.odd_sources import OddSource, odd_source


def wrong_in(source: OddSource) -> list[str]:
    """Return what is not as it must be; nothing if all is well."""
    read = reader_for(detect_format(source.folder))(source.folder, FolderPictures(source.folder))
    items = list(read)
    images = [item for item in items if isinstance(item, DatasetImage)]
    problems = [item for item in items if isinstance(item, Problem)]
    told = {image.path or image.name: image for image in images}
    if source.kind == "entities":
        told = {image.source.removeprefix("Sentences/").removesuffix(".txt"): image for image in images}
    wrong = [f"{path}: not read: {problems}" for path in source.whole.keys() - told.keys()]
    wrong += [f"{path}: read, although {source.images}" for path in told.keys() - source.whole.keys()]
    for path, one in source.whole.items():
        if path in told:
            wrong += [f"{path}: {what}" for what in _not_whole(source, told[path], one.width, one.captions)]
    report = ImportReport(problems=problems)
    # A picture whose captions or image are missing is named for itself in a plain folder.
    if len(images) + report.left_out != source.in_file:
        wrong.append(f"{len(images)} read, {report.left_out} left out, {source.in_file} in the file: {problems}")
    stored = [text for one in problems for text in (one.file, one.image, one.message)]
    stored += [str(text) for image in images for text in (image.name, image.path, image.source, image.coco_id)]
    wrong += [f"{text!r} cannot be stored" for text in stored if text != shown_text(text)]
    names = Counter(same_name(image.name) for image in images)
    wrong += [f"{name}: the name of {often} images" for name, often in names.items() if often > 1]
    return wrong


def _not_whole(source: OddSource, image: DatasetImage, width: int, captions: list[str]) -> list[str]:
    wrong = []
    if [caption.text for caption in image.captions] != captions:
        wrong.append(f"captions {image.captions}")
    if image.width != width:
        wrong.append(f"the picture of another image: {image.picture}")
    if (image.picture is not None) != source.pictures:
        wrong.append(f"picture {image.picture}")
    return wrong


def check(tmp_path: Path, seeds: range) -> None:
    wrong = {}
    for seed in seeds:
        source = odd_source(tmp_path / str(seed), seed)
        if found := wrong_in(source):
            wrong[seed, source.kind] = found
    assert not wrong


def test_of_60_odd_sources_every_image_is_read_whole_or_left_out_by_name(tmp_path: Path) -> None:
    check(tmp_path, range(60))


@pytest.mark.long
def test_of_500_odd_sources_every_image_is_read_whole_or_left_out_by_name(tmp_path: Path) -> None:
    check(tmp_path, range(500))
