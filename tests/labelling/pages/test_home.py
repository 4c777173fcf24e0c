"""A worker's own pages show what is open, what it pays, how long it takes, and the work done so far."""

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from annotation.models import Project
from labelling import open_tasks as home
from labelling.open_tasks import TaskOffer, open_tasks
from labelling.pages.history import earned_cents
from pipeline.asking.end_lease import return_assignment
from pipeline.models import Assignment, Question
from pipeline.rules.settings.protocol import ProtocolSettings
from pipeline.rules.tasks.task import Task
from tests.support.projects import lease, phrases, project_of, worker
from tests.support.rows import make_project
from workers.models import Access, Worker
from workers.page_token import read_page_token

pytestmark = pytest.mark.django_db
ASK, DRAW = Task.BOX_REQUIREMENT, Task.BOX_DRAWING
PAY = {**{task.value: 0 for task in Task}, DRAW.value: 25}


@pytest.fixture
def project() -> Project:
    """Three animals, of each of which it is asked whether a box can be drawn; and a man to draw one around."""
    images = [phrases("animals: a dog", name=str(number)) for number in range(3)]
    return project_of(*images, phrases("people: a man", name="3"), settings=ProtocolSettings(reward_cents=PAY))


@pytest.fixture
def ada(project: Project) -> Worker:
    made = worker(project, "ada")
    made.user = User.objects.create_user("ada")
    made.save()
    return made


@pytest.fixture
def page(client: Client, ada: Worker) -> Client:
    client.force_login(ada.user)  # type: ignore[arg-type]
    return client


def offer(project: Project, who: Worker, task: Task = ASK) -> TaskOffer:
    return next(one for one in open_tasks(project, who.id) if one.task == task)


def ended(project: Project, who: Worker, task: Task, seconds: float, **values: Any) -> Assignment:
    now = timezone.now()
    times = {"created_at": now - timedelta(seconds=seconds), "expires_at": now, "ended_at": now}
    given = {"state": "submitted", "questions": [], **times, **values}
    return Assignment.objects.create(project=project, worker=who, task=task.value, **given)


