import json
from pathlib import Path

import pytest
from django.core.management import call_command

from annotation.models import Box, Caption, Chain, Image, KnownBox, Mention, Project
from exchange import import_dataset as importing
from exchange.import_dataset import import_dataset
from pipeline.record.replay import replay
from pipeline.rules.settings.protocol import ProtocolSettings
from pipeline.tick import tick
from tests.support.pictures import plain_jpeg

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("empty_storage")]


def folder_source(tmp_path: Path, *lines: str, name: str = "captions.jsonl") -> Path:
    folder = tmp_path / "folder"
    (folder / "images").mkdir(parents=True)
    for number in (1, 2):
        (folder / "images" / f"{number}.jpg").write_bytes(plain_jpeg(40 * number, 30))
    (folder / name).write_text("\n".join(lines) + "\n", encoding="utf-8")
    return folder


def test_new_types_come_from_the_dictionaries_as_the_project_edits_them(tmp_path: Path) -> None:
    source = folder_source(tmp_path, '{"image": "1.jpg", "captions": ["[a gizmo] on [a dog]"]}')
    edited = ProtocolSettings(dictionaries={"add": {"instruments": ["gizmo"]}})
    import_dataset(project_name="parks", path=source, settings=edited)
    assert list(Mention.objects.order_by("number").values_list("types", flat=True)) == [["instruments"], ["animals"]]


def test_a_folder_with_csv_and_marked_phrases(tmp_path: Path) -> None:
    lines = ["image,caption", "1.jpg,[/people A man] with [a hat]", '1.jpg,"[He], again"', "2.jpg,[A dog] runs"]
    report = import_dataset(project_name="parks", path=folder_source(tmp_path, *lines, name="captions.csv"))
    assert (report.images, report.problems, report.mentions) == (2, [], 3)
    texts = Mention.objects.order_by("image__position", "number").values_list("text", "types")
    assert list(texts) == [("A man", ["people"]), ("a hat", ["clothing"]), ("A dog", ["animals"])]
    assert Caption.objects.get(text="He, again").non_visual == [[0, 1]], "a pronoun is not a mention"
    assert list(Image.objects.values_list("width", "height")) == [(40, 30), (80, 30)]
    tick()
    assert list(replay(Project.objects.get())) == []


def test_captions_without_phrases_wait_and_are_reported_where_nothing_can_chunk_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(importing, "make_chunker", lambda *_: None)
    lines = ['{"image": "1.jpg", "captions": ["A man runs"]}', '{"image": "2.jpg", "captions": ["[A dog] runs"]}']
    source = folder_source(tmp_path, *lines)
    call_command("import_dataset", "parks", str(source))
    assert "1 images wait for their phrases" in capsys.readouterr().out
    tick()
    assert list(Image.objects.order_by("position").values_list("state", flat=True)) == ["linking", "boxing"]
    waiting = Image.objects.get(name="1")
    assert (waiting.mentions.count(), waiting.questions.count(), waiting.entries.count()) == (0, 0, 1)
    assert list(replay(Project.objects.get())) == []


def test_a_phrase_longer_than_any_table_holds_is_reported(tmp_path: Path) -> None:
    long = "very " * 150 + "long dog"
    lines = [f'{{"image": "1.jpg", "captions": ["[{long}]"]}}', '{"image": "2.jpg", "captions": ["[A dog] runs"]}']
    report = import_dataset(project_name="parks", path=folder_source(tmp_path, *lines))
    assert (report.images, [problem.image for problem in report.problems]) == (1, ["1.jpg"])
    assert "captions.jsonl:1" in str(report.problems[0]) and "500" in str(report.problems[0])


def coco_source(tmp_path: Path, category: str = "dog") -> Path:
    folder = tmp_path / "coco"
    (folder / "images").mkdir(parents=True)
    (folder / "images" / "7.jpg").write_bytes(plain_jpeg(40, 30))
    images = [{"id": 7, "file_name": "7.jpg", "width": 40, "height": 30}]
    captions = [{"id": 1, "image_id": 7, "caption": "A dog runs"}]
    box = {"id": 1, "image_id": 7, "category_id": 1, "bbox": [1.0, 2.0, 10.0, 20.0]}
    (folder / "captions.json").write_text(json.dumps({"images": images, "annotations": captions}))
    categories = [{"id": 1, "name": category}]
    instances = {"images": images, "annotations": [box], "categories": categories}
    (folder / "instances.json").write_text(json.dumps(instances))
    return folder


@pytest.mark.parametrize("gold", [False, True])
def test_coco_boxes_are_known_boxes_with_a_category_and_never_chains(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, gold: bool
) -> None:
    monkeypatch.setattr(importing, "make_chunker", lambda *_: None)
    report = import_dataset(project_name="parks", path=coco_source(tmp_path), gold=gold)
    assert (report.images, report.problems) == (1, [])
    known = KnownBox.objects.get()
    assert (known.category, known.box) == ("dog", (1, 2, 11, 22))
    assert (Chain.objects.count(), Box.objects.count()) == (0, 0)
    assert Image.objects.get().state != "merged"


def test_a_category_longer_than_any_table_holds_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importing, "make_chunker", lambda *_: None)
    report = import_dataset(project_name="parks", path=coco_source(tmp_path, category="d" * 101))
    assert (report.images, report.left_out) == (0, 1) and "100" in str(report.problems[0])
