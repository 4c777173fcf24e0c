"""The page of models in Chromium: it fits a wide window and a telephone, and axe finds no fault."""

import json
from dataclasses import replace

import pytest
from django.test import Client
from playwright.sync_api import Page

from campaign.predictions.enter_predictions import enter_predictions
from campaign.predictions.import_predictions import import_predictions
from members.models import Role
from pipeline.project.settings_versions import change_settings
from pipeline.rules.linking.link_strategy import Strategy
from pipeline.rules.settings.protocol import ProtocolSettings
from pipeline.rules.tasks.box_policy import BoxPolicy
from tests.campaign.conftest import Desk
from tests.support.axe import violations
from tests.support.members import sign_in
from tests.support.projects import phrases, project_of
from workers.models import Worker

USED = ProtocolSettings(strategy=Strategy.ADAPTIVE, box_policy=BoxPolicy.BELIEF, proposals=True)
NAMES = ("detector 1", "a-grounding-model-with-a-long-name-and-no-space-in-it-2026-11")


@pytest.fixture
def page(transactional_db: None, client: Client, desk: Desk) -> Page:
    """A requester's browser, with two programs in the project: one is set aside."""
    project = project_of(phrases("people: a man", "people: the man"), settings=USED)
    rows = [
        {"image": "1", "caption": number, "words": [0, 2], "chain": "A", "boxes": [[1, 2, 30, 40]]} for number in (0, 1)
    ]
    for name in NAMES:
        import_predictions(project, name, "model.jsonl", "\n".join(map(json.dumps, rows)).encode())
    enter_predictions(project.pk)
    good, bad = (str(Worker.objects.get(name=name).pk) for name in NAMES)
    boxes = {"programs": {bad: {"good": [0.0] * 5 + [4.0], "bad": [0.0] * 5 + [40.0]}}}
    errors = {good: [0.06, 0.02], bad: [0.5, 0.6]}
    change_settings(project_id=project.pk, settings=replace(USED, program_errors=errors, box_prior=boxes))
    sign_in(client, project, Role.REQUESTER)
    return desk("/projects/small/models/")


def test_the_page_of_models_fits_every_window_and_axe_finds_no_fault(page: Page) -> None:
    assert page.get_by_text("Set aside").count() == 2
    for width, height in ((1440, 900), (390, 844), (320, 640)):
        page.set_viewport_size({"width": width, "height": height})
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), width
    assert violations(page) == []
