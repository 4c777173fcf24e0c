"""Pictures, names and ids of an import as a person sees them: found, counted, and lasting."""

import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from annotation.models import Image, Project
from exchange import import_dataset as importing
from exchange.dataset import DatasetImage
from exchange.export_dataset import export_dataset
from exchange.formats.flickr30k.read import read_flickr30k
from exchange.import_dataset import import_dataset
from pipeline.models import Question
from pipeline.record.read_record import replay
from pipeline.tick import tick
from simulation.scenes.scene import write_source
from tests.support.coco_sources import coco_source
from tests.support.pictures import plain_jpeg
from tests.support.projects import phrases, project_of
from tests.support.table import row

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("empty_storage")]


@pytest.fixture(autouse=True)
def unchunked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Phrases are not found here: that takes long, and no test of this file needs them."""
    monkeypatch.setattr(importing, "make_chunker", lambda *_: None)


def names() -> list[tuple[str, str, Any]]:
    return list(Image.objects.order_by("position").values_list("name", "path", "coco_id"))


def coco_images(project: str, target: Path) -> list[dict[str, Any]]:
    made = Project.objects.get(name=project)
    export_dataset(project=made, target=target, export_format="coco", include_unmerged=True)
    images: list[dict[str, Any]] = json.loads((target / "captions.json").read_text())["images"]
    return images


# --- Pictures ---


@row("annotations/captions_val2017.json", "val2017")
@row("captions.json", "")
@row("captions.json", "images")
@row("captions.json", "my photos/2024")
def test_coco_keeps_its_pictures_wherever_they_lie(
    texts: str, pictures: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = coco_source(tmp_path / "s", [(1, "1.jpg"), (2, "b/2.jpg")], texts=texts, pictures=pictures)
    call_command("import_dataset", "parks", str(source))
    assert not Image.objects.filter(picture="").exists()
    assert "Pictures used: 2 of 2 in the source." in capsys.readouterr().out


def test_a_source_whose_pictures_have_other_names_is_refused_and_makes_no_project(tmp_path: Path) -> None:
    source = coco_source(tmp_path / "s", [(1, "1.jpg")])
    (source / "val2017" / "1.jpg").rename(source / "val2017" / "one.jpg")
    with pytest.raises(CommandError, match=r"names 1 picture \(1.jpg\), and the source has 1 picture \(val2017/one"):
        call_command("import_dataset", "parks", str(source))
    (source / "captions.csv").write_text("image,caption\n1.jpg,A dog\n")
    with pytest.raises(CommandError, match=r"captions\.csv: names 1 picture"):
        call_command("import_dataset", "parks", str(source), "--format", "folder")
    assert not Project.objects.exists()


def test_entities_and_plain_folders_keep_pictures_of_any_folder(tmp_path: Path) -> None:
    write_source(tmp_path / "s", 3, 1, pictures=False)
    (text,) = (tmp_path / "s" / "Sentences").glob("*.txt")
    (tmp_path / "s" / "flickr30k_images").mkdir()
    (tmp_path / "s" / "flickr30k_images" / f"{text.stem}.jpg").write_bytes(plain_jpeg(1200, 800))
    (image,) = read_flickr30k(tmp_path / "s")
    assert isinstance(image, DatasetImage) and image.picture == f"flickr30k_images/{text.stem}.jpg"
    plain = coco_source(tmp_path / "plain", [(1, "1.jpg")], pictures="photos")
    (plain / "captions.csv").write_text("image,caption\n1.jpg,[A dog] runs\n")
    report = import_dataset(project_name="parks", path=plain, source_format="folder")
    assert (report.images, report.with_picture, report.problems) == (1, 1, [])


def test_pictures_come_to_images_that_were_imported_without_and_their_questions_are_asked(tmp_path: Path) -> None:
    source = tmp_path / "s"
    write_source(source, 3, 2, pictures=False)
    call_command("import_dataset", "parks", str(source), use="gold")
    Project.objects.update(state="running")
    tick()
    assert Question.objects.filter(for_people=False).exists() and not Question.objects.filter(for_people=True).exists()
    (source / "pictures").mkdir()
    first, second = sorted((source / "Sentences").glob("*.txt"))
    (source / "pictures" / f"{first.stem}.jpg").write_bytes(plain_jpeg(1200, 800))
    (source / "pictures" / f"{second.stem}.jpg").write_bytes(b"no picture")
    report = import_dataset(project_name="parks", path=source, gold=True)
    assert (report.images, report.already_there, report.left_out, report.pictures_added) == (0, 1, 1, 1)
    image = Image.objects.exclude(picture="").get()
    assert (image.name, image.path) == (first.stem, f"{first.stem}.jpg")
    assert set(Question.objects.filter(for_people=True).values_list("image", flat=True)) == {image.pk}
    assert list(replay(Project.objects.get())) == []
    again = import_dataset(project_name="parks", path=source, gold=True)
    assert (again.already_there, again.pictures_added, again.left_out) == (1, 0, 1)


# --- Names ---

CLASHING = ["image1.jpg", "image1.png", "cam1/x_7.jpeg", "cam1_x/7.jpeg", "a.jpg", "A.jpg", "plain.jpg"]


def test_images_whose_names_clash_are_all_imported_under_names_of_their_own(tmp_path: Path) -> None:
    source = coco_source(tmp_path / "s", enumerate(CLASHING))
    report = import_dataset(project_name="parks", path=source)
    assert (report.images, report.already_there, report.left_out) == (7, 0, 0)
    assert sorted((name, path) for name, path, _ in names()) == [
        ("A.jpg", "A.jpg"),
        ("a~2.jpg", "a.jpg"),
        ("cam1_x_7.jpeg", "cam1/x_7.jpeg"),
        ("cam1_x__7.jpeg", "cam1_x/7.jpeg"),
        ("image1.jpg", "image1.jpg"),
        ("image1.png", "image1.png"),
        ("plain", "plain.jpg"),
    ]
    again = import_dataset(project_name="parks", path=source)
    assert (again.images, again.already_there) == (0, 7)


def test_an_image_that_comes_later_takes_the_ending_and_the_first_keeps_its_name(tmp_path: Path) -> None:
    import_dataset(project_name="parks", path=coco_source(tmp_path / "first", [(4, "1.jpg")]))
    report = import_dataset(project_name="parks", path=coco_source(tmp_path / "more", [(4, "1.png"), (5, "1.jpg")]))
    assert (report.images, report.already_there) == (1, 1)
    assert names() == [("1", "1.jpg", 4), ("1.png", "1.png", 2)], "an id that another image has is not given twice"


def test_the_command_names_every_image_that_it_leaves_out_and_the_counts_add_up(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = [(1, "1.jpg"), (2, "twice.jpg"), (3, "twice.jpg"), (4, "a.jpg"), (4, "b.jpg"), (None, "c.jpg")]
    call_command("import_dataset", "parks", str(coco_source(tmp_path / "s", files)))
    said = capsys.readouterr()
    assert "parks: 1 image with" in said.out
    assert "5 images were left out" in said.out and "That makes 6 images in the source." in said.out
    left = [line.partition("(image ")[2] for line in said.err.splitlines() if "(image " in line]
    assert sorted(left) == [f"{name} left out)" for name in ("a.jpg", "b.jpg", "c.jpg", "twice.jpg", "twice.jpg")]


# --- Ids and paths that last ---


def test_exports_hold_the_users_paths_and_the_ids_of_the_import_and_never_change_them(tmp_path: Path) -> None:
    source = coco_source(tmp_path / "s", [(397133.0, "cam1/0001.JPG"), ("x", "b.jpg"), (2, "a.jpg")])
    import_dataset(project_name="parks", path=source)
    first = coco_images("parks", tmp_path / "first")
    assert sorted((one["file_name"], one["name"], str(one["id"])) for one in first) == [
        ("a.jpg", "a", "2"),
        ("b.jpg", "b", "x"),
        ("cam1/0001.JPG", "cam1_0001", "397133"),
    ]
    (source / "captions.csv").write_text("image,caption\nb.png,A dog\n")
    (source / "val2017" / "b.png").write_bytes(plain_jpeg())
    import_dataset(project_name="parks", path=source, source_format="folder")
    second = coco_images("parks", tmp_path / "second")
    assert second[:3] == first and len({str(one["id"]) for one in second}) == 4
    export_dataset(project=Project.objects.get(), target=tmp_path / "l", export_format="jsonl", include_unmerged=True)
    lines = [json.loads(line) for line in (tmp_path / "l").read_text().splitlines()[1:]]
    assert [(one["path"], one["name"], one["coco_id"]) for one in lines[:3]] == [
        (one["file_name"], one["name"], one["id"]) for one in first
    ]


def test_an_image_has_the_same_id_in_an_export_before_others_are_finished_and_after(tmp_path: Path) -> None:
    made = project_of(phrases("people: a man"), phrases("people: a man", name="2"), phrases("people: a man", name="3"))
    made.images.filter(name="3").update(state="merged")
    for target, state in (("one", "linking"), ("two", "merged")):
        made.images.filter(name="1").update(state=state)
        export_dataset(project=made, target=tmp_path / target, export_format="coco")
    ids = [
        {one["name"]: one["id"] for one in json.loads((tmp_path / target / "captions.json").read_text())["images"]}
        for target in ("one", "two")
    ]
    assert ids == [{"3": 3}, {"1": 1, "3": 3}]
