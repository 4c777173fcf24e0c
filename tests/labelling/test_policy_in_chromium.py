"""In a real browser, under the strict policy: nothing on the six screens makes the browser complain."""

from pipeline.rules.tasks.task import PROTOCOL_TASKS
from tests.labelling.conftest import Sit
from tests.support.projects import worker
from tests.support.six_tasks import six_tasks


def test_all_six_screens_work_under_the_content_policy(sit: Sit) -> None:
    tab = sit(worker(six_tasks(), "ada"))
    for task in PROTOCOL_TASKS:
        tab.open(task, "learning", met=False)
        tab.press("Enter")
        tab.wait_for_picture()
        tab.page.get_by_role("button", name="Skip the examples").click()
        tab.wait_for("asking")
        tab.wait_for_picture()
        tab.press("?", "Escape", "s", "Escape", "c")
        tab.page.keyboard.type("hm")
        tab.press("Escape", "+", "0")
