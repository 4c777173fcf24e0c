"""The states of a project: who may move it, and what workers then get.
Steps of a draft: every page of the project says what comes next before the start.
The menu of a project: its groups, the pages of the group in which a visitor is, and nothing that is not allowed.
A form that is sent three times at once: no answer is an error of the service, and what can only be once is once.
Two who create the same name at once: one does, the other is told and gets nothing.
"""

import json
import re
import threading
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test import Client

from accounts.members import add_member
from accounts.models import Membership, RightKind, Role
from annotation.models import Caption, Chain, Image, Project
from annotation.project_terms import NO_NEW_QUESTIONS
from annotation.rules.states import ImageState, ProjectMoveError, ProjectState
from labelling.open_tasks import open_tasks
from pipeline.asking.lease_assignment import lease_assignment, lease_questions
from pipeline.asking.submit_assignment import submit_assignment
from pipeline.errors import NotRunningError
from pipeline.models import Question
from pipeline.project.settings_versions import change_settings, current_settings, open_project
from pipeline.protocol.tasks.task import Task
from projects.alerts.tell_alerts import begin_alerts
from projects.lifecycle.change_state import change_state, steps_of
from projects.models import AlertChannel, Run, StateChange
from runtime import clock
from tests.projects.conftest import Later
from tests.support.being_tested import add_known
from tests.support.main_buttons import main_buttons
from tests.support.members import maker, sign_in, with_rights
from tests.support.money import paying, work
from tests.support.projects import lease, phrases, project_of, submit, worker
from tests.support.projects import worker as make_worker
from tests.support.runs import some_run
from tests.support.services import PATIENCE
from tests.support.surveys import foil
from tests.support.table import case
from workers.invitations import invite

pytestmark = pytest.mark.django_db

LINK = Task.COREFERENCE_LINK
PATH = "/projects/small/"


@pytest.fixture
def project() -> Project:
    return project_of(*[phrases("animals: a dog", "animals: a cat", name=str(n)) for n in range(12)])


def pause(project: Project) -> None:
    change_state(project.id, ProjectState.PAUSED, None)


def test_a_paused_project_gives_no_new_questions_and_says_so(project: Project) -> None:
    ada = worker(project, "ada")
    pause(project)
    with pytest.raises(NotRunningError, match="paused this project"):
        lease_assignment(project_id=project.id, worker_id=ada.id, task=LINK)
    offer = open_tasks(Project.objects.get(), ada.id)[0]
    assert (offer.open, offer.state) == (0, "waiting") and "paused this project" in offer.message


def test_workers_finish_what_they_had_begun_when_the_project_was_paused(project: Project) -> None:
    ada = worker(project, "ada")
    held = lease(project, ada, LINK)
    pause(project)
    assert lease(project, ada, LINK).id == held.id and open_tasks(Project.objects.get(), ada.id)[0].is_begun
    assert len(submit(held, *["different"] * len(held.questions)).stored) == len(held.questions)
    with pytest.raises(NotRunningError):
        lease_assignment(project_id=project.id, worker_id=ada.id, task=LINK)


@pytest.mark.both_engines
def test_a_lease_that_ran_out_is_not_taken_up_again_while_the_project_is_paused(project: Project) -> None:
    ada = worker(project, "ada")
    lease(project, ada, LINK)
    pause(project)
    with pytest.raises(NotRunningError):
        lease_assignment(project_id=project.id, worker_id=ada.id, task=LINK, now=clock.now() + timedelta(hours=3))


def test_nothing_is_leased_ahead_while_the_project_is_paused(project: Project) -> None:
    ada = worker(project, "ada")
    held = lease(project, ada, LINK)
    pause(project)
    assert lease_questions(project_id=project.id, worker_id=ada.id, task=LINK, ahead_of=held.token) is None


def test_answers_to_a_finished_project_still_count(project: Project) -> None:
    ada = worker(project, "ada")
    held = lease(project, ada, LINK)
    change_state(project.id, ProjectState.FINISHED, None)
    submit_assignment(assignment_id=held.id, worker_id=ada.id, answers={})
    assert Question.objects.filter(assignment=held).count() == 0


def test_a_resumed_project_goes_on_where_it_stopped(project: Project) -> None:
    ada = worker(project, "ada")
    pause(project)
    change_state(project.id, ProjectState.RUNNING, None)
    assert lease(project, ada, LINK).questions


