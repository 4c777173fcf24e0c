"""In a real browser: a data set with errors is imported to be checked, people answer, and its labels change."""

import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client
from playwright.sync_api import Page, expect

from annotation.models import Project
from exchange.dataset import DatasetImage
from exchange.formats.flickr30k import FLICKR30K
from exchange.formats.flickr30k.read import read_flickr30k
from exchange.formats.format import write_files
from pipeline.checking.label_evidence import ChainLabel
from pipeline.project.settings_versions import change_settings, current_settings
from pipeline.record.read_record import replay
from pipeline.settings.settings import Settings
from projects.demo.build_check import right_answers, spoil
from simulation.crowd import paper
from simulation.predict.subject import right_in
from simulation.scenes.scene import write_source
from simulation.simulate import CrowdRun, link_images, virtual_workers
from tests.projects.conftest import Desk
from tests.support.axe import assert_accessible
from tests.support.members import maker

KEEN = {"link_stop": 0.05, "box_sure": 0.98, "reference_trust": 0.75, "test_questions": 0}
"""Settings under which few labels go unasked, so that four scenes show changes."""


def labelled(folder: Path) -> list[DatasetImage]:
    return [image for image in read_flickr30k(folder) if isinstance(image, DatasetImage)]


@pytest.fixture
def right(tmp_path: Path) -> list[DatasetImage]:
    write_source(tmp_path / "right", 0, 4)
    return labelled(tmp_path / "right")


@pytest.fixture
def source(tmp_path: Path, right: list[DatasetImage]) -> Path:
    """The scenes with wrong labels, as their owner has them."""
    write_files(FLICKR30K, spoil(right, 1, 0.3), tmp_path / "parks")
    (tmp_path / "right" / "images").rename(tmp_path / "parks" / "images")
    return tmp_path / "parks"


@pytest.fixture
def page(transactional_db: None, client: Client, desk: Desk, settings: Any, tmp_path: Path) -> Page:
    settings.DATA, settings.MEDIA_ROOT = tmp_path, tmp_path / "media"
    client.force_login(maker("rita"))
    return desk("/")


def bring(page: Page, source: Path) -> Project:
    """Make a project of the data set that is to be checked, and start it."""
    page.get_by_role("link", name="New project").click()
    page.get_by_label("Title").fill("Parks")
    page.get_by_role("button", name="Make the project").click()
    page.locator("[data-choose=folder]").set_input_files(source)
    expect(page.get_by_text("Format: flickr30k-entities")).to_be_visible()
    page.get_by_text("Chains and boxes that are known already").click()
    page.get_by_label("Chains and boxes of the data set are").select_option("check")
    page.get_by_label("Name of the program that stands for the data set").fill("Parks of 2015")
    assert_accessible(page)
    page.get_by_role("button", name="Import the uploaded files").click()
    expect(page.get_by_text("are checked in 4 images, as the program “Parks of 2015”")).to_be_visible()
    project = Project.objects.get(name="parks")
    values = current_settings(project.pk)[1].to_json() | KEEN
    change_settings(project_id=project.pk, settings=Settings.from_json(values))
    page.get_by_role("link", name="Look at the phrases").click()
    page.get_by_role("button", name="Start").click()
    expect(page.get_by_text("The project is running now.")).to_be_visible()
    return project


def labels(images: list[DatasetImage]) -> dict[str, list[ChainLabel]]:
    return {
        image.name: sorted(
            ChainLabel(one.mentions, one.boxes, "scene" * one.scene) for one in right_answers(image).chains
        )
        for image in images
    }


def wrong(images: list[DatasetImage], right: list[DatasetImage]) -> int:
    """Count the true chains that have another label, boxes compared at an IOU of 0.5."""
    said = labels(images)
    return sum(right_in(right_answers(truth), said[truth.name]).count(False) for truth in right)


@pytest.mark.smoke
def test_a_data_set_with_errors_is_checked_from_the_import_to_its_corrected_labels(
    page: Page, source: Path, right: list[DatasetImage], tmp_path: Path
) -> None:
    project = bring(page, source)
    known = {image.name: right_answers(image) for image in right}
    gold = {pk: known[name] for pk, name in project.images.values_list("pk", "name")}
    run = CrowdRun(project, gold, paper(list(link_images(project, gold)), 0), virtual_workers(project, "few", 20), 0)
    run.until_nothing_is_open(None, lambda judgments: None)
    assert set(project.images.values_list("state", flat=True)) == {"merged"} and list(replay(project)) == []

    page.goto("/projects/parks/check/")
    doubtful = page.locator("ul.doubtful > li")
    expect(doubtful.first).to_be_visible()
    assert doubtful.filter(has_text="likely wrong").count() == doubtful.count()
    assert_accessible(page)

    page.goto("/projects/parks/check/changes/")
    expect(page.locator("ul.changes > li").first).to_be_visible()
    assert_accessible(page)
    with page.expect_download() as caught:
        page.get_by_role("link", name="Download changes.jsonl").click()
    caught.value.save_as(tmp_path / "changes.jsonl")
    changes = [json.loads(line) for line in (tmp_path / "changes.jsonl").read_text().splitlines()]
    assert len(changes) == page.locator("ul.changes > li").count() > 3

    call_command("export_corrected", "parks", str(source), str(tmp_path / "corrected"))
    corrected = labelled(tmp_path / "corrected")
    before, after = labels(labelled(source)), labels(corrected)
    assert {name for name in before if before[name] != after[name]} == {change["image"] for change in changes}
    assert wrong(corrected, right) < wrong(labelled(source), right) / 2
