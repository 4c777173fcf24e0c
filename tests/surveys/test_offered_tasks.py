"""Everything that offers tasks offers those of the project, and refuses others with a sentence."""

from io import StringIO

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.forms import modelform_factory
from django.test import Client
from django.urls import reverse

from annotation.models import Project
from annotation.rules.states import Survey
from backoffice.people.access import AccessForm
from backoffice.people.invitation import InvitationForm
from campaign.lifecycle.newcomers import ways_in
from campaign.people.invite_page import InviteForm
from labelling.joining.join import admit
from pipeline.project.settings_versions import open_project
from pipeline.project.tasks import NotAskedError, chosen_tasks, tasks_of
from pipeline.rules.tasks.task import PROTOCOL_TASKS, Task
from pipeline.stock.stock_forecast import stock_forecasts
from tests.support.api import ApiWorker
from workers.invitations import invite, join_project
from workers.models import Access, Invitation, Worker

pytestmark = pytest.mark.django_db
CHECK = Task.CAPTION_CHECK
REFUSED = "does not ask box_quality. It asks caption_check."


@pytest.fixture
def project() -> Project:
    return open_project(name="survey", survey=Survey.CAPTION_CHECK)


def granted(project: Project) -> set[str]:
    return set(Access.objects.filter(project=project).values_list("task", flat=True))


def test_a_survey_asks_one_task_and_another_project_the_papers_six(project: Project) -> None:
    assert tasks_of(project) == (CHECK,)
    assert tasks_of(open_project(name="six")) == PROTOCOL_TASKS
    assert chosen_tasks(project, ["caption_check"]) == chosen_tasks(project, []) == (CHECK,)
    with pytest.raises(NotAskedError, match=REFUSED):
        chosen_tasks(project, ["caption_check", "box_quality"])


def test_guests_and_people_who_join_get_its_task(project: Project) -> None:
    admit(User(username="guest"), project)
    join_project(code=invite(project_id=project.pk).code, user=User(username="ada"), all_tasks=[CHECK.value])
    assert granted(project) == {CHECK}
    assert {task for way in ways_in(project) for task in way.tasks} == {CHECK}


def test_an_invitation_without_named_tasks_opens_its_task(project: Project, client: Client) -> None:
    link = invite(project_id=project.pk)
    assert "fit its picture" in client.get(reverse("join", args=[link.code])).text
    client.force_login(User.objects.create_user("ada"))
    client.post(reverse("join", args=[link.code]))
    assert granted(project) == {CHECK}


@pytest.mark.parametrize(
    "command", [("invite", "survey"), ("make_api_key", "robot", "--project", "survey"), ("stock", "survey")]
)
def test_commands_refuse_a_task_that_it_does_not_ask(project: Project, command: tuple[str, ...]) -> None:
    with pytest.raises(CommandError, match=REFUSED):
        call_command(*command, "--tasks", "box_quality", stdout=StringIO(), stderr=StringIO())
    assert not Access.objects.exists()


def test_a_program_gets_its_task_alone(project: Project) -> None:
    call_command("make_api_key", "robot", project="survey", stdout=StringIO(), stderr=StringIO())
    assert granted(project) == {CHECK}


def test_the_forms_of_requesters_and_of_the_admin_refuse_others(project: Project) -> None:
    assert "tasks" not in InviteForm(project, {"who": "trusted"}).fields  # there is nothing to choose
    ada = Worker.objects.create(name="ada")
    given = {"worker": ada.pk, "project": project.pk}
    assert AccessForm({**given, "task": "box_quality"}).errors["task"] == [f"The project 'survey' {REFUSED}"]
    assert "task" not in AccessForm({**given, "task": "caption_check"}).errors
    link = modelform_factory(Invitation, form=InvitationForm, fields=["project", "tasks"])
    assert link({"project": project.pk, "tasks": ["box_quality"]}).errors["tasks"]


def test_its_stock_is_that_of_its_task(project: Project) -> None:
    assert set(stock_forecasts(project.pk)) == {CHECK}


@pytest.mark.both_engines
def test_a_worker_is_offered_its_task_and_refused_another(project: Project, client: Client) -> None:
    worker = admit(User(username="ada"), project)
    api = ApiWorker(client, worker, project=project.name)
    status, found = api.call("GET", "projects/survey/tasks/")
    assert status == 200 and [one["task"] for one in found] == ["caption_check"]
    status, refused = api.call("POST", "projects/survey/assignments/", {"task": "box_quality"})
    assert status == 403 and refused["message"]