class TestAnOffer:
    def test_is_made_for_each_task_that_the_worker_may_do(self, project: Project) -> None:
        bob = worker(project, "bob", DRAW, Task.COREFERENCE_LINK)
        assert [one.task for one in open_tasks(project, bob.id)] == ["coreference_link", "box_drawing"]
        assert open_tasks(make_project(), bob.id) == []

    def test_says_what_is_open_what_it_pays_and_how_long_it_takes(self, project: Project, ada: Worker) -> None:
        assert offer(project, ada) == TaskOffer(
            "box_requirement", "box requirement", "open", 3, False, 0, "USD", 10, 81, False, ""
        )
        drawing = offer(project, ada, DRAW)
        assert (drawing.open, drawing.reward_cents, drawing.questions, drawing.seconds) == (1, 25, 5, 134)

    def test_leaves_out_what_the_worker_had_a_part_in_or_skipped(self, project: Project, ada: Worker) -> None:
        first, second, third = Question.objects.filter(task=ASK.value)
        Question.objects.filter(id=first.id).update(barred=[ada.id], barred_count=1)
        Question.objects.filter(id=second.id).update(skipped=[ada.id])
        Question.objects.filter(id=third.id).update(barred=[ada.id + 1], skipped=[ada.id + 10], barred_count=1)
        assert offer(project, ada).open == 1

    def test_counts_no_further_than_it_says(
        self, project: Project, ada: Worker, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(home, "MOST", 2)
        assert (offer(project, ada).open, offer(project, ada).more) == (2, True)
        monkeypatch.setattr(home, "MOST", 3)
        assert (offer(project, ada).open, offer(project, ada).more) == (3, False)

    def test_says_that_others_are_at_what_is_open(self, project: Project, ada: Worker) -> None:
        lease(project, worker(project, "bob"), ASK)
        found = offer(project, ada)
        assert (found.open, found.held) == (0, False)
        assert found.message == "Other people are working on all open questions right now. Look again in a while."

    def test_says_that_only_others_can_go_on(self, project: Project, ada: Worker) -> None:
        Question.objects.filter(task=ASK.value).update(barred=[ada.id], barred_count=1)
        expected = "Only other people can answer what is open: you have already worked on all of it."
        assert offer(project, ada).message == expected

    def test_says_that_nothing_is_open(self, project: Project, ada: Worker) -> None:
        assert offer(project, ada, Task.BOX_COVERAGE).message == "Nothing is open. 0 images are finished."
        project.images.filter(name="1").update(state="merged")
        assert offer(project, ada, Task.BOX_COVERAGE).message == "Nothing is open. 1 image is finished."

    def test_of_images_without_pixels_is_not_made_to_people(self) -> None:
        blind = project_of(phrases("people: a man"), name="blind", pictures=False)
        assert offer(blind, worker(blind, "bob"), DRAW).message == "Nothing is open. 0 images are finished."

    def test_says_that_an_assignment_is_begun_until_it_is_given_back_or_runs_out(
        self, project: Project, ada: Worker
    ) -> None:
        assignment = lease(project, ada, ASK)
        assert (offer(project, ada).held, offer(project, ada).message) == (True, "")
        assert not offer(project, ada, DRAW).held
        Assignment.objects.update(expires_at=timezone.now())
        assert not offer(project, ada).held
        Assignment.objects.update(expires_at=timezone.now() + timedelta(minutes=1))
        return_assignment(assignment_id=assignment.id, worker_id=ada.id)
        assert not offer(project, ada).held

    def test_takes_the_time_from_the_own_work_then_from_all_peoples_then_from_the_paper(
        self, project: Project, ada: Worker
    ) -> None:
        bob = worker(project, "bob")
        robot = worker(project, "robot", kind=Worker.Kind.VIRTUAL)
        for seconds in (10, 20, 30, 40):
            ended(project, bob, ASK, seconds)
            ended(project, robot, ASK, 0)
        assert offer(project, ada).seconds == 81
        ended(project, ada, ASK, 50)
        assert offer(project, ada).seconds == 30
        for _ in range(4):
            ended(project, ada, ASK, 100)
        assert (offer(project, ada).seconds, offer(project, bob).seconds) == (100, 50)


class TestThePages:
    def test_show_every_task_with_a_start(self, page: Client) -> None:
        text = page.get("/work/small/").text
        assert text.count('class="offer"') == 6
        assert '<a class="button main" href="/work/small/box_requirement/">Start</a>' in text
        assert "3 questions are open to you" in text
        assert "0.25 USD" in text
        assert "test" not in text and "score" not in text.split("How your score is computed")[0]

    def test_show_what_can_be_gone_on_with(self, page: Client, project: Project, ada: Worker) -> None:
        lease(project, ada, ASK)
        text = page.get("/work/small/").text
        assert ">Continue</a>" in text
        assert "begun, 29 minutes left" in text
        assert "Box requirement: begun" in page.get("/work/").text

    def test_list_my_projects_alone(self, page: Client) -> None:
        make_project("secret")
        text = page.get("/work/").text
        assert 'href="/work/small/"' in text
        assert "secret" not in text
        assert page.get("/work/secret/").status_code == 404

    def test_show_what_was_done_and_earned(self, page: Client, project: Project, ada: Worker) -> None:
        receipt = {"stored": 3, "too_late": [1], "skipped": 1, "message": ""}
        for number in range(21):
            ended(project, ada, DRAW, 60, receipt=receipt, earned_cents=15, reward_cents=20 + number)
        ended(project, ada, ASK, 60, state="expired")
        ended(project, worker(project, "bob"), DRAW, 60, receipt=receipt, earned_cents=1000)
        text = page.get("/work/small/").text
        assert "<b>3.15 USD</b> earned" in text
        assert earned_cents(project.id, ada.id) == 315
        assert "ran out of time" in text
        assert text.count("<td>3 of 4</td>") == 19
        assert "1 of 2" in text
        assert page.get("/work/small/?page=2").text.count("<td>3 of 4</td>") == 2

    def test_keep_the_history_of_who_has_no_access_any_more(self, page: Client, project: Project, ada: Worker) -> None:
        ended(project, ada, ASK, 60)
        Access.objects.filter(worker=ada).delete()
        assert "You no longer have access to any task here." in page.get("/work/small/").text
        Assignment.objects.all().delete()
        assert page.get("/work/small/").status_code == 404

    def test_tell_who_is_no_worker_how_to_become_one(self, client: Client) -> None:
        client.force_login(User.objects.create_user("bob"))
        response = client.get("/work/")
        assert response.status_code == 403
        assert "Open the invitation link" in response.text

    @pytest.mark.parametrize("address", ["/work/", "/work/small/", "/work/small/box_drawing/"])
    def test_are_for_who_is_signed_in_and_kept_by_no_cache(self, client: Client, page: Client, address: str) -> None:
        assert "no-store" in page.get(address)["Cache-Control"]
        assert Client().get(address)["Location"] == f"/work/sign-in/?next={address}"


class TestTheLabellingPage:
    @pytest.fixture(autouse=True)
    def built(self, settings: Any, tmp_path: Any) -> None:
        """As if the front end were built: what the page asks for is looked at, not run."""
        settings.FRONTEND = tmp_path
        (tmp_path / ".vite").mkdir()
        (tmp_path / ".vite" / "work.json").write_text('{"src/work.tsx": {"file": "work.js", "css": ["work.css"]}}')
        (tmp_path / ".vite" / "gallery.json").write_text('{"src/gallery.ts": {"file": "g.js"}}')

    def test_says_what_the_script_needs_to_know(self, page: Client, ada: Worker) -> None:
        Project.objects.update(title='Dogs "and" men')
        text = page.get("/work/small/box_drawing/").text
        root = text[text.index('<div id="work"') :]
        values = dict(pair.split('="') for pair in root[: root.index('">')].split('" data-')[1:])
        bearer = values.pop("bearer")
        assert read_page_token(bearer) == (ada.id, None)
        assert values == {
            "project": "small",
            "title": "Dogs &quot;and&quot; men",
            "task": "box_drawing",
            "api": "/api/v1",
            "home": "/work/small/",
            "needed": "7",
        }

    def test_asks_for_nothing_but_the_style_and_the_script(self, page: Client) -> None:
        text = page.get("/work/small/box_drawing/").text
        assert text.count('href="data:image/svg+xml,') == 1
        assert (text.count("<link"), text.count("<script"), text.count("src=")) == (2, 1, 1)
        assert "style=" not in text

    def test_is_not_shown_without_access(self, page: Client, ada: Worker) -> None:
        Access.objects.filter(worker=ada, task="box_drawing").delete()
        response = page.get("/work/small/box_drawing/", follow=True)
        assert response.redirect_chain == [("/work/small/", 302)]
        assert "You have no access to box drawing here." in response.text

    @pytest.mark.parametrize("address", ["/work/small/dancing/", "/work/nowhere/box_drawing/"])
    def test_is_not_found_for_what_there_is_not(self, page: Client, address: str) -> None:
        assert page.get(address).status_code == 404
