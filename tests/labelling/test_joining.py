"""Invitations, and guests who try the work where the service allows it."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from accounts.models import Role
from annotation.models import Project
from pipeline.project.settings_versions import change_settings, current_settings
from pipeline.protocol.tasks.task import PROTOCOL_TASKS
from pipeline.settings.settings import Settings
from runtime import clock
from simulation.build_demo import SETTINGS
from tests.support.members import maker, sign_in
from tests.support.projects import phrases, project_of
from tests.support.race import Race
from tests.support.rows import make_project, make_worker
from tests.support.table import case, row
from workers.change_trust import BY_HAND, trust_of
from workers.invitations import UsedUpInvitationError, invite, join_project, worker_for
from workers.models import Access, Invitation, TrustStatus, Worker

pytestmark = pytest.mark.django_db

NEW = {"username": "ada", "password1": "engine and loom", "password2": "engine and loom"}
ALL = [task.value for task in PROTOCOL_TASKS]
TRY = "/work/small/try/"


@pytest.fixture
def project() -> Project:
    return make_project()


def link(invitation: Invitation) -> str:
    return reverse("join", args=[invitation.code])


def pay(project: Project, **cents: int) -> None:
    _, settings = current_settings(project.id)  # which all who read the same settings share: they are never changed
    rewards = {**settings.reward_cents, **cents}
    change_settings(project_id=project.id, settings=replace(settings, reward_cents=rewards))


def tasks_of(worker: Worker) -> list[str]:
    return sorted(Access.objects.filter(worker=worker).values_list("task", flat=True))


def test_the_page_says_what_one_is_invited_to(client: Client, project: Project) -> None:
    pay(project, box_drawing=125)
    page = client.get(link(invite(project_id=project.id, tasks=["box_drawing", "box_quality"]))).text
    assert "parks" in page and "$1.25" in page
    assert page.count("unpaid") == 1 and "Same or different" not in page
    assert "autofocus" not in page, "a phone would scroll past the project, its tasks and their pay"


def test_the_page_names_who_asks_what_for_and_what_is_kept_how_long(client: Client, project: Project) -> None:
    address = link(invite(project_id=project.id))
    page = client.get(address).text
    assert page.count("For what is not said here, ask the person who sent you the link.") == 1
    assert "Who asks" not in page and "is kept until you delete it" in page
    told = {"requester": "Example University", "contact": "ada@example.org", "purpose": "A data set.", "kept_days": 90}
    Project.objects.update(**told)
    page = client.get(address).text
    for words in ("Example University", "mailto:ada@example.org", "A data set.", "nothing here for 90 days"):
        assert words in page


@pytest.mark.parametrize(
    ("trusted", "cents", "sentence"),
    [
        (False, 50, "The test is not paid, whether you pass or not; the work after it is paid as shown above."),
        (False, 0, "Neither the test nor the work is paid."),
        (True, 50, "There is no test: you begin with the work at once, and it is paid as shown above."),
        (True, 0, "There is no test: you begin with the work at once, and it is not paid."),
    ],
)
def test_the_page_says_whether_a_test_comes_first_and_what_is_paid(
    client: Client, project: Project, cents: int, sentence: str, *, trusted: bool
) -> None:
    pay(project, box_quality=cents)
    assert sentence in client.get(link(invite(project_id=project.id, tasks=["box_quality"], trusted=trusted))).text


def test_an_address_for_lost_passwords_may_be_given(client: Client, project: Project) -> None:
    client.post(link(invite(project_id=project.id)), {**NEW, "email": "ada@example.org"})
    assert User.objects.get().email == "ada@example.org"


def test_a_new_account_is_a_person_with_access_to_the_tasks(client: Client, project: Project) -> None:
    invitation = invite(project_id=project.id, tasks=["box_drawing", "box_quality"])
    assert client.post(link(invitation), NEW)["Location"] == "/work/parks/"
    user = User.objects.get(username="ada")
    assert (user.is_staff, user.check_password("engine and loom")) == (False, True)
    worker = Worker.objects.get(user=user)
    assert (worker.name, worker.kind) == ("ada", "person") and tasks_of(worker) == ["box_drawing", "box_quality"]
    assert client.get("/work/parks/").status_code == 200
    invitation.refresh_from_db()
    assert invitation.joined == 1


def test_an_invitation_that_names_no_task_is_to_all_of_them(client: Client, project: Project) -> None:
    client.post(link(invite(project_id=project.id)), NEW)
    assert tasks_of(Worker.objects.get()) == sorted(ALL)


@pytest.mark.both_engines
def test_who_is_signed_in_joins_by_a_press(client: Client, project: Project) -> None:
    invitation, user = invite(project_id=project.id), User.objects.create_user("ada")
    client.force_login(user)
    assert "Join as ada" in client.get(link(invitation)).text
    client.post(link(invitation))
    assert tasks_of(Worker.objects.get(user=user)) == sorted(ALL)


def test_who_has_an_account_comes_back_to_the_link_after_signing_in(client: Client, project: Project) -> None:
    url = link(invite(project_id=project.id))
    assert f'href="/account/login/?next={url}"' in client.get(url).text


def test_staff_who_open_their_own_link_become_a_worker_of_a_free_name(client: Client, project: Project) -> None:
    make_worker(name="boss")
    boss = maker("boss")
    client.force_login(boss)
    client.post(link(invite(project_id=project.id)))
    assert Worker.objects.get(user=boss).name == "boss 2"


def test_joining_twice_counts_once(client: Client, project: Project) -> None:
    invitation = invite(project_id=project.id, most=2)
    for _ in range(2):
        client.post(link(invitation), NEW)
    invitation.refresh_from_db()
    assert (invitation.joined, Access.objects.count()) == (1, 6)


@case("expired", {"days": -1}, {}, 410, "This invitation has expired.")
@case("used up", {"most": 1}, {"joined": 1}, 410, "As many people have joined as this invitation allows.")
@case("unknown", {}, {"code": "another"}, 404, "There is no such invitation.")
def test_a_link_that_does_not_work_says_why(
    options: dict[str, Any], changed: dict[str, Any], status: int, sentence: str, client: Client, project: Project
) -> None:
    invitation = invite(project_id=project.id, **options)
    Invitation.objects.update(**changed or {"note": ""})
    for response in (client.get(link(invitation)), client.post(link(invitation), NEW)):
        assert response.status_code == status and sentence in response.text
    assert not User.objects.exists()


def test_a_link_to_a_deleted_project_is_unknown(client: Client, project: Project) -> None:
    address = link(invite(project_id=project.id))
    project.delete()
    for response in (client.get(address), client.post(address, NEW)):
        assert response.status_code == 404 and "There is no such invitation." in response.text
    assert not User.objects.exists()


@row({"username": "TAKEN"}, "username")
@row({"username": "a b"}, "username")
@row({"username": "a" * 151}, "username")
@row({"password2": "another one"}, "password2")
@row({"password1": "password", "password2": "password"}, "password1")
@row({"password1": "short", "password2": "short"}, "password1")
def test_a_wrong_form_comes_back_and_uses_nothing_up(wrong: Any, field: str, client: Client, project: Project):
    User.objects.create_user("taken")
    invitation = invite(project_id=project.id)
    assert list(client.post(link(invitation), {**NEW, **wrong}).context["form"].errors) == [field]
    invitation.refresh_from_db()
    assert (invitation.joined, User.objects.count()) == (0, 1)


def test_an_account_is_not_made_when_joining_fails(project: Project) -> None:
    invitation = invite(project_id=project.id, most=1)
    join_project(code=invitation.code, user=User(username="first"), all_tasks=ALL)
    with pytest.raises(UsedUpInvitationError):
        join_project(code=invitation.code, user=User(username="second"), all_tasks=ALL)
    assert list(User.objects.values_list("username", flat=True)) == ["first"]


@pytest.mark.django_db(transaction=True)
def test_of_many_who_join_at_once_no_more_get_in_than_are_meant(project: Project) -> None:
    invitation = invite(project_id=project.id, most=3)
    refused: list[str] = []

    def join(name: str) -> None:
        try:
            join_project(code=invitation.code, user=User(username=name), all_tasks=ALL)
        except UsedUpInvitationError:
            refused.append(name)

    Race(project).run_once(*(lambda name=f"user-{number}": join(name) for number in range(8)))  # type: ignore[misc]
    invitation.refresh_from_db()
    assert (invitation.joined, Worker.objects.count(), User.objects.count(), len(refused)) == (3, 3, 3, 5)


def test_an_address_that_makes_many_accounts_has_to_wait(client: Client, project: Project, settings: Any) -> None:
    settings.ACCOUNT_RATE_LIMITS = {"signup": "1/m/ip"}
    url = link(invite(project_id=project.id))
    client.post(url, {**NEW, "password2": "x"})
    response = client.post(url, NEW)
    assert response.status_code == 429 and "Too many tries" in response.text and not User.objects.exists()


class TestTheCommand:
    def test_prints_a_link_that_works(self, client: Client, project: Project, capsys: Any, settings: Any) -> None:
        options = {"tasks": ["box_drawing"], "most": 2, "days": 3, "note": "the class"}
        settings.ADDRESS = "https://a.example/"
        call_command("invite", "parks", **options)
        made = Invitation.objects.get()
        assert capsys.readouterr().out.splitlines()[0] == f"https://a.example{link(made)}"
        assert (made.tasks, made.most, made.note) == (["box_drawing"], 2, "the class") and made.expires_at is not None
        assert timedelta(days=2.9) < made.expires_at - clock.now() <= timedelta(days=3)
        assert client.get(link(made)).status_code == 200

    @pytest.mark.parametrize(
        "wrong", [("nowhere",), ("parks", "--most", "0"), ("parks", "--tasks", "dancing")], ids=str
    )
    def test_refuses_what_makes_no_sense(self, project: Project, wrong: tuple[str, ...]) -> None:
        with pytest.raises(CommandError):
            call_command("invite", *wrong)
        assert not Invitation.objects.exists()


class TestTheAdmin:
    def test_makes_an_invitation_and_shows_its_whole_link(self, admin_client: Client, project: Project) -> None:
        data = {"project": project.pk, "tasks": ["box_drawing"], "note": "the class", "most": 5}
        response = admin_client.post(reverse("admin:workers_invitation_add"), data, follow=True)
        made = Invitation.objects.get()
        assert (made.project_id, made.tasks, made.most) == (project.pk, ["box_drawing"], 5)
        assert f"http://testserver{link(made)}" in response.text
        page = admin_client.get(reverse("admin:workers_invitation_change", args=[made.pk])).text
        assert f'value="http://testserver{link(made)}"' in page

    def test_lists_invitations_by_their_projects(self, admin_client: Client, project: Project) -> None:
        invite(project_id=project.id)
        assert ">parks</a>" in admin_client.get(reverse("admin:workers_invitation_changelist")).text


def test_a_user_is_one_worker_however_often_they_join() -> None:
    user = User.objects.create_user("ada")
    assert worker_for(user) == worker_for(user)


@pytest.fixture
def offered(settings: Any) -> Project:
    settings.GALLERY_PUBLIC = settings.TRY_AS_WORKER = True
    return project_of(phrases("people: a man"))


def test_it_is_off_by_default(client: Client, offered: Project, settings: Any) -> None:
    settings.TRY_AS_WORKER = False
    assert client.post(TRY).status_code == 404 and "Try it as a worker" not in client.get("/").text
    assert not Worker.objects.exists()


def test_a_project_that_the_visitor_may_not_look_at_takes_no_guests(client: Client, offered: Project, settings: Any):
    settings.GALLERY_PUBLIC = False
    assert client.post(TRY).status_code == 404 and not Worker.objects.exists()
    sign_in(client, offered, Role.VIEWER)
    assert client.post(TRY)["Location"] == "/work/small/"


@pytest.mark.both_engines
def test_a_press_makes_a_guest_who_may_do_all_six_tasks(client: Client, offered: Project) -> None:
    assert f'action="{TRY}"' in client.get("/").text and client.post(TRY)["Location"] == "/work/small/"
    worker = Worker.objects.get()
    assert worker.name.startswith("guest-")
    assert (worker.kind, worker.user is not None and worker.user.has_usable_password()) == ("person", False)
    assert Access.objects.filter(worker=worker, project_id=offered.id).count() == 6
    assert client.get("/work/small/").status_code == 200 and "Change password" not in client.get("/work/").text


def test_the_press_on_the_first_page_opens_all_tasks_in_turn(client: Client, offered: Project) -> None:
    assert client.post(TRY, {"mixed": "on"})["Location"] == "/work/small/all/"


def test_the_button_is_on_the_list_of_several_projects_too(client: Client, offered: Project) -> None:
    project_of(phrases("people: a man"), name="other")
    page = client.get("/").text
    assert [f"/work/{name}/try/" in page for name in ("small", "other", "none")] == [True, True, False]


def test_a_guest_starts_with_the_qualification_test(client: Client, offered: Project) -> None:
    client.post(TRY)
    states = TrustStatus.objects.filter(worker=Worker.objects.get(), project=offered).values_list("state", flat=True)
    assert list(states) == ["invited"] * 6


def test_a_guest_works_at_once_where_the_project_trusts_guests(client: Client, offered: Project) -> None:
    _, settings = current_settings(offered.id)
    change_settings(project_id=offered.id, settings=replace(settings, guests_trusted=True))
    client.post(TRY)
    worker = Worker.objects.get()
    assert {trust_of(worker.id, offered.id, task.value) for task in PROTOCOL_TASKS} == {BY_HAND}


def test_whoever_manages_a_project_works_on_it_at_once(client: Client, offered: Project) -> None:
    sign_in(client, offered, Role.REQUESTER)
    client.post(TRY)
    worker = Worker.objects.get()
    assert {trust_of(worker.id, offered.id, task.value) for task in PROTOCOL_TASKS} == {BY_HAND}


def test_the_demo_trusts_guests() -> None:
    assert SETTINGS.guests_trusted and not Settings().guests_trusted


def test_it_takes_a_press_and_a_token_of_the_page(offered: Project) -> None:
    strict = Client(enforce_csrf_checks=True)
    assert (strict.get(TRY).status_code, strict.post(TRY).status_code) == (405, 403)


def test_who_is_signed_in_tries_it_as_themselves(client: Client, offered: Project) -> None:
    user = maker("ada")
    client.force_login(user)
    for _ in range(2):
        assert client.post(TRY).status_code == 302
    assert list(Worker.objects.values_list("name", "user")) == [("ada", user.pk)]


def test_an_address_gets_only_so_many_guests(client: Client, offered: Project, settings: Any) -> None:
    settings.ACCOUNT_RATE_LIMITS = {"guest": "1/m/ip"}
    assert [Client().post(TRY).status_code for _ in range(2)] == [302, 429] and Worker.objects.count() == 1
