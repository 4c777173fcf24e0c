"""The admin of who answers: workers, what they may be asked, and the accounts they sign in with."""

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from annotation.models import Project
from pipeline.rules.tasks.task import Task
from tests.support.rows import make_project, make_worker
from workers.models import Access, TrustStatus, Worker

pytestmark = pytest.mark.django_db
ADD_ACCESS = "admin:workers_access_add"


@pytest.fixture
def project() -> Project:
    return make_project()


def inline(**first: Any) -> dict[str, Any]:
    """Return the form fields of the accesses on a worker's page, with one new row if `first` is given."""
    counts = {"TOTAL_FORMS": len(first) and 1, "INITIAL_FORMS": 0, "MIN_NUM_FORMS": 0, "MAX_NUM_FORMS": 1000}
    return {f"accesses-{name}": value for name, value in counts.items()} | {
        f"accesses-0-{name}": value for name, value in first.items()
    }


def test_a_worker_is_added_with_a_first_access(project: Project, admin_client: Client) -> None:
    access = inline(project=project.pk, task="box_drawing")
    response = admin_client.post(reverse("admin:workers_worker_add"), {"name": "Ada", "kind": "person", **access})
    assert response.status_code == 302
    assert list(Access.objects.values_list("worker__name", "project_id", "task")) == [
        ("Ada", project.pk, "box_drawing")
    ]


def test_a_worker_is_renamed_and_given_an_account(admin_client: Client) -> None:
    worker, user = make_worker(), User.objects.create_user("ada")
    page = reverse("admin:workers_worker_change", args=[worker.pk])
    data = {"name": "Ada", "kind": "person", "user": user.pk, **inline()}
    assert admin_client.post(page, data).status_code == 302
    worker.refresh_from_db()
    assert (worker.name, worker.user) == ("Ada", user)


def test_a_worker_is_never_deleted(admin_client: Client) -> None:
    worker = make_worker()
    delete = reverse("admin:workers_worker_delete", args=[worker.pk])
    assert admin_client.post(delete, {"post": "yes"}).status_code == 403
    several = {"action": "delete_selected", "_selected_action": [worker.pk], "post": "yes"}
    admin_client.post(reverse("admin:workers_worker_changelist"), several)
    assert Worker.objects.get() == worker


def test_an_access_is_given_by_names_and_shown_by_names(project: Project, admin_client: Client) -> None:
    worker = make_worker()
    data = {"worker": worker.pk, "project": project.pk, "task": "box_quality"}
    assert admin_client.post(reverse(ADD_ACCESS), data).status_code == 302
    access = Access.objects.get()
    assert (access.worker, access.project_id, access.task) == (worker, project.pk, "box_quality")
    assert ">parks</a>" in admin_client.get(reverse("admin:workers_access_changelist")).text


def test_an_access_given_by_hand_starts_with_the_test_unless_it_says_trusted(
    project: Project, admin_client: Client
) -> None:
    worker = make_worker()
    for task, more in (("box_quality", {}), ("box_drawing", {"trusted": "on"})):
        admin_client.post(reverse(ADD_ACCESS), {"worker": worker.pk, "project": project.pk, "task": task, **more})
    new = {"name": "model-1", "kind": "program", **inline(project=project.pk, task="box_drawing")}
    admin_client.post(reverse("admin:workers_worker_add"), new)
    begun = TrustStatus.objects.order_by("id").values_list("worker__name", "task", "state")
    assert list(begun) == [(worker.name, "box_quality", "invited"), ("model-1", "box_drawing", "invited")]


def test_the_tasks_to_choose_from_are_the_six(project: Project, admin_client: Client) -> None:
    form = admin_client.get(reverse(ADD_ACCESS)).context["adminform"].form
    assert [value for value, _ in form.fields["task"].widget.choices] == [task.value for task in Task]
    assert str(project) in str(form["project"])


@pytest.mark.parametrize("wrong", [{"task": "dancing"}, {"project": 0}, {"worker": 0}], ids=str)
def test_a_wrong_access_is_refused(wrong: dict[str, Any], project: Project, admin_client: Client) -> None:
    data = {"worker": make_worker().pk, "project": project.pk, "task": "box_quality", **wrong}
    response = admin_client.post(reverse(ADD_ACCESS), data)
    assert set(response.context["adminform"].form.errors) == set(wrong)
    assert not Access.objects.exists()


@pytest.mark.both_engines
def test_the_same_access_twice_is_refused_with_a_message(project: Project, admin_client: Client) -> None:
    data = {"worker": make_worker().pk, "project": project.pk, "task": "box_quality"}
    for _ in range(2):
        response = admin_client.post(reverse(ADD_ACCESS), data)
    assert "already exists" in response.text
    assert Access.objects.count() == 1


def test_an_access_is_taken_away_and_not_changed(project: Project, admin_client: Client) -> None:
    access = Access.objects.create(worker=make_worker(), project_id=project.pk, task="box_quality")
    page = reverse("admin:workers_access_change", args=[access.pk])
    assert admin_client.post(page, {"task": "box_drawing"}).status_code == 403
    delete = reverse("admin:workers_access_delete", args=[access.pk])
    assert admin_client.post(delete, {"post": "yes"}).status_code == 302
    assert not Access.objects.exists()


def test_accesses_are_narrowed_to_a_project_and_a_task(project: Project, admin_client: Client) -> None:
    worker, other = make_worker(), make_project("other")
    for of, task in ((project, "box_quality"), (project, "box_drawing"), (other, "box_quality")):
        Access.objects.create(worker=worker, project_id=of.pk, task=task)
    page = reverse("admin:workers_access_changelist")
    narrowed = f"{page}?project__id__exact={project.pk}&task=box_quality"
    shown = admin_client.get(narrowed).context["cl"].result_list
    assert [(access.project_id, access.task) for access in shown] == [(project.pk, "box_quality")]
    assert admin_client.get(page, {"project__id__exact": "x"}, follow=True).status_code == 200


def test_an_account_is_made_with_a_password_of_its_own(admin_client: Client) -> None:
    page = reverse("admin:auth_user_add")
    data = {"username": "ada", "password1": "", "password2": "", "usable_password": "true"}
    assert admin_client.post(page, data).status_code == 200
    assert not User.objects.filter(username="ada").exists()
    data |= {"password1": "a long and rare one", "password2": "a long and rare one"}
    assert admin_client.post(page, data).status_code == 302
    assert User.objects.get(username="ada").check_password("a long and rare one")
