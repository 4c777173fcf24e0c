"""A worker's own pages show what is open, what it pays, how long it takes, and the work done so far."""

import re
from dataclasses import replace
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from annotation.models import Project
from labelling import open_tasks as home
from labelling.open_tasks import TaskOffer, in_turn, open_tasks
from labelling.pages.worker_status import earnings
from pipeline.asking.end_lease import return_assignment
from pipeline.models import Assignment, Question
from pipeline.money.ledger import rough_cents
from pipeline.money.refuse_pay import refuse_pay
from pipeline.protocol.tasks.task import PROTOCOL_TASKS, Task
from pipeline.settings.settings import Settings
from tests.labelling.conftest import with_account
from tests.support.answers import handed_in
from tests.support.main_buttons import main_buttons
from tests.support.projects import lease, phrases, project_of, worker
from tests.support.rows import make_project
from workers.models import Access, Worker

pytestmark = pytest.mark.django_db
ASK, DRAW = Task.BOX_REQUIREMENT, Task.BOX_DRAWING
PAY = {**{task.value: 0 for task in PROTOCOL_TASKS}, DRAW.value: 25}


@pytest.fixture
def project() -> Project:
    """Three animals, of each of which it is asked whether a box can be drawn; and a man to draw one around."""
    images = [phrases("animals: a dog", name=str(number)) for number in range(3)]
    return project_of(*images, phrases("people: a man", name="3"), settings=Settings(reward_cents=PAY))


@pytest.fixture
def ada(project: Project) -> Worker:
    return with_account(worker(project, "ada"))


def offer(project: Project, who: Worker, task: Task = ASK) -> TaskOffer:
    return next(one for one in open_tasks(project, who.id) if one.task == task)


class TestAnOffer:
    def test_is_made_for_each_task_that_the_worker_may_do(self, project: Project) -> None:
        bob = worker(project, "bob", DRAW, Task.COREFERENCE_LINK)
        assert [one.task for one in open_tasks(project, bob.id)] == ["coreference_link", "box_drawing"]
        assert open_tasks(make_project(), bob.id) == []

    def test_says_what_is_open_what_it_pays_and_how_long_it_takes(self, project: Project, ada: Worker) -> None:
        assert offer(project, ada) == TaskOffer(
            "box_requirement", "box or no box", "open", 1, True, 0, "USD", 10, 81, False, ""
        )
        drawing = offer(project, ada, DRAW)
        assert (drawing.open, drawing.reward_cents, drawing.questions, drawing.seconds) == (1, 25, 5, 134)

    def test_leaves_out_what_the_worker_had_a_part_in_or_skipped(self, project: Project, ada: Worker) -> None:
        first, second, third = Question.objects.filter(task=ASK.value)
        Question.objects.filter(id=first.id).update(barred=[ada.id], barred_count=1)
        Question.objects.filter(id=second.id).update(skipped=[ada.id])
        Question.objects.filter(id=third.id).update(barred=[ada.id + 1], skipped=[ada.id + 10], barred_count=1)
        assert offer(project, ada).open == 1
        Question.objects.filter(id=third.id).update(skipped=[ada.id])
        assert offer(project, ada).open == 0

    def test_counts_no_further_than_it_says(self, project: Project, ada: Worker, monkeypatch: pytest.MonkeyPatch):
        monkeypatch.setattr(home, "MAX_COUNTED", 2)
        with CaptureQueriesContext(connection) as asked:
            assert (offer(project, ada).open, offer(project, ada).more) == (1, True)
        assert any("LIMIT 3" in one["sql"] for one in asked)

    @pytest.mark.parametrize("count", [1, 2, 20, 21, 50, 51, 300, 1000, 1001])
    def test_does_not_say_how_many_of_an_assignment_were_real(self, count: int) -> None:
        """The count before an assignment less the count after it would be the number of real questions in it."""
        told = home.roughly(count)
        assert told in home.STEPS and told <= count
        assert len([other for other in range(1, 1002) if home.roughly(other) == told]) >= 20 or told == 1000
        assert home.roughly(0) == 0

    def test_says_that_others_are_at_what_is_open(self, project: Project, ada: Worker) -> None:
        lease(project, worker(project, "bob"), ASK)
        found = offer(project, ada)
        assert (found.open, found.is_begun) == (0, False)
        assert found.message == "Other people are working on all open questions right now. Look again in a while."

    def test_says_that_only_others_can_go_on(self, project: Project, ada: Worker) -> None:
        Question.objects.filter(task=ASK.value).update(barred=[ada.id], barred_count=1)
        expected = "Only other people can answer what is open now: you have answered about the same things already."
        assert offer(project, ada).message == expected

    def test_says_that_nothing_is_open(self, project: Project, ada: Worker) -> None:
        assert offer(project, ada, Task.BOX_COVERAGE).message == "Nothing is open."
        project.images.filter(name="1").update(state="merged")
        assert offer(project, ada, Task.BOX_COVERAGE).message == "Nothing is open. 1 image is finished."

    def test_of_images_without_pixels_is_not_made_to_people(self) -> None:
        blind = project_of(phrases("people: a man"), name="blind", pictures=False)
        assert offer(blind, worker(blind, "bob"), DRAW).message == "Nothing is open."

    def test_says_that_an_assignment_is_begun_until_it_is_given_back_or_runs_out(self, project: Project, ada: Worker):
        assignment = lease(project, ada, ASK)
        assert (offer(project, ada).is_begun, offer(project, ada).message) == (True, "")
        assert not offer(project, ada, DRAW).is_begun
        Assignment.objects.update(expires_at=timezone.now())
        assert not offer(project, ada).is_begun
        Assignment.objects.update(expires_at=timezone.now() + timedelta(hours=1))
        return_assignment(assignment_id=assignment.id, worker_id=ada.id)
        assert not offer(project, ada).is_begun

    def test_takes_the_time_from_own_work_then_from_all_then_the_paper(self, project: Project, ada: Worker) -> None:
        bob, robot = worker(project, "bob"), worker(project, "robot", kind=Worker.Kind.VIRTUAL)
        for seconds in (10, 20, 30, 40):
            handed_in(project, bob, ASK, seconds)
            handed_in(project, robot, ASK, 0)
        assert offer(project, ada).seconds == 81
        handed_in(project, ada, ASK, 50)
        assert offer(project, ada).seconds == 30
        for _ in range(4):
            handed_in(project, ada, ASK, 100)
        assert (offer(project, ada).seconds, offer(project, bob).seconds) == (100, 50)

    def test_says_what_work_pays_by_the_hour_once_people_have_done_enough(self, project: Project, ada: Worker) -> None:
        bob = worker(project, "bob")
        for seconds in (60, 70, 80, 90):
            handed_in(project, bob, DRAW, seconds)
        handed_in(project, bob, DRAW, 1, kind="test")
        assert offer(project, ada, DRAW).hourly_cents == 0
        handed_in(project, bob, DRAW, 100)
        assert offer(project, ada, DRAW).hourly_cents == 1000  # 25 cents in 80 s are 1125 an hour
        assert offer(project, ada, ASK).hourly_cents == 0

    def test_names_no_hourly_rate_from_which_an_assignment_could_be_read(self) -> None:
        rates = [rough_cents(cents) for cents in range(500, 2000)]
        assert set(rates) == {500, 600, 800, 1000, 1200, 1500}
        assert all(rate <= cents for rate, cents in zip(rates, range(500, 2000), strict=True))
        assert [rough_cents(cents) for cents in (0, 9, 10, 119, 120)] == [0, 0, 10, 100, 120]


