"""Firefox runs what Chromium does: the crew's whole flow, a newcomer's way from the invitation to pay, and axe.

CHAINBOX_BROWSER=webkitgtk runs the same in WebKitGTK (scripts/webkit.sh).
"""

from pathlib import Path
from random import Random
from typing import Any

import pytest
from django.contrib.auth.models import User
from pytest_django.live_server_helper import LiveServer

from accounts.members import invite_member
from accounts.models import Role
from annotation.models import Image, Project
from pipeline.models import Assignment
from pipeline.protocol.tasks.task import PROTOCOL_TASKS, Task
from pipeline.record.read_record import replay
from tests.support import crew as crews
from tests.support.being_tested import being_tested
from tests.support.driven_page import DrivenPage
from tests.support.projects import worker
from tests.support.six_tasks import six_tasks
from tests.support.surveys import scene_survey
from workers.invitations import invite
from workers.models import TrustStatus, Worker

pytestmark = pytest.mark.django_db(transaction=True)

PASSWORD = "engine and loom"


def test_a_scene_goes_from_captions_to_the_export_by_mouse_and_keyboard(
    driver: Any, live_server: LiveServer, scene: Project, tmp_path: Path
) -> None:
    def sit(who: Worker, hand: crews.Hand) -> DrivenPage:
        return DrivenPage(driver, live_server.url, scene.name, who)

    crew = crews.make_crew(scene, [crews.Mouse(), crews.Keyboard()], sit, others=3)
    done = crews.annotate(crew, scene)
    assert Image.objects.get().state == "merged"
    assert done == {hand: set(PROTOCOL_TASKS) for hand in (crews.Mouse, crews.Keyboard)}
    assert list(replay(scene)) == []
    crews.check_boxes(crew, scene, tmp_path / "export")


def test_a_newcomer_joins_reads_passes_the_test_works_and_finds_it_at_home(
    driver: Any, live_server: LiveServer
) -> None:
    project = being_tested()
    tab = DrivenPage(driver, live_server.url, project.name)
    tab.sit_down()
    tab.go(f"/join/{invite(project_id=project.id).code}/")
    for label, text in (("Username", "ada"), ("Password", PASSWORD), ("Password (again)", PASSWORD)):
        tab.find("textbox", label).send_keys(text)
    tab.click("button", "Join")
    tab.find("heading", "small")
    tab.click("link", "Take the test")
    tab.wait_for("learning")
    task = Task(driver.current_url.rstrip("/").rpartition("/")[2])
    assert task is Task.COREFERENCE_LINK
    tab.press("?")
    tab.find("button", "Close")
    tab.press("Escape", "Enter")
    for key in ("1", "2"):
        tab.wait_for_picture()
        tab.press(key, "Enter")
    tab.press("Enter")
    tab.wait_for("asking")
    answer_all(tab)
    assert "Test passed" in tab.submit()
    assert TrustStatus.objects.get(task=task).state == "probation"
    tab.press("Enter")
    tab.wait_for("asking")
    answer_all(tab)
    assert "stored" in tab.submit()
    tab.go("/work/small/")
    tab.wait("document.querySelectorAll('table.history tbody tr').length === 2")
    tab.wait_for_text("Same or different")
    assert Assignment.objects.filter(state="submitted", task=task).count() == 2


def test_an_invited_collaborator_is_in_the_project_after_four_presses(driver: Any, live_server: LiveServer) -> None:
    project = six_tasks()
    boss = User.objects.create_superuser("boss")
    code = invite_member(project, "eve@example.org", Role.REVIEWER, by=boss).code
    tab = DrivenPage(driver, live_server.url, project.name)
    tab.sit_down()
    tab.go(f"/account/membership/{code}/")
    for label, text in (("Username", "eve"), ("Password", PASSWORD)):
        tab.find("textbox", label).send_keys(text)
    tab.click("button", "Become reviewer")
    tab.wait_for_text("You are reviewer of this project now.")
    assert project.memberships.get().user.username == "eve"


def answer_all(tab: DrivenPage) -> None:
    """Answer every question of the assignment by the first key."""
    for place in range(tab.total):
        tab.wait_for_question(place)
        tab.press("1")


def test_axe_finds_nothing_on_a_light_desk_and_a_dark_phone(driver: Any, live_server: LiveServer) -> None:
    project = six_tasks()
    tab = DrivenPage(driver, live_server.url, project.name, worker(project, "ada"))
    tab.sit_down()
    found = []
    for path in ("/work/", "/work/small/", "/work/small/earned/", "/account/password/change/"):
        tab.go(path)
        found += tab.violations()
    for task in PROTOCOL_TASKS:
        tab.open(task)
        tab.wait_for_picture()
        tab.wait_until_it_answers()
        found += tab.violations()
    assert found == []


def test_both_surveys_are_answered_by_keyboard_and_axe_finds_nothing(
    driver: Any, live_server: LiveServer, tmp_path: Path
) -> None:
    found = []
    for task, people in ((Task.CAPTION_CHECK, 2), (Task.ATOM_VISUAL, 1)):
        project = scene_survey(tmp_path, task)
        names = [f"{task.value}-{number}" for number in range(people)]
        workers = [worker(project, name, task) for name in names]
        tabs = [DrivenPage(driver, live_server.url, project.name, who) for who in workers]
        hands = (crews.Keyboard(), crews.Arrows())
        crew = [crews.Respondent(*one, Random(one[0].name)) for one in zip(workers, hands, tabs, strict=False)]
        tabs[0].open(task)
        tabs[0].wait_until_it_answers()
        found += tabs[0].violations()
        crews.answer_survey(crew, project)
        crews.check_votes(project, crew, tmp_path)
        (tmp_path / "votes.jsonl").unlink()
    assert found == []


def test_a_mark_at_the_end_of_the_captions_is_seen_whole_and_the_first_press_answers(
    driver: Any, live_server: LiveServer, scene: Project
) -> None:
    tab = DrivenPage(driver, live_server.url, scene.name, worker(scene, "ada"))
    tab.open(Task.COREFERENCE_LINK)
    tab.wait_until_it_answers()
    captions = "document.querySelector('.column > .captions')"
    assert driver.execute_script(f"return {captions}.scrollHeight <= {captions}.clientHeight")
    assert driver.execute_script("return document.querySelector('[data-answers]').dataset.answers") == "open"
