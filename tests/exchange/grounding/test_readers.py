"""Data sets of grounding are read back as they were written."""

import json
from pathlib import Path

import pytest

from annotation.models import Project
from exchange.dataset import DatasetImage
from exchange.detect import detect_format
from exchange.export_dataset import WITH_PICTURES, export_dataset
from exchange.import_dataset import import_dataset
from pipeline.record.replay import replay
from scenes.write import write_source
from tests.exchange.grounding.sets import FORMATS, read, written

SHARD = "data/train-00000-of-00001.parquet"


@pytest.mark.django_db
@pytest.mark.parametrize(("export_format", "file"), (FORMATS | {"parquet": SHARD}).items())
def test_an_export_that_is_imported_and_exported_again_has_the_same_bytes(
    tmp_path: Path, export_format: str, file: str
) -> None:
    write_source(tmp_path / "source", 5, 4, pictures=export_format in WITH_PICTURES)
    import_dataset(project_name="first", path=tmp_path / "source")
    for name in ("first", "second"):
        (tmp_path / name).mkdir()
        target = tmp_path / name if export_format in WITH_PICTURES else tmp_path / name / file
        report = export_dataset(project=Project.objects.get(name=name), target=target, export_format=export_format)
        assert report.images == 4
        if name == "first":
            assert detect_format(tmp_path / name) == export_format
            imported = import_dataset(project_name="second", path=tmp_path / name)
            assert (imported.images, imported.problems) == (4, [])

    assert (tmp_path / "first" / file).read_bytes() == (tmp_path / "second" / file).read_bytes()
    assert list(replay(Project.objects.get(name="second"))) == []


@pytest.mark.parametrize("export_format", FORMATS)
def test_captions_of_one_picture_are_one_image_and_phrases_with_the_same_boxes_one_chain(
    tmp_path: Path, export_format: str
) -> None:
    assert detect_format(written(tmp_path, export_format)) == export_format
    image = read(tmp_path, export_format)[0]

    assert isinstance(image, DatasetImage)
    assert (image.path, image.width, image.height) == ("a/one.jpg", 100, 80)
    assert [caption.text for caption in image.captions] == ["A man and his dog .", "Two friends ."]
    chains = [one.chain for one in image.mentions]
    assert len({*chains}) == 3
    assert [(tuple(one.box), one.chains) for one in image.boxes] == [
        ((0, 0, 21, 60), (chains[0], chains[2])),
        ((30, 20, 50, 40), (chains[1], chains[2])),
    ]
    assert image.coco_id == (7 if export_format == "mdetr" else None)


def test_boxes_of_a_hub_folder_without_phrases_have_their_categories(tmp_path: Path) -> None:
    boxes = {"bbox": [[1, 1, 3, 3], [2, 2, 4, 4]], "categories": ["cat", 3]}
    row = {"file_name": "two.jpg", "width": 9, "height": 9, "text": "A cat .", "objects": boxes}
    (tmp_path / "metadata.jsonl").write_text(f"{json.dumps(row)}\n")

    (image,) = read(tmp_path, "hub")

    assert isinstance(image, DatasetImage)
    assert [(tuple(one.box), one.chains, one.category) for one in image.boxes] == [
        ((1, 1, 4, 4), (), "cat"),
        ((2, 2, 6, 6), (), "3"),
    ]
    assert not image.captions[0].chunked, "its phrases are still to be found"
