"""The states of a project: who may move it, and what workers then get."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.test import Client

from annotation.models import Project
from annotation.rules.states import ProjectMoveError, ProjectState
from campaign.lifecycle.change_state import change_state
from campaign.models import StateChange
from labelling.open_tasks import open_tasks
from members.add_member import add_member
from members.models import Role
from pipeline.asking.lease_assignment import lease_assignment, lease_questions
from pipeline.asking.submit_assignment import submit_assignment
from pipeline.errors import NotRunningError
from pipeline.models import Question
from pipeline.rules.tasks.task import Task
from tests.support.members import sign_in
from tests.support.projects import lease, phrases, project_of, submit, worker
from upkeep import clock

pytestmark = pytest.mark.django_db
LINK = Task.COREFERENCE_LINK


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
    assert (offer.open, offer.state) == (0, "waiting")
    assert "paused this project" in offer.message


def test_workers_finish_what_they_had_begun_when_the_project_was_paused(project: Project) -> None:
    ada = worker(project, "ada")
    held = lease(project, ada, LINK)
    pause(project)
    assert lease(project, ada, LINK).id == held.id
    assert open_tasks(Project.objects.get(), ada.id)[0].held
    receipt = submit(held, *["different"] * len(held.questions))
    assert len(receipt.stored) == len(held.questions)
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
    assert client.post("/projects/small/state/", {"state": "paused"}).status_code == 403
    client.force_login(boss)
    assert ">Pause</button>" in client.get("/projects/small/").text
    page = client.post("/projects/small/state/", {"state": "paused"}, follow=True).text
    assert "The project is paused now." in page
    assert ">Resume</button>" in page


def test_a_project_with_open_work_is_finished_after_a_question(project: Project, client: Client) -> None:
    sign_in(client, project, Role.REQUESTER)
    page = client.post("/projects/small/state/", {"state": "finished"}).text
    project.refresh_from_db()
    assert project.state == "running"
    assert f"{project.images.count()} of {project.images.count()} images" in page and 'name="sure"' in page
    client.post("/projects/small/state/", {"state": "finished", "sure": "yes"})
    project.refresh_from_db()
    assert project.state == "finished"


def test_a_state_that_does_not_exist_is_refused_with_the_list(project: Project, client: Client) -> None:
    boss = User.objects.create_user("boss")
    add_member(boss, project, Role.REQUESTER)
    client.force_login(boss)
    page = client.post("/projects/small/state/", {"state": "gone"}, follow=True).text
    assert "choose one of draft, running, paused, finished, archived" in page
