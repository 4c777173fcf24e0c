"""The API: asking for an assignment, signing in, keeping it alive, and what is open."""

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from annotation.models import Project
from pipeline.models import Assignment, Judgment, Question
from pipeline.rules.settings.protocol import ProtocolSettings
from pipeline.rules.tasks.task import Task
from tests.support.api import ApiWorker, run_out
from tests.support.projects import answer, box, phrases, project_of, worker
from workers.api_keys import make_api_key
from workers.models import Access, Worker

# Transactions are real: what follows from an answer follows after the commit.
pytestmark = pytest.mark.django_db(transaction=True)
ASK, DRAW, LINK = Task.BOX_REQUIREMENT, Task.BOX_DRAWING, Task.COREFERENCE_LINK


class TestAsking:
    def test_a_question_comes_with_its_picture_its_caption_and_its_phrase(self, ada: ApiWorker) -> None:
        assignment = ada.ask(ASK)
        question = assignment["questions"][0]
        assert question["captions"] == [
            {"number": 0, "text": "a dog", "phrases": [{"mention": 0, "start": 0, "end": 5}]}
        ]
        assert (question["image"]["width"], question["image"]["height"]) == (200, 100)
        assert (question["boxes"], question["new_box"]) == ([], None)
        assert assignment["state"] == "active" and 1700 < assignment["seconds_left"] <= 1800
        assert (assignment["reward_cents"], assignment["currency"]) == (12, "USD")  # four of ten questions

    def test_a_link_comes_with_two_captions_in_each_its_phrase(self, client: Client) -> None:
        project = project_of(phrases("people: a tall man", "people: he there"), name="links")
        question = ApiWorker(client, worker(project, "eve"), "links").ask(LINK)["questions"][0]
        assert [one["text"] for one in question["captions"]] == ["a tall man", "he there"]
        assert [one["phrases"][0]["end"] for one in question["captions"]] == [10, 8]

    def test_a_chain_to_verify_comes_with_all_its_mentions(self, client: Client) -> None:
        project = project_of(phrases("people: a man", "people: a guy", "people: one"), name="links")
        eve = worker(project, "eve")
        for _ in range(3):
            if Question.objects.filter(project=project, task=LINK, state="open").exists():
                answer(project, eve, LINK, "same")
        question = ApiWorker(client, eve, "links").ask(Task.CHAIN_VERIFICATION)["questions"][0]
        assert [one["number"] for one in question["captions"]] == [0, 1, 2]
        assert question["other_captions"] == []

    def test_the_other_captions_of_the_picture_come_along_without_a_phrase(self, client: Client) -> None:
        project = project_of(phrases("people: a man", "other: a hat", "animals: a dog"), name="three")
        question = ApiWorker(client, worker(project, "eve"), "three").ask(DRAW)["questions"][0]
        assert [one["number"] for one in question["captions"]] == [0]
        assert question["other_captions"] == [
            {"number": 1, "text": "a hat", "phrases": []},
            {"number": 2, "text": "a dog", "phrases": []},
        ]

    def test_the_language_of_the_captions_is_that_of_the_project_or_none(self, client: Client) -> None:
        for language in ("", "he"):
            settings = ProtocolSettings(caption_language=language)
            project = project_of(phrases("other: a hat"), name=f"said-{language}", settings=settings)
            question = ApiWorker(client, worker(project, f"eve {language}"), project.name).ask(ASK)["questions"][0]
            assert question["language"] == language

    def test_box_quality_comes_with_the_new_box_apart_from_the_accepted_ones(self, client: Client) -> None:
        project = project_of(phrases("people: two men"), name="boxes")
        eve, fay = worker(project, "eve"), worker(project, "fay")
        answer(project, eve, DRAW, box(0, 0, 50, 100))
        answer(project, fay, Task.BOX_QUALITY, "good")
        answer(project, fay, Task.BOX_COVERAGE, "more needed")
        answer(project, eve, DRAW, box(100, 0, 150, 100))
        question = ApiWorker(client, fay, "boxes").ask(Task.BOX_QUALITY)["questions"][0]
        assert (question["boxes"], question["new_box"]) == ([[0, 0, 50, 100]], [100, 0, 150, 100])

    def test_places_of_a_phrase_count_characters_as_people_do(self, client: Client) -> None:
        project = project_of(phrases("animals: a 🐕 dog", name="1"), name="marks")
        question = ApiWorker(client, worker(project, "eve"), "marks").ask(ASK)["questions"][0]
        caption = question["captions"][0]
        assert caption["text"][caption["phrases"][0]["start"] : caption["phrases"][0]["end"]] == "a 🐕 dog"

    def test_asking_again_gives_the_same_one_back_with_its_draft(self, ada: ApiWorker) -> None:
        first = ada.ask(ASK)
        ada.on(first, "draft", {"draft": {"answers": [1, None]}}, "PUT")
        again = ada.ask(ASK)
        assert (again["token"], again["draft"]) == (first["token"], {"answers": [1, None]})

    def test_nothing_tells_questions_apart_but_what_must_be_seen(self, ada: ApiWorker) -> None:
        keys = {"image", "language", "captions", "other_captions", "boxes", "new_box", "survey"}
        assert all(set(question) == keys for question in ada.ask(ASK)["questions"])

    def test_it_says_why_nothing_is_open(self, ada: ApiWorker, bob: ApiWorker) -> None:
        held = ada.ask(ASK)
        _, work = bob.call("POST", "projects/small/assignments/", {"task": ASK.value})
        assert work == {
            "assignment": None,
            "message": "Other people are working on all open questions right now. Look again in a while.",
        }
        ada.submit(held, 3, 3, 3, 3)
        _, work = ada.call("POST", "projects/small/assignments/", {"task": ASK.value})
        assert "Only other people can answer" in work["message"]
        bob.submit(bob.ask(ASK), 3, 3, 3, 3)
        _, work = bob.call("POST", "projects/small/assignments/", {"task": ASK.value})
        assert "4 images are finished" in work["message"]

    def test_who_is_not_admitted_to_the_task_is_told_so(self, ada: ApiWorker) -> None:
        Access.objects.filter(task=DRAW.value).delete()
        status, refusal = ada.call("POST", "projects/small/assignments/", {"task": DRAW.value})
        assert (status, refusal["code"]) == (403, "no_access") and "Ask the requester" in refusal["message"]

    def test_an_account_that_was_closed_gets_no_more_work(self, ada: ApiWorker, django_user_model: Any) -> None:
        ada.worker.user = django_user_model.objects.create_user("ada", is_active=False)
        ada.worker.save()
        status, _ = ada.call("POST", "projects/small/assignments/", {"task": ASK.value})
        assert status == 403

    @pytest.mark.parametrize("body", [{}, {"task": "dancing"}, [], {"task": None}, "text"], ids=str)
    def test_a_wrong_request_is_refused_with_what_is_wrong(self, ada: ApiWorker, body: Any) -> None:
        status, refusal = ada.call("POST", "projects/small/assignments/", body)
        assert (status, refusal["code"]) == (400, "invalid") and refusal["message"]


