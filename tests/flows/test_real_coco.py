"""Real COCO captions and boxes, of which only some pictures are there."""

import json
from pathlib import Path
from typing import Any

import pytest

from annotation.models import Chain, Gold, Image, KnownBox, Project
from exchange import import_dataset as importing
from exchange.export_dataset import export_dataset
from exchange.import_dataset import import_dataset
from pipeline.record.replay import replay
from pipeline.tick import tick
from tests.support.flows import of_real_data

pytestmark = pytest.mark.django_db


def test_what_has_a_picture_goes_in_and_the_rest_is_reported(
    data_folder: Path, tmp_path: Path, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = of_real_data(data_folder, "coco")
    settings.MEDIA_ROOT = tmp_path / "media"
    monkeypatch.setattr(importing, "make_chunker", lambda *_: None)
    report = import_dataset(project_name="coco", path=source)
    pictures = {file.stem for file in (source / "images").iterdir()}
    assert report.images == len(pictures) == report.waiting_for_phrases
    assert report.left_out == len(json.loads((source / "captions.json").read_text())["images"]) - len(pictures)
    assert all("picture" in problem.message for problem in report.problems)
    project = Project.objects.get()
    tick()
    assert (Chain.objects.count(), Gold.objects.count()) == (0, 0), "boxes with a category, never chains"
    assert KnownBox.objects.count() > 50
    assert all(image.captions.count() == 5 for image in Image.objects.all())
    assert list(replay(project)) == []
    assert export_dataset(project=project, target=tmp_path / "out", export_format="coco").left_out == report.images