def test_each_move_is_kept_with_who_made_it(project: Project) -> None:
    boss = User.objects.create_user("boss")
    change_state(project.id, ProjectState.PAUSED, boss)
    change_state(project.id, ProjectState.PAUSED, boss)
    (change,) = StateChange.objects.all()
    assert (change.before, change.after, change.user) == ("running", "paused", boss)


def test_a_project_in_an_archive_cannot_be_started_at_once(project: Project) -> None:
    change_state(project.id, ProjectState.FINISHED, None)
    change_state(project.id, ProjectState.ARCHIVED, None)
    with pytest.raises(ProjectMoveError, match="archived project cannot become running"):
        change_state(project.id, ProjectState.RUNNING, None)


def test_a_requester_pauses_the_project_with_a_button_and_a_reviewer_has_none(project: Project, client: Client) -> None:
    boss, eye = User.objects.create_user("boss"), User.objects.create_user("eye")
    add_member(boss, project, Role.REQUESTER)
    add_member(eye, project, Role.REVIEWER)
    client.force_login(eye)
    assert ">Pause</button>" not in client.get("/projects/small/").text
    client.force_login(boss)
    assert ">Pause</button>" in client.get("/projects/small/").text
    page = client.post("/projects/small/state/", {"state": "paused"}, follow=True).text
    assert "The project is paused now." in page and ">Resume</button>" in page


def test_a_project_with_open_work_is_finished_after_a_question(project: Project, client: Client) -> None:
    sign_in(client, project, Role.REQUESTER)
    page = client.post("/projects/small/state/", {"state": "finished"}).text
    project.refresh_from_db()
    assert project.state == "running"
    assert f"{project.images.count()} of {project.images.count()} images" in page and 'name="sure"' in page
    client.post("/projects/small/state/", {"state": "finished", "sure": "yes"})
    project.refresh_from_db()
    assert project.state == "finished"


def about(project: Project) -> dict[str, str]:
    """Return, for each step, how far it is."""
    return {step.name: "next" if step.next else step.about for step in steps_of(project)}


def draft_of_phrases() -> Project:
    project = project_of(phrases("people: a man", "people: the guy"))
    Project.objects.update(state=ProjectState.DRAFT.value)
    project.refresh_from_db()
    return project


def test_an_empty_draft_begins_with_its_data() -> None:
    found = about(open_project(name="small"))
    optional = dict.fromkeys(("Phrases", "Settings", "Predict", "Known questions"), "optional")
    assert found == {"Data": "next", **optional, "Invite workers": "to do"}


def test_people_come_after_the_data_and_newcomers_need_known_questions() -> None:
    project = draft_of_phrases()
    assert about(project)["Invite workers"] == "next"
    invite(project_id=project.pk)
    found = about(project)
    assert (found["Invite workers"], found["Known questions"]) == ("done", "next")


def test_trusted_people_need_no_known_questions() -> None:
    project = draft_of_phrases()
    invite(project_id=project.pk, trusted=True)
    assert not any(step.next for step in steps_of(project))


def test_known_questions_are_done_with_a_full_stock() -> None:
    project = draft_of_phrases()
    invite(project_id=project.pk)
    add_known(project, tests=10, stock=40)
    assert about(project)["Known questions"] == "done"


def test_only_what_the_requester_did_is_ticked() -> None:
    project = draft_of_phrases()
    settings = current_settings(project.pk)[1]
    change_settings(project_id=project.pk, settings=settings, reason="an import's option")
    optional = about(project)
    assert [optional[name] for name in ("Phrases", "Settings", "Predict", "Known questions")] == ["optional"] * 4
    change_settings(project_id=project.pk, settings=settings, reason="we compared", made_by="rita")
    some_run(project, "apply_types")
    add_known(project, tests=10, stock=40)
    done = about(project)
    assert [done[name] for name in ("Data", "Phrases", "Settings", "Known questions")] == ["done"] * 4


def test_captions_without_phrases_are_needed_even_if_types_were_changed() -> None:
    project = draft_of_phrases()
    invite(project_id=project.pk, trusted=True)
    some_run(project, "apply_types")
    Caption.objects.update(chunked=False)
    assert about(project)["Phrases"] == "next"


def test_a_requester_sees_the_steps_of_a_draft_and_a_reviewer_or_a_running_project_has_none(client: Client) -> None:
    project = draft_of_phrases()
    for name, role in (("rita", Role.REQUESTER), ("vic", Role.REVIEWER)):
        add_member(User.objects.create_user(name), project, role)
    here = b'aria-label="Steps to the start"'
    client.force_login(User.objects.get(username="vic"))
    assert here not in client.get("/projects/small/gold/").content
    client.force_login(User.objects.get(username="rita"))
    page = client.get("/projects/small/workers/invite/").content
    assert here in page and b'aria-current="step"' in page
    Project.objects.update(state=ProjectState.RUNNING.value)
    assert here not in client.get("/projects/small/workers/invite/").content