class TestSigningIn:
    @pytest.mark.parametrize("header", ["", "Bearer x", "Bearer 1:2:3", "Key nonsense", "Basic YTpi", "Bearer"])
    def test_without_a_good_token_nothing_is_answered(self, client: Client, project: Project, header: str) -> None:
        stranger = ApiWorker(client, worker(project, "eve"), authorization=header or " ")
        status, refusal = stranger.call("POST", "projects/small/assignments/", {"task": ASK.value})
        assert (status, refusal["code"]) == (401, "signed_out")

    def test_a_token_of_yesterday_is_too_old(self, ada: ApiWorker, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("workers.page_token.MOST_SECONDS", -1)
        assert ada.call("POST", "projects/small/assignments/", {"task": ASK.value})[0] == 401

    def test_a_program_is_a_worker_like_any_other(self, client: Client, project: Project) -> None:
        program = worker(project, "detector", kind=Worker.Kind.PROGRAM)
        key = make_api_key(program)
        detector = ApiWorker(client, program, authorization=f"Key {key}")
        assert detector.submit(detector.ask(ASK), 1, 1, 1, 1)["stored"] == 4
        assert set(Judgment.objects.values_list("worker__name", flat=True)) == {"detector"}

    def test_no_cookie_is_needed_and_none_is_set(self, ada: ApiWorker) -> None:
        ada.submit(ada.ask(ASK), 1)
        assert not ada.client.cookies


class TestKeeping:
    def test_working_on_it_extends_the_lease_up_to_the_setting(self, ada: ApiWorker) -> None:
        assignment = ada.ask(ASK)
        row = Assignment.objects.filter(token=assignment["token"])
        now = timezone.now()
        row.update(expires_at=now + timedelta(minutes=15))
        assert ada.on(assignment, "heartbeat")[1]["seconds_left"] > 1200
        row.update(created_at=now - timedelta(minutes=105), expires_at=now + timedelta(minutes=10))
        assert 600 < ada.on(assignment, "heartbeat")[1]["seconds_left"] <= 900

    def test_a_fresh_token_comes_with_every_sign_of_life(self, ada: ApiWorker) -> None:
        bearer = ada.on(ada.ask(ASK), "heartbeat")[1]["bearer"]
        again = ApiWorker(ada.client, ada.worker, authorization=f"Bearer {bearer}")
        assert again.ask(ASK)

    @pytest.mark.both_engines
    def test_a_draft_is_kept_even_when_the_time_has_run_out(self, ada: ApiWorker) -> None:
        assignment = ada.ask(ASK)
        run_out(assignment)
        status, lease_now = ada.on(assignment, "draft", {"draft": {"answers": [1]}}, "PUT")
        assert (status, lease_now["seconds_left"]) == (200, 0)
        assert ada.on(assignment, "", method="GET")[1]["draft"] == {"answers": [1]}

    def test_what_was_begun_comes_back_after_the_time_ran_out_while_nobody_else_has_it(self, ada: ApiWorker) -> None:
        assignment = ada.ask(ASK)
        ada.on(assignment, "draft", {"draft": [1, 2]}, "PUT")
        run_out(assignment)
        again = ada.ask(ASK)
        assert (again["token"], again["draft"], again["state"]) == (assignment["token"], [1, 2], "active")
        assert again["seconds_left"] > 1700

    @pytest.mark.parametrize("draft", ["x" * 70_000, "\0", {"\0": 1}], ids=["too long", "NUL", "NUL in a name"])
    def test_a_draft_that_cannot_be_kept_is_refused_in_words(self, ada: ApiWorker, draft: Any) -> None:
        status, refusal = ada.on(ada.ask(ASK), "draft", {"draft": draft}, "PUT")
        assert (status, refusal["code"]) == (400, "invalid")

    def test_half_a_character_is_refused_in_words(self, ada: ApiWorker) -> None:
        path = f"/api/v1/assignments/{ada.ask(ASK)['token']}/draft/"
        headers = {"authorization": ada.authorization}
        answered = ada.client.put(path, '{"draft": "\\ud800"}', content_type="application/json", headers=headers)
        assert answered.status_code == 400


class TestOffers:
    def test_they_say_what_is_open_to_the_worker(self, ada: ApiWorker) -> None:
        _, offers = ada.call("GET", "projects/small/tasks/")
        by_task = {offer["task"]: offer for offer in offers}
        assert by_task["box_requirement"] == {
            "task": "box_requirement",
            "label": "box requirement",
            "open": 1,
            "more": True,
            "reward_cents": 30,
            "currency": "USD",
            "questions": 10,
            "seconds": 81,
            "held": False,
            "state": "open",
            "message": "",
            "hourly_cents": 0,
        }
        assert by_task["box_drawing"]["open"] == 0 and by_task["box_drawing"]["message"]

    def test_a_project_that_is_not_there_and_one_that_is_not_ours_are_answered_alike(self, ada: ApiWorker) -> None:
        project_of(phrases("animals: a dog"), name="secret")
        assert ada.call("GET", "projects/secret/tasks/") == ada.call("GET", "projects/nowhere/tasks/")


def test_an_assignment_costs_few_statements(ada: ApiWorker, django_assert_num_queries: Any, monkeypatch: Any) -> None:
    monkeypatch.setattr("labelling.api.views.hint", lambda task, project: None)
    with django_assert_num_queries(5 + 2):  # BEGIN and COMMIT
        assignment = ada.ask(ASK)
    with django_assert_num_queries(5 + 2):
        ada.submit(assignment, 1, 1, 1, 1)


def test_the_assignment_after_this_one_is_asked_for_ahead_of_time(client: Client) -> None:
    project = project_of(*[phrases("animals: a dog", name=str(number)) for number in range(12)])
    ada = ApiWorker(client, worker(project, "ada"))
    first = ada.ask(ASK)
    _, said = ada.call("POST", "projects/small/assignments/", {"task": ASK, "ahead_of": first["token"]})
    following = said["assignment"]
    assert len(first["questions"]) == 10 and len(following["questions"]) == 2
    assert ada.ask(ASK)["token"] == first["token"]
    ada.submit(first, *[1] * 10)
    assert ada.ask(ASK)["token"] == following["token"]
