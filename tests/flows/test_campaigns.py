"""Data sets that go in and out unchanged: drawn and real ones, and ids beyond 32 bits."""

import json
import re
import shutil
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from django.apps import apps
from django.db import connection, transaction
from django.test import Client
from django.urls import reverse
from hypothesis import HealthCheck, given, settings

from annotation.models import Chain, Gold, Image, KnownBox, Project
from annotation.rules.box import Box
from exchange import import_dataset as importing
from exchange.dataset import DatasetBox, DatasetChain, DatasetImage
from exchange.export_dataset import export_dataset
from exchange.formats.flickr30k import FLICKR30K
from exchange.formats.format import write_files
from exchange.import_dataset import import_dataset
from exchange.load_project import stream_images
from pipeline.models import Judgment, Question
from pipeline.project.settings_versions import checked_source
from pipeline.record.read_record import replay
from pipeline.tick import tick
from simulation.scenes.scene import write_source
from tests.support import flickr30k_reader
from tests.support.checked import checked_project
from tests.support.dataset_images import several_images
from tests.support.flows import FEWER, first_images, of_real_data
from tests.support.pictures import plain_jpeg
from tests.support.projects import phrases
from workers.models import Worker

pytestmark = pytest.mark.django_db

FORMAT = "flickr30k-entities"


def without_numbers(image: flickr30k_reader.ReadImage) -> Any:
    """The contents of an image's files, with chains numbered from 1 in reading order."""
    names = list(dict.fromkeys(row[2] for row in image.phrases if row[2] != "0"))
    order = {name: number for number, name in enumerate(names, 1)}
    phrases = [(*row[:2], order.get(row[2], 0), *row[3:]) for row in image.phrases]
    boxes = {order[name]: sorted(own) for name, own in image.boxes.items() if name in order}
    marks = [{order[name] for name in marked if name in order} for marked in (image.scene, image.no_box)]
    return image.sentences, image.size, phrases, boxes, marks


def round_trip(source: Path, folder: Path, name: str) -> Path:
    """Import the source into a project of this name and export it. Returns the folder of the export."""
    report = import_dataset(project_name=name, path=source, source_format=FORMAT)
    assert report.problems == []
    tick()  # an image without any chain has nothing to be asked: it is merged by itself
    project = Project.objects.get(name=name)
    assert Question.objects.filter(project=project).count() == 0
    assert list(replay(project)) == []
    written = export_dataset(project=project, target=folder / name, export_format=FORMAT)
    assert (written.images, written.left_out) == (report.images, 0)
    return folder / name


def check_identity(source: Path, folder: Path) -> None:
    first = round_trip(source, folder, "first")
    second = round_trip(first, folder, "second")
    before, after, again = map(flickr30k_reader.read, (source, first, second))
    assert before.keys() == after.keys() == again.keys()
    for name, image in before.items():
        assert without_numbers(image) == without_numbers(after[name]), name
    for name, image in after.items():
        assert vars(image) == vars(again[name]), name
    assert values(Project.objects.get(name="first")) == values(Project.objects.get(name="second"))


def values(project: Project) -> list[tuple[Any, ...]]:
    """Return the contents of the database, without the places of the source."""
    return [(image.name, image.captions, image.mentions, image.chains, image.boxes) for image in stream_images(project)]


@pytest.mark.slow
def test_real_images_come_back_as_they_were(data_folder: Path, tmp_path: Path) -> None:
    source = of_real_data(data_folder, FORMAT)
    check_identity(first_images(source, tmp_path / "part", FEWER), tmp_path)


@pytest.mark.long
def test_all_real_images_come_back_as_they_were(data_folder: Path, tmp_path: Path) -> None:
    source = of_real_data(data_folder, FORMAT)
    check_identity(source, tmp_path)


def test_real_sentences_with_non_visual_phrases_come_back_as_they_were(data_folder: Path, tmp_path: Path) -> None:
    real = of_real_data(data_folder, "flickr30k-entities-with-notvisual/Sentences")
    shutil.copytree(real, tmp_path / "source" / "Sentences")
    (tmp_path / "source" / "images").mkdir()
    for number, file in enumerate(real.iterdir()):
        (tmp_path / "source" / "images" / f"{file.stem}.jpg").write_bytes(plain_jpeg(40 + number, 30))
    out = round_trip(tmp_path / "source", tmp_path, "sentences") / "Sentences"
    kinds = Counter[str]()
    for file in real.iterdir():
        before, after = (text.read_text(encoding="utf-8").splitlines() for text in (file, out / file.name))
        assert in_order(before) == in_order(after), file.name
        kinds.update("notvisual" if "/EN#0/notvisual" in line else "visual" for line in before)
    assert min(kinds["notvisual"], kinds["visual"]) > 0