class TestThePages:
    def test_show_every_task_with_a_start(self, page: Client) -> None:
        text = page.get("/work/small/").text
        assert text.count('class="offer"') == 6
        assert 'href="/work/small/box_requirement/">Start</a>' in text and main_buttons(text) == ["All tasks in turn"]
        assert "questions are open to you" in text and "3 questions" not in text
        assert "<b>up to $0.25</b>" in text and "Paid per answered question." in text
        assert "test" not in text and "score" not in text.split("How your score is computed")[0]

    def test_go_on_in_turn_from_the_only_task_that_is_open(self, page: Client, project: Project) -> None:
        Question.objects.exclude(task=ASK.value).delete()
        assert "All tasks in turn" in page.get("/work/small/").text
        Question.objects.all().delete()
        assert "All tasks in turn" not in page.get("/work/small/").text

    @pytest.mark.slow
    def test_show_what_can_be_gone_on_with(self, page: Client, project: Project, ada: Worker) -> None:
        lease(project, ada, ASK)
        text = page.get("/work/small/").text
        assert main_buttons(text) == ["Continue"] and "begun, 29 minutes left" in text
        assert "Box or no box: begun" in page.get("/work/").text

    def test_list_my_projects_alone(self, page: Client) -> None:
        make_project("secret")
        text = page.get("/work/").text
        assert 'href="/work/small/"' in text and "secret" not in text and page.get("/work/secret/").status_code == 404

    def test_show_what_was_done_and_earned(self, page: Client, project: Project, ada: Worker) -> None:
        receipt = {"stored": 3, "answered": 3, "late": [1], "skipped": 1, "message": ""}
        for number in range(21):
            handed_in(project, ada, DRAW, 60, receipt=receipt, earned_cents=15, reward_cents=20 + number)
        handed_in(project, ada, ASK, 60, state="expired", earned_cents=0)
        handed_in(project, worker(project, "bob"), DRAW, 60, receipt=receipt, earned_cents=1000)
        text = page.get("/work/small/").text
        assert "<b>$3.15</b> earned" in text and earnings(project.id, ada.id).account.earned == 315
        assert "ran out of time" in text and text.count("<td>3 of 4</td>") == 19
        assert "1 of 2" in text and page.get("/work/small/?page=2").text.count("<td>3 of 4</td>") == 2

    def test_count_as_earned_what_is_not_refused_and_say_what_is(self, page: Client, project: Project, ada: Worker):
        first = handed_in(project, ada, DRAW, 60, earned_cents=20, reward_cents=20)
        handed_in(project, ada, DRAW, 60, earned_cents=10, reward_cents=20)
        refuse_pay(assignment_id=first.id, cents=15, reason="boxes around nothing", actor="boss")
        text = page.get("/work/small/").text
        assert "<b>$0.15</b> earned, after $0.15 refused" in text
        assert "$0.15 refused</span>" in text[text.index("My work so far") :]
        assert "$0.15 earned" in page.get("/work/").text

    @pytest.mark.slow
    def test_say_what_the_own_work_paid_by_the_hour(self, page: Client, project: Project, ada: Worker) -> None:
        for _ in range(5):
            assert "an hour" not in page.get("/work/").text
            handed_in(project, ada, DRAW, 100, earned_cents=25, reward_cents=25)
        for address in ("/work/", "/work/small/", "/work/small/earned/"):
            assert "about $8.00 an hour" in page.get(address).text, address

    def test_name_the_zone_of_every_time(self, page: Client, project: Project, ada: Worker) -> None:
        done = handed_in(project, ada, DRAW, 60, earned_cents=20, reward_cents=20)
        refuse_pay(assignment_id=done.id, reason="boxes around nothing", actor="boss")
        for address in ("/work/", "/work/small/", "/work/small/earned/"):
            times = re.findall(r'<time datetime="([^"]+)">([^<]+)</time>', page.get(address).text)
            assert times, address
            assert all(iso.endswith("+00:00") and words.endswith(" UTC") for iso, words in times)
        assert "Times are in UTC" not in page.get("/work/small/").text

    def test_keep_the_history_of_who_has_no_access_any_more(self, page: Client, project: Project, ada: Worker) -> None:
        handed_in(project, ada, ASK, 60)
        Access.objects.filter(worker=ada).delete()
        assert "You no longer have access to any task here." in page.get("/work/small/").text
        Assignment.objects.all().delete()
        assert page.get("/work/small/").status_code == 404

    def test_tell_who_is_no_worker_how_to_become_one(self, client: Client) -> None:
        client.force_login(User.objects.create_user("bob"))
        response = client.get("/work/")
        assert response.status_code == 403 and "Open the invitation link" in response.text

    @pytest.mark.parametrize("address", ["/work/", "/work/small/", "/work/small/box_drawing/"])
    def test_are_for_who_is_signed_in_and_kept_by_no_cache(self, client: Client, page: Client, address: str) -> None:
        assert "no-store" in page.get(address)["Cache-Control"]
        assert Client().get(address)["Location"] == f"/account/login/?next={address}"