def main_button(client: Client, page: str) -> str:
    """Return the words of the page's main button; there are no two."""
    (words,) = main_buttons(client.get(f"/projects/small/{page}").text)
    return words


def test_the_main_button_is_the_next_step_of_the_project(client: Client) -> None:
    project = draft_of_phrases()
    sign_in(client, project, Role.REQUESTER)
    pages = ("dashboard/", "data/preview/", "workers/invite/", "workers/money/", "alerts/")
    assert [main_button(client, page) for page in pages] == [
        *["Next: Invite workers"] * 2,
        *("Make a link", "Download the ledger", "Tell a program"),
    ]
    invite(project_id=project.pk, trusted=True)
    assert [main_button(client, page) for page in pages[:3]] == ["Start"] * 3
    Project.objects.update(state=ProjectState.RUNNING.value)
    assert main_button(client, "dashboard/") == "Invite workers"
    make_worker(project, "ada")
    assert main_button(client, "dashboard/") == "Look at the images"
    Image.objects.update(state=ImageState.MERGED.value)
    assert main_button(client, "dashboard/") == "Export the data set"
    Project.objects.update(state=ProjectState.PAUSED.value)
    assert main_button(client, "dashboard/") == "Resume"


def test_whoever_is_owed_most_is_paid_next(client: Client) -> None:
    project = paying()
    sign_in(client, project, Role.REQUESTER)
    for name, questions in (("ada", 2), ("bob", 4)):
        work(project, make_worker(project, name), questions)
    assert main_button(client, "workers/money/") == "Pay bob"


def test_a_draft_without_images_leads_to_its_data(client: Client) -> None:
    sign_in(client, open_project(name="small", state=ProjectState.DRAFT), Role.REQUESTER)
    assert main_button(client, "dashboard/") == "Next: Data"
    invite(project_id=Project.objects.get().pk, trusted=True)
    assert main_button(client, "workers/invite/") == "Next: Data"
    assert main_button(client, "data/preview/") == "Import images"


def test_what_needs_the_requester_comes_first(client: Client) -> None:
    project = draft_of_phrases()
    sign_in(client, project, Role.REQUESTER)
    Project.objects.update(state=ProjectState.RUNNING.value)
    make_worker(project, "ada")
    Chain.objects.update(state="review", review="a reason")
    assert main_button(client, "dashboard/") == "Review chains"
    begin_alerts(project)
    assert main_button(client, "alerts/") == "Review chains"


def menu(client: Client, path: str) -> tuple[list[str], list[str], list[str]]:
    """Return the names of the groups, those of the pages, and what is marked as here."""
    html = client.get(path).text
    nav = html[html.index('aria-label="Pages of the project"') :].partition("</nav>")[0]
    parts = [re.findall(rf'class="{one}">(.*?)</div>', nav, re.DOTALL) for one in ("groups", "rooms")]
    groups, pages = (re.findall(r">([^<]+)</a>", part[0]) if part else [] for part in parts)
    return groups, pages, re.findall(r'aria-current="\w+">([^<]+)<', nav)


def test_a_page_stands_in_its_group_with_its_neighbours(client: Client) -> None:
    project = project_of(phrases("people: a man"))
    sign_in(client, project, Role.REQUESTER)
    path, groups = f"/projects/{project.name}/", ["Progress", "Preparation", "People", "Quality"]
    assert menu(client, f"{path}workers/") == (groups, ["Workers", "Recruiting", "Members"], ["People", "Workers"])
    assert menu(client, path)[2] == ["Progress", "Images"]
    preparing = ["Data", "Phrases", "Settings", "Known questions", "Predict", "Models"]
    assert menu(client, f"{path}settings/") == (groups, preparing, ["Preparation", "Settings"])


def test_a_page_below_one_of_the_menu_stands_in_the_same_group(client: Client) -> None:
    project = project_of(phrases("people: a man"))
    sign_in(client, project, Role.REQUESTER)
    who = make_worker(project, "ada")
    found = menu(client, f"/projects/{project.name}/workers/{who.pk}/")
    assert found[1:] == (["Workers", "Recruiting", "Members"], ["People", "Workers"])