def in_order(lines: list[str]) -> list[str]:
    """Number the chains in the lines from 1 in their order; 0 stays 0. Spaces at the end of a line are dropped."""
    order = {"0": "0"}

    def number(found: re.Match[str]) -> str:
        return f"/EN#{order.setdefault(found[1], str(len(order)))}/"

    return [re.sub(r"/EN#(\d+)/", number, line.strip()) for line in lines]


@pytest.mark.slow
def test_scenes_come_back_as_they_were(tmp_path: Path) -> None:
    write_source(tmp_path / "scenes", 11, 24, pictures=False)
    check_identity(tmp_path / "scenes", tmp_path)


def test_a_chain_with_neither_box_nor_flag_comes_back_without_a_flag(tmp_path: Path) -> None:
    image = phrases("people: a man", "scene: a park", "other: a trick", "animals: a dog", chains=["1", "2", "3", "4"])
    flagged = (DatasetChain("1"), DatasetChain("2", scene=True), DatasetChain("3", no_box=True), DatasetChain("4"))
    boxed = (DatasetBox(Box(1, 2, 30, 40), ("1",)),)
    write_files(FLICKR30K, [replace(image, chains=flagged, boxes=boxed)], tmp_path / "source")
    check_identity(tmp_path / "source", tmp_path)
    assert (tmp_path / "first/Annotations/1.xml").read_text().count("<object>") == 3


def as_a_project_holds_it(image: DatasetImage) -> DatasetImage:
    """Give every mention a type, and flags only to chains without a box: one flag at most."""
    boxed = {chain for box in image.boxes for chain in box.chains}
    mentions = tuple(replace(one, types=one.types or ("other",)) for one in image.mentions)
    chains = tuple(
        replace(one, scene=one.scene and one.name not in boxed, no_box=one.no_box > (one.scene or one.name in boxed))
        for one in image.chains
    )
    return replace(image, mentions=mentions, chains=chains)


@pytest.mark.slow
@given(several_images())
@settings(max_examples=10, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture])
def test_any_data_set_comes_back_as_it_was(images: list[DatasetImage]) -> None:
    with TemporaryDirectory() as name, transaction.atomic():
        folder = Path(name)
        write_files(FLICKR30K, map(as_a_project_holds_it, images), folder / "source")
        check_identity(folder / "source", folder)
        transaction.set_rollback(True)


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


FAR = 5_000_000_000


@pytest.fixture
def _far_ids(db: None) -> Iterator[None]:
    """Let the ids of all tables of ours begin beyond 2 ** 32. The places of PostgreSQL's sequences outlast a test."""
    tables = [
        model._meta.db_table for model in apps.get_models() if model._meta.pk.get_internal_type() == "BigAutoField"
    ]
    with connection.cursor() as cursor:
        for table in tables:
            if connection.vendor == "postgresql":
                cursor.execute("SELECT setval(pg_get_serial_sequence(%s, 'id'), %s)", [table, FAR])
            else:
                cursor.execute("DELETE FROM sqlite_sequence WHERE name = %s", [table])
                cursor.execute("INSERT INTO sqlite_sequence (name, seq) VALUES (%s, %s)", [table, FAR])
    yield
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            for table in tables:
                cursor.execute("SELECT setval(pg_get_serial_sequence(%s, 'id'), 1, false)", [table])


@pytest.mark.both_engines
@pytest.mark.slow
@pytest.mark.usefixtures("_far_ids")
def test_a_check_whose_ids_are_beyond_32_bits(admin_client: Client, tmp_path: Path) -> None:
    project = checked_project(0, images=2)
    assert min(project.pk, Judgment.objects.earliest("pk").pk, Worker.objects.earliest("pk").pk) > FAR
    assert checked_source(project.pk) > FAR
    pages = [
        "check", "changes", "dashboard", "workers", "explore",
        "models", "review", "gold", "money", "settings",
    ]  # fmt: skip
    for page in pages:
        assert admin_client.get(reverse(f"projects:{page}", args=[project.name])).status_code == 200, page
    assert admin_client.get(reverse("gallery:start"), follow=True).status_code == 200
    for name in ("jsonl", "coco"):
        export_dataset(project=project, target=tmp_path / name, export_format=name, include_unmerged=True)
    assert list(replay(project)) == []