class TestAllTasksInTurn:
    """The round goes from task to task, and no task without work stops it."""

    def test_goes_on_after_the_last_task_and_comes_back_to_it_last(self, project: Project, ada: Worker) -> None:
        offers = open_tasks(project, ada.id)
        assert [one.task for one in in_turn(offers)] == [ASK, DRAW]
        assert [one.task for one in in_turn(offers, ASK)] == [DRAW, ASK]
        assert [one.task for one in in_turn(offers, DRAW)] == [ASK, DRAW]

    def test_takes_what_was_begun_first(self, project: Project, ada: Worker) -> None:
        lease(project, ada, DRAW)
        assert [one.task for one in in_turn(open_tasks(project, ada.id))] == [DRAW, ASK]

    def test_takes_a_test_only_after_all_work(self, project: Project, ada: Worker) -> None:
        test, work = (
            replace(offer(project, ada, task), state=state) for task, state in ((ASK, "test"), (DRAW, "open"))
        )
        assert in_turn([test, work]) == [work, test]

    def test_opens_the_first_task_with_work(self, client: Client, project: Project, ada: Worker) -> None:
        assert ada.user is not None
        client.force_login(ada.user)
        assert "All tasks in turn" in client.get(f"/work/{project.name}/").content.decode()
        first = client.get(f"/work/{project.name}/all/")
        assert first.headers["Location"] == f"/work/{project.name}/{ASK}/?mixed=on"
        assert " data-mixed" in client.get(first.headers["Location"]).content.decode()

    def test_goes_back_to_the_project_when_nothing_is_open(self, client: Client, project: Project, ada: Worker) -> None:
        assert ada.user is not None
        client.force_login(ada.user)
        Question.objects.all().delete()
        assert client.get(f"/work/{project.name}/all/").headers["Location"] == f"/work/{project.name}/"
