"""In a real browser: where the project asks for it, a worker reads what a part is, and says which phrase is one."""

from dataclasses import replace

import pytest
from playwright.sync_api import expect

from annotation.models import Project
from pipeline.models import Judgment
from pipeline.rules.settings.protocol import ProtocolSettings
from pipeline.rules.tasks.task import Task
from tests.labelling.conftest import Sit
from tests.support.pictures import encoded
from tests.support.projects import phrases, project_of, worker
from tests.support.six_tasks import ground, show

LINK = Task.COREFERENCE_LINK
SETTINGS = ProtocolSettings(test_questions=0)


def three_men(*, part_answers: bool) -> Project:
    men = replace(phrases("people: three men", "people: one of them"), width=600, height=400)
    project = project_of(men, settings=replace(SETTINGS, part_answers=part_answers))
    show(project, encoded(ground(), "JPEG"))
    return project


@pytest.mark.smoke
def test_a_worker_learns_what_a_part_is_and_answers_with_the_fourth_key(sit: Sit) -> None:
    tab = sit(worker(three_men(part_answers=True), "ada"))
    tab.open(LINK, "learning", met=False)
    tab.press("Enter", "1", "Enter", "4")
    lesson = tab.page.get_by_role("main")
    expect(lesson).to_contain_text("✓ Right. B is only one of the two dogs.")
    tab.open(LINK)
    tab.wait_for_picture()
    tab.wait_until_it_answers()
    expect(tab.page.locator(".answer")).to_have_count(4)
    tab.press("?")
    expect(tab.page.locator("dialog")).to_contain_text("Answer: B is part of A.")
    expect(tab.page.locator(".gesture")).to_contain_text(
        "press Yes (1), No (2), A is part of B (3) or B is part of A (4)."
    )
    tab.press("Escape", "4")
    tab.submit()
    assert list(Judgment.objects.values_list("answer", flat=True)) == ["b is part of a"]


def test_elsewhere_the_page_is_as_it_was(sit: Sit) -> None:
    tab = sit(worker(three_men(part_answers=False), "ada"))
    tab.open(LINK)
    tab.wait_for_picture()
    expect(tab.page.locator(".answer")).to_have_count(2)
    tab.press("?")
    expect(tab.page.locator("dialog")).to_contain_text("Answer no if one of them means more things than the other.")
    expect(tab.page.locator("dialog")).not_to_contain_text("part of")
