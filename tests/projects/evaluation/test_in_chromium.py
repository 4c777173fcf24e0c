"""The whole way in Chromium: a project finished by a simulated crowd, exported, scored by both systems, looked at."""

import json
from pathlib import Path

import pytest
from django.test import Client
from playwright.sync_api import Page, expect

from accounts.models import Role
from annotation.models import Project
from exchange.export_dataset import export_dataset
from exchange.import_dataset import import_dataset
from simulation.scenes.scene import write_source
from simulation.simulate import simulate
from tests.projects.conftest import Desk
from tests.support.axe import FEW_LOOKS, LOOKS, violations
from tests.support.members import sign_in


@pytest.fixture
def project(transactional_db: None, tmp_path: Path) -> Project:
    write_source(tmp_path / "scenes", 3, 2)
    import_dataset(project_name="parks", path=tmp_path / "scenes", gold=True)
    project = Project.objects.get()
    simulate(project=project, crowd="perfect", seed=1)
    return project


@pytest.fixture
def page(project: Project, client: Client, desk: Desk) -> Page:
    """A requester's browser. What the page complains about fails the test."""
    sign_in(client, project, Role.REQUESTER)
    return desk("/projects/parks/evaluate/")


def predictions(project: Project, folder: Path) -> Path:
    """Write a model's boxes: one around everything, for every phrase of the first caption."""
    export_dataset(project=project, target=folder / "export", export_format="flickr30k-entities")
    lines = []
    for file in sorted((folder / "export" / "Sentences").glob("*.txt")):
        phrases = file.read_text(encoding="utf-8").splitlines()[0].count("[/EN#")
        width, height = project.images.values_list("width", "height").get(name=file.stem)
        rows = [{"image": file.stem, "caption": 0, "phrase": one} for one in range(phrases)]
        lines += [json.dumps({**row, "boxes": [[0, 0, width, height]]}) for row in rows]
    (folder / "whole pictures.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return folder / "whole pictures.jsonl"


def test_a_project_is_scored_by_both_systems_and_reports_shown(page: Page, project: Project, tmp_path: Path) -> None:
    found = violations(page)
    for choice in ("Content selection: baselines", "Phrase localization: baselines"):
        page.get_by_role("radio", name=choice).check()
        page.get_by_role("button", name="Make the report").click()
        expect(page.locator(".reports").get_by_role("link", name=choice)).to_be_visible()
        page.reload()
    page.get_by_role("radio", name="a model's boxes").check()
    page.get_by_label("Predictions", exact=True).set_input_files(predictions(project, tmp_path))
    page.get_by_role("button", name="Make the report").click()
    expect(page.get_by_role("link", name="whole pictures")).to_be_visible()
    reports = [link.get_attribute("href") for link in page.locator(".reports a").all()]
    assert len(reports) == 3
    for place, address in enumerate(reports):
        page.goto(page.url.partition("/projects/")[0] + str(address))
        charts = page.locator(".drawn img")
        assert charts.count() > 0
        for chart in charts.all():
            chart.scroll_into_view_if_needed()
            expect(chart).to_have_js_property("complete", True)
            expect(chart).not_to_have_js_property("naturalWidth", 0)
        found += violations(page, FEW_LOOKS if place else LOOKS)
    page.goto(page.url.partition("/projects/")[0] + str(reports[0]))
    page.get_by_role("link", name="Look at the phrases").click()
    expect(page.locator(".result svg").first).to_be_visible()
    found += violations(page, FEW_LOOKS)
    assert found == []
