"""The cost of an export of many images, counted: statements, and memory that does not grow with their number."""

import tracemalloc
from dataclasses import replace
from pathlib import Path

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotation.models import Project
from exchange import load_project
from exchange.export_dataset import FORMATS, export_dataset
from exchange.import_image import import_image
from exchange.jsonl import write as jsonl
from pipeline.project.settings_versions import open_project
from scenes.make import make_scene

pytestmark = pytest.mark.django_db
AT_ONCE = 4
SLACK = 100_000
"""Bytes: ids of images, and buffers that a small file does not fill. 32 images as values take 500,000."""


@pytest.fixture
def projects(monkeypatch: pytest.MonkeyPatch) -> list[Project]:
    """Annotated projects of 8 and of 40 images, read four at a time."""
    monkeypatch.setattr(load_project, "IMAGES_AT_ONCE", AT_ONCE)
    monkeypatch.setattr(jsonl, "IMAGES_AT_ONCE", AT_ONCE)
    made = []
    for images in (8, 40):
        made.append(open_project(name=f"of-{images}"))
        for number in range(images):
            scene = replace(make_scene(7, number % 4).image, name=str(number))
            import_image(made[-1], number, scene, picture="", gold=False, settings_version=1)
    return made


@pytest.mark.slow
@pytest.mark.both_engines
@pytest.mark.parametrize("name", FORMATS)
def test_an_export_takes_a_few_statements_for_each_batch_of_images(
    projects: list[Project], tmp_path: Path, name: str
) -> None:
    counts = []
    for project in projects:
        with CaptureQueriesContext(
            connection,
        ) as made:
            export_dataset(project=project, target=tmp_path / project.name, export_format=name)
        counts.append(len(made))
    batches = (40 - 8) // AT_ONCE
    a_batch, rest = divmod(counts[1] - counts[0], batches)
    assert rest == 0
    assert a_batch <= (14 if name == "jsonl" else 9)
    assert counts[0] - 2 * a_batch <= 40, "for the whole project, its data card included"


@pytest.mark.slow
@pytest.mark.parametrize("name", FORMATS)
def test_memory_does_not_grow_with_the_number_of_images(projects: list[Project], tmp_path: Path, name: str) -> None:
    peaks = []
    for place, project in enumerate([projects[0], *projects]):  # the first one fills the caches
        tracemalloc.start()
        export_dataset(project=project, target=tmp_path / str(place), export_format=name)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[2] < peaks[1] + SLACK, peaks