def test_few_pages_stand_in_one_row(client: Client) -> None:
    project = project_of(phrases("people: a man"))
    sign_in(client, project, Role.VIEWER)
    assert menu(client, f"/projects/{project.name}/") == ([], ["Images", "Explore"], ["Images"])


@pytest.fixture
def double_project(client: Client, later: Later) -> Project:
    made = project_of(phrases("people: a man", "people: the guy"))
    sign_in(client, made, Role.REQUESTER, "rita")
    user = with_rights(User.objects.get(username="rita"), RightKind.PROJECTS)
    User.objects.filter(pk=user.pk).update(email="rita@example.org")
    return made


def at_once(client: Client, path: str, data: dict[str, str], times: int = 3) -> list[int]:
    """Send the same form several times at the same moment, and return the status of each answer."""
    found: list[int] = []
    gate = threading.Barrier(times, timeout=PATIENCE)

    def press() -> None:
        own = Client(raise_request_exception=False)
        own.cookies = client.cookies
        gate.wait()
        try:
            found.append(own.post(path, data).status_code)
        finally:
            connection.close()

    presses = [threading.Thread(target=press) for _ in range(times)]
    for one in presses:
        one.start()
    for one in presses:
        one.join(PATIENCE)
    return sorted(found)


@pytest.mark.both_engines
@pytest.mark.django_db(transaction=True)
@case("copy", "copy/", {"name": "again", "title": "Again"}, lambda: Project.objects.filter(name="again").count())
@case("mail", "alerts/", {"add": "mail", "member": "rita"}, lambda: AlertChannel.objects.count())
@case("delete", "delete/", {"typed": "small"}, lambda: 1 - Project.objects.count())
@case("dry run", "dry-run/", {}, lambda: Project.objects.filter(dry_run=True).count())
@pytest.mark.usefixtures("double_project")
def test_it_happens_once(path: str, data: dict[str, str], made: Callable[[], int], client: Client):
    answers = at_once(client, PATH + path, data)
    assert len(answers) == 3 and answers[-1] < 500, answers
    assert made() == 1 and Run.objects.count() <= 1


@pytest.fixture
def rita(client: Client, later: Later) -> Client:
    user = maker("rita")
    add_member(user, project_of(phrases("people: a man"), name="mine"), Role.REQUESTER)
    client.force_login(user)
    return client


@pytest.fixture
def other_is_quicker(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Let somebody else take a name after it was found free and before the project is written."""

    def take(name: str) -> None:
        check = Project.clean_fields

        def taken_meanwhile(project: Project, *args: Any, **kwargs: Any) -> None:
            monkeypatch.undo()
            Project.objects.create(name=name, title="Somebody else's")
            check(project, *args, **kwargs)

        monkeypatch.setattr(Project, "clean_fields", taken_meanwhile)

    return take


@case("by page", "/projects/new/", {"language": "en"}, 400)
@case("by copying", "/projects/mine/copy/", {"images": "on"}, 400)
@case("by survey", "/projects/new/survey/", {"kind": "caption_check", "votes": "3", "known": "0", "seed": ""}, 400)
@case("by API", "/api/v1/requester/projects/", {}, 409)
def test_who_creates_a_name_that_another_took_in_this_moment_is_told_and_is_no_requester_of_it(
    path: str, given: dict[str, Any], status: int, rita: Client, other_is_quicker: Callable[[str], None]
) -> None:
    other_is_quicker("birds")
    form = {"title": "Birds", "name": "birds", **given}
    if "survey" in path:
        form["items"] = SimpleUploadedFile("items.jsonl", json.dumps(foil(0)).encode())
    answer = rita.post(path, form, "application/json") if status == 409 else rita.post(path, form)
    assert answer.status_code == status and "choose another" in answer.text
    assert list(Membership.objects.values_list("user__username", "project__name")) == [("rita", "mine")]


def test_a_dry_run_with_a_name_just_taken_gets_the_next(rita: Client, other_is_quicker: Callable[[str], None]) -> None:
    other_is_quicker("mine-dry-run")
    assert rita.post("/projects/mine/dry-run/")["Location"] == "/projects/mine-dry-run-2/data/"
    assert sorted(Membership.objects.values_list("project__name", flat=True)) == ["mine", "mine-dry-run-2"]


def test_only_a_running_project_has_no_words_for_why_it_gives_nothing() -> None:
    assert set(ProjectState) - set(NO_NEW_QUESTIONS) == {ProjectState.RUNNING}
