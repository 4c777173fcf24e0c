"""Boxes of COCO's instances become what the requester chose, and the requester is told how many."""

import json
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.db.models.signals import post_init
from django.test import Client

from annotation.models import Gold, Image, KnownBox, Project
from campaign.data.runs import begin_import, standing
from campaign.models import ImportRun, ModelPrediction
from campaign.predictions.import_predictions import PredictionError, import_predictions
from campaign.predictions.phrases import phrases_of
from exchange import import_dataset as importing
from exchange.dataset import DatasetCaption, DatasetImage, DatasetMention
from exchange.export_dataset import export_dataset
from pipeline.project.settings_versions import open_project
from tests.campaign.conftest import work_on
from tests.support.coco_sources import coco_source
from tests.support.projects import phrases, project_of

pytestmark = pytest.mark.django_db
BOXES: list[tuple[Any, str, list[float]]] = [
    (7, "dog", [1, 1, 10, 10]),
    (7, "person", [2, 2, 20, 20]),
    (7, "person", [5, 5, 20, 20]),
    (7, "bottle", [3, 3, 9, 9]),
]


@pytest.fixture
def source(tmp_path: Path, settings: Any, monkeypatch: pytest.MonkeyPatch) -> Path:
    """One picture with a dog, two people and a bottle, and a caption with two phrases."""

    def found(image: DatasetImage, *_: Any) -> DatasetImage:
        (caption,) = image.captions
        caption = DatasetCaption(caption.text, caption.words, caption.offsets)
        mentions = tuple(DatasetMention(0, start, start + 2) for start in (0, 3))
        return DatasetImage(**{**_fields(image), "captions": (caption,), "mentions": mentions})

    settings.MEDIA_ROOT = tmp_path / "media"
    settings.IMPORT_SOURCES = [str(tmp_path)]
    monkeypatch.setattr(importing, "make_chunker", lambda *_: object())
    monkeypatch.setattr(importing, "chunk_image", found)
    return coco_source(tmp_path / "s", [(7, "7.jpg")], caption="A dog bites a man", boxes=BOXES)


def _fields(image: DatasetImage) -> dict[str, Any]:
    return {name: getattr(image, name) for name in DatasetImage.__slots__}


def exported(tmp_path: Path) -> dict[str, Any]:
    target = tmp_path / "out.json"
    export_dataset(project=Project.objects.get(), target=target, export_format="coco", include_unmerged=True)
    found: dict[str, Any] = json.loads(target.read_text())
    return found


def test_they_are_exported_with_their_categories_unless_another_use_is_chosen(
    source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], admin_client: Client
) -> None:
    call_command("import_dataset", "parks", str(source))
    assert "4 boxes with categories: exported as categories." in capsys.readouterr().out
    written = exported(tmp_path)
    names = {one["id"]: one["name"] for one in written["categories"]}
    assert [names[one["category_id"]] for one in written["annotations"]] == [name for _, name, _ in BOXES]
    assert [one["bbox"] for one in written["annotations"]] == [bbox for *_, bbox in BOXES]
    target = tmp_path / "lines"
    export_dataset(project=Project.objects.get(), target=target, export_format="jsonl", include_unmerged=True)
    known = json.loads(target.read_text().splitlines()[1])["known_boxes"]
    assert known[0] == {"category": "dog", "box": [1, 1, 11, 11]}
    page = admin_client.get(f"/projects/parks/images/{KnownBox.objects.all()[0].image_id}/").text
    assert "Boxes of the import: 4" in page and "dog: 1, 1, 11, 11" in page
    assert (list(names)[8:], [one["chains"] for one in written["annotations"]]) == ([9, 10, 11], [[]] * 4)


def test_they_are_proposed_for_the_phrases_that_they_fit(
    source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    call_command("import_dataset", "parks", str(source), use="proposals")
    assert "4 boxes with categories: 3 proposed for 2 phrases, 1 that fit no phrase." in capsys.readouterr().out
    row = ModelPrediction.objects.get()
    assert (row.due, row.boxes) == (False, [[0, 1, 1, 11, 11], [1, 2, 2, 22, 22], [1, 5, 5, 25, 25]])
    assert exported(tmp_path)["annotations"] == []
    call_command("import_dataset", "parks", str(source))
    assert "4 boxes with categories: exported" in capsys.readouterr().out, "importing again can choose anew"


@pytest.mark.both_engines
def test_they_are_right_answers_where_only_one_box_can_be_meant(
    source: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    call_command("import_dataset", "parks", str(source), use="gold")
    told = "4 boxes with categories: 1 as right answers about 1 phrase, 3 not certain or beside chains."
    assert told in capsys.readouterr().out
    gold = Gold.objects.get()
    assert not gold.complete, "two people may be the man: simulations need to know which"
    assert gold.chains == [{"name": "1", "mentions": [0], "scene": False, "open": False, "boxes": [[1, 1, 11, 11]]}]


def test_the_browsers_import_takes_the_choice_and_tells_how_many(source: Path, admin_user: User) -> None:
    project = open_project(name="parks")
    run = begin_import(project, admin_user, str(source), use="gold")
    ImportRun.objects.filter(pk=run.pk).update(state="waiting")
    work_on(ImportRun.objects.get().pk)
    run.refresh_from_db()
    told = "4 boxes with categories: 1 as right answers about 1 phrase, 3 not certain or beside chains."
    assert (run.state, standing(run)["note"]) == ("done", f"Pictures used: 1 of 1 in the source. {told}")
    assert set(KnownBox.objects.values_list("exported", flat=True)) == {False}


def test_results_of_a_detector_name_images_and_categories_by_the_ids_of_import_and_export(
    source: Path, tmp_path: Path
) -> None:
    call_command("import_dataset", "parks", str(source))
    project, ids = Project.objects.get(), {one["name"]: one["id"] for one in exported(tmp_path)["categories"]}
    rows = [{"image_id": 7.0, "category_id": ids["dog"], "bbox": [1, 2, 3, 4], "score": 0.5}]
    kept = import_predictions(project, "detector", "results.json", json.dumps(rows).encode())
    assert (kept.images, kept.boxes, kept.unknown) == (1, 1, ())
    rows[0]["image_id"], rows[0]["category_id"] = 8, ids["person"]
    with pytest.raises(PredictionError, match="names no image of the data, only others: 8"):
        import_predictions(project, "detector", "results.json", json.dumps(rows).encode())
    rows[0]["category_id"] = 90
    with pytest.raises(PredictionError, match=r"annotations\[0\]: field 'category_id' 90 is in no list"):
        import_predictions(project, "detector", "results.json", json.dumps(rows).encode())


@pytest.mark.parametrize("name", ["1", "1.jpg"])
def test_the_image_of_a_prediction_is_found_without_reading_the_others(name: str) -> None:
    project, read = project_of(*(phrases("people: a man", name=str(number)) for number in range(3))), list[int]()

    def note(instance: Image, **_: object) -> None:
        read.append(instance.pk)

    post_init.connect(note, sender=Image)
    try:
        found = phrases_of(project, [name])
    finally:
        post_init.disconnect(note, sender=Image)
    assert found[name].name == "1" and read == [found[name].id]
