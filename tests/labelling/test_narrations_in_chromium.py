"""In a real browser: a narration of 150 words scrolls to what is marked, and the answers stay near."""

from dataclasses import replace

import pytest
from playwright.sync_api import expect

from annotation.models import Project
from pipeline.rules.linking.link_strategy import Strategy
from pipeline.rules.settings.protocol import ProtocolSettings
from pipeline.rules.tasks.task import Task
from scenes.make import draw_scene, make_scene
from tests.labelling.conftest import Sit
from tests.support.pictures import encoded
from tests.support.projects import project_of, worker
from tests.support.six_tasks import show

BEYOND = ProtocolSettings(strategy=Strategy.ADAPTIVE, beyond_rules=True, reask_share=0.0)


@pytest.fixture
def project(transactional_db: None) -> Project:
    """Make a project of one narration, in which two phrases far apart are to be compared."""
    scene = make_scene(5, 3, narrated=True)
    own = [one for one in scene.image.mentions if one.caption == 0]
    first, last = own[1], own[-1]
    marked = tuple(replace(one, types=("other",), chain=None) for one in (first, last))
    image = replace(scene.image, captions=scene.image.captions[:1], mentions=marked, chains=(), boxes=())
    made = project_of(image, settings=BEYOND)
    show(made, encoded(draw_scene(scene), "JPEG"))
    return made


@pytest.mark.parametrize(("width", "height"), [(390, 844), (1440, 720)])
def test_a_long_caption_begins_at_its_first_mark_and_a_button_leads_to_the_other(
    sit: Sit, project: Project, width: int, height: int
) -> None:
    tab = sit(worker(project, "ada"), viewport={"width": width, "height": height})
    tab.open(Task.COREFERENCE_LINK)
    tab.wait_for_picture()
    tab.wait_until_it_answers()
    first, second = tab.page.locator("mark.a"), tab.page.locator("mark.b")
    expect(first).to_be_in_viewport()
    tab.page.locator(".below").click()
    expect(tab.page.locator(".below")).to_have_count(0)
    expect(second).to_be_in_viewport(ratio=1)
    assert tab.page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
