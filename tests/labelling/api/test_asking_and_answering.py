"""The API: asking, answering, skipping, returning and reporting, receipts in words, and preferences."""

from typing import Any
from uuid import uuid4

import pytest
from django.test import Client

from annotation.models import Chain, Image, Project
from labelling.api.payload import receipt_in_words
from pipeline.asking.receipt import Receipt
from pipeline.models import Assignment, Judgment, Question, Skip
from pipeline.protocol.tasks.task import Task
from pipeline.settings.settings import Settings
from tests.support.api import ApiWorker, run_out
from tests.support.projects import answer, box, lease, phrases, project_of, states, submit, worker
from tests.support.table import row
from workers.models import Worker
from workers.preferences import Preferences
from workers.tokens import make_api_key

# Transactions are real: what follows from an answer follows after the commit.
pytestmark = pytest.mark.django_db(transaction=True)

ASK, DRAW, LINK = Task.BOX_REQUIREMENT, Task.BOX_DRAWING, Task.COREFERENCE_LINK
DEFAULTS = {
    "send_by_itself": False,
    "draw_by": None,
    "confirm_by_double_click": False,
    "one_letter_keys": True,
    "language": "",
}


class TestAsking:
    def test_a_question_comes_with_its_picture_its_caption_and_its_phrase(self, ada: ApiWorker) -> None:
        assignment = ada.ask(ASK)
        question, phrase = assignment["questions"][0], {"mention": 0, "start": 0, "end": 5}
        assert question["captions"] == [{"number": 0, "text": "a dog", "phrases": [phrase]}]
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
        assert [one["number"] for one in question["captions"]] == [0, 1, 2] and question["other_captions"] == []

    def test_the_other_captions_of_the_picture_come_along_without_a_phrase(self, client: Client) -> None:
        project = project_of(phrases("people: a man", "other: a hat", "animals: a dog"), name="three")
        question = ApiWorker(client, worker(project, "eve"), "three").ask(DRAW)["questions"][0]
        assert [one["number"] for one in question["captions"]] == [0]
        others = [{"number": 1, "text": "a hat", "phrases": []}, {"number": 2, "text": "a dog", "phrases": []}]
        assert question["other_captions"] == others

    def test_the_language_of_the_captions_is_that_of_the_project_or_none(self, client: Client) -> None:
        for language in ("", "he"):
            settings = Settings(caption_language=language)
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
        caption = ApiWorker(client, worker(project, "eve"), "marks").ask(ASK)["questions"][0]["captions"][0]
        assert caption["text"][caption["phrases"][0]["start"] : caption["phrases"][0]["end"]] == "a 🐕 dog"

    def test_nothing_tells_questions_apart_but_what_must_be_seen(self, ada: ApiWorker) -> None:
        keys = {"image", "language", "captions", "other_captions", "boxes", "new_box", "survey", "sweep"}
        assert all(set(question) == keys for question in ada.ask(ASK)["questions"])

    def test_it_says_why_nothing_is_open(self, ada: ApiWorker, bob: ApiWorker) -> None:
        held = ada.ask(ASK)
        _, work = bob.call("POST", "projects/small/assignments/", {"task": ASK.value})
        words = "Other people are working on all open questions right now. Look again in a while."
        assert work == {"assignment": None, "message": words}
        ada.submit(held, 3, 3, 3, 3)
        _, work = ada.call("POST", "projects/small/assignments/", {"task": ASK.value})
        assert "Only other people can answer" in work["message"]
        bob.submit(bob.ask(ASK), 3, 3, 3, 3)
        _, work = bob.call("POST", "projects/small/assignments/", {"task": ASK.value})
        assert "4 images are finished" in work["message"]

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
        monkeypatch.setattr("workers.tokens.MOST_SECONDS", -1)
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
    def test_a_fresh_token_comes_with_every_sign_of_life(self, ada: ApiWorker) -> None:
        bearer = ada.on(ada.ask(ASK), "heartbeat")[1]["bearer"]
        assert ApiWorker(ada.client, ada.worker, authorization=f"Bearer {bearer}").ask(ASK)

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
            "task": "box_requirement", "label": "box or no box", "open": 1, "more": True, "reward_cents": 30,
            "currency": "USD", "questions": 10, "seconds": 81, "is_begun": False, "state": "open", "message": "",
            "hourly_cents": 0,
        }  # fmt: skip
        assert by_task["box_drawing"]["open"] == 0 and by_task["box_drawing"]["message"]

    def test_a_project_that_is_not_there_and_one_that_is_not_ours_are_answered_alike(self, ada: ApiWorker) -> None:
        project_of(phrases("animals: a dog"), name="secret")
        assert ada.call("GET", "projects/secret/tasks/") == ada.call("GET", "projects/nowhere/tasks/")


def test_an_assignment_costs_few_statements(ada: ApiWorker, django_assert_num_queries: Any, monkeypatch: Any) -> None:
    monkeypatch.setattr("labelling.api.views.enqueue_questions", lambda task, project: None)
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


class TestSubmitting:
    def test_answers_are_stored_and_act(self, ada: ApiWorker, project: Project) -> None:
        receipt = ada.submit(ada.ask(ASK), 1, 1, 1, 3)
        counts = {"stored": 4, "too_late": 0, "skipped": 0, "repeated": False, "differs": False, "earned_cents": 12}
        assert receipt == counts | {"message": "", "test": None, "session": None}
        assert states(project, ASK) == ["closed"] * 3 + ["open"] and states(project, DRAW) == ["open"] * 3

    def test_the_second_tab_is_told_that_the_answers_of_the_first_count(self, ada: ApiWorker) -> None:
        assignment = ada.ask(ASK)
        first, second = ada.submit(assignment, 1, 1), ada.submit(assignment, 3, 3)
        assert "The first submission counts." in second["message"]
        assert second == first | {"repeated": True, "differs": True, "message": second["message"]}
        assert list(Judgment.objects.values_list("answer", flat=True)) == [1, 1]

    @pytest.mark.parametrize(
        "changed", [{"answer": 3}, {"answer": 1, "comment": "small"}, {"skip": "unclear"}, None], ids=str
    )
    def test_any_other_reply_of_a_second_tab_is_said_to_be_lost(self, ada: ApiWorker, changed: Any) -> None:
        assignment = ada.ask(ASK)
        ada.submit(assignment, 1)
        again = ada.on(assignment, "submit", {"answers": [changed, None, None, None]})[1]
        assert (again["differs"], again["stored"]) == (True, 1)
        assert (Judgment.objects.count(), Skip.objects.count()) == (1, 0)

    def test_a_repeated_submission_that_took_other_seconds_is_the_same(self, ada: ApiWorker) -> None:
        assignment = ada.ask(ASK)
        ada.submit(assignment, 1)
        again = ada.on(assignment, "submit", {"answers": [{"answer": 1, "seconds": 9}, None, None, None]})[1]
        assert (again["repeated"], again["differs"], again["message"]) == (True, False, "")

    @pytest.mark.parametrize(("verb", "state"), [("submit", "submitted"), ("return", "returned")])
    def test_a_heartbeat_tells_that_another_ended_the_assignment(self, ada: ApiWorker, verb: str, state: str) -> None:
        assignment = ada.ask(ASK)
        assert ada.on(assignment, "heartbeat")[1]["state"] == "active"
        ada.on(assignment, verb, {"answers": [None] * 4})
        assert ada.on(assignment, "heartbeat")[1]["state"] == state
        assert ada.on(assignment, "draft", {"draft": [1]}, method="PUT")[1]["state"] == state

    def test_a_skip_with_its_reason_goes_to_others_and_never_comes_back(self, ada: ApiWorker, bob: ApiWorker) -> None:
        assignment = ada.ask(ASK)
        entries = [{"skip": "unclear", "comment": "which dog?"}, None, None, None]
        _, receipt = ada.on(assignment, "submit", {"answers": entries})
        assert (receipt["stored"], receipt["skipped"], receipt["earned_cents"]) == (0, 1, 0)
        skip = Skip.objects.get()
        assert (skip.reason, skip.comment, skip.worker) == ("unclear", "which dog?", ada.worker)
        assert len(ada.ask(ASK)["questions"]) == 3 and len(bob.ask(ASK)["questions"]) == 1

    @row([])
    @row([{"answer": 1}])
    @row([{"answer": 7}] * 4)
    @row([{"answer": "1"}] * 4)
    @row([{"answer": True}] * 4)
    @row([{}] * 4)
    @row([{"answer": 1, "skip": "other"}] * 4)
    @row([{"skip": "bored"}] * 4)
    @row([{"answer": 1, "seconds": -1}] * 4)
    @row([{"answer": 1, "comment": "x" * 1001}] * 4)
    @row([{"answer": 1, "comment": "\0"}] * 4)
    @row([1, 2, 3, 3])
    @row("text")
    @row(None)
    def test_an_answer_that_fits_nothing_is_refused_whole_and_nothing_is_stored(self, answers: Any, ada: ApiWorker):
        assignment = ada.ask(ASK)
        status, refusal = ada.on(assignment, "submit", {"answers": answers})
        assert status == 400 and refusal["code"] in ("invalid", "bad_answer") and refusal["message"]
        assert not Judgment.objects.exists() and ada.ask(ASK)["token"] == assignment["token"]


class TestReturning:
    @pytest.mark.both_engines
    def test_returned_questions_go_to_others_at_once(self, ada: ApiWorker, bob: ApiWorker) -> None:
        assignment = ada.ask(ASK)
        assert ada.on(assignment, "return") == (200, {"returned": True})
        assert ada.on(assignment, "return") == (200, {"returned": False}) and len(bob.ask(ASK)["questions"]) == 4
        status, refusal = ada.on(assignment, "submit", {"answers": [{"answer": 1}] * 4})
        assert (status, refusal["code"]) == (409, "assignment_ended") and "returned" in refusal["message"]

    @row("", "GET", None)
    @row("heartbeat", "POST", None)
    @row("draft", "PUT", {"draft": 1})
    @row("submit", "POST", {"answers": [{"answer": 1}] * 4})
    @row("return", "POST", None)
    @row("reports", "POST", {"question": 0, "what": "image"})
    def test_nobody_touches_the_assignment_of_another(
        self, verb: str, method: str, body: Any, ada: ApiWorker, bob: ApiWorker
    ) -> None:
        status, refusal = bob.on(ada.ask(ASK), verb, body, method)
        assert (status, refusal["code"]) == (403, "not_yours")
        status, refusal = bob.on({"token": uuid4()}, verb, body, method)
        assert (status, refusal["code"]) == (404, "not_found")


class TestReporting:
    def report(self, who: ApiWorker, **values: Any) -> tuple[int, Any]:
        return who.on(who.ask(ASK), "reports", {"question": 0, "comment": "two phrases in one", **values})

    @pytest.mark.parametrize(("what", "number"), [("mention", 0), ("caption", 0), ("image", None)])
    def test_two_workers_reports_send_it_to_an_expert(self, ada: ApiWorker, bob: ApiWorker, what: str, number: Any):
        status, said = self.report(ada, what=what, number=number)
        assert status == 200 and "requester" in said["message"] and not Chain.objects.filter(state="review").exists()
        ada.on(ada.ask(ASK), "return")
        self.report(bob, what=what, number=number)
        chain = Chain.objects.get(state="review")
        assert chain.review == f"{what} reported as wrong" and chain.image == Image.objects.get(position=0)

    @pytest.mark.parametrize("wrong", [{"what": "mention", "number": 9}, {"what": "caption"}, {"question": 9}], ids=str)
    def test_what_was_not_shown_cannot_be_reported(self, ada: ApiWorker, wrong: dict[str, Any]) -> None:
        status, refusal = self.report(ada, **{"what": "image", **wrong})
        assert (status, refusal["code"]) == (400, "bad_answer")


def test_the_next_questions_are_open_before_anybody_asks(ada: ApiWorker, project: Project) -> None:
    submit(lease(project, ada.worker, ASK), 1)
    assert "answered" in states(project)
    ada.submit(ada.ask(ASK), 1)
    assert "answered" not in states(project)


def words(*, stored: tuple[int, ...], late: tuple[int, ...], acceptance: str = "", earned: int = 20) -> str:
    assignment = Assignment(questions=[1, 2, 3], acceptance=acceptance)
    receipt = Receipt(assignment, stored, too_late=late, late_places=late, answered=len(stored), earned_cents=earned)
    return receipt_in_words(receipt)


@row((1, 2, 3), (), "")
@row(
    (1, 2), (3,), "1 answer came too late: others had answered first. The rest is stored. You are paid for all of them."
)
@row((1,), (2, 3), "2 answers came too late")
@row((), (1, 2, 3), "others have answered these questions in the meantime. You are paid for all of them.")
def test_a_worker_reads_which_answers_came_too_late(stored: tuple[int, ...], late: tuple[int, ...], expected: str):
    message = words(stored=stored, late=late)
    assert expected in message and bool(message) == bool(expected)


def test_a_worker_who_lost_trust_midway_reads_that_the_work_is_paid_and_not_used() -> None:
    message = words(stored=(), late=(1, 2, 3), acceptance="refused")
    assert "paid" in message and "not used" in message and "time" not in message


@pytest.mark.parametrize("acceptance", ["", "refused"])
def test_no_pay_is_promised_where_nothing_was_earned(acceptance: str) -> None:
    assert "paid" not in words(stored=(1,), late=(2, 3), acceptance=acceptance, earned=0)


@pytest.mark.both_engines
def test_a_worker_who_never_changed_anything_has_the_defaults(ada: ApiWorker) -> None:
    assert ada.call("GET", "preferences/") == (200, DEFAULTS)


def test_a_change_stays_and_leaves_the_other_preferences_alone(ada: ApiWorker, bob: ApiWorker) -> None:
    assert ada.call("PATCH", "preferences/", {"draw_by": "extreme points"})[0] == 200
    changed = DEFAULTS | {"draw_by": "extreme points", "send_by_itself": True}
    assert ada.call("PATCH", "preferences/", {"send_by_itself": True}) == (200, changed)
    assert ada.call("GET", "preferences/") == (200, changed) and bob.call("GET", "preferences/") == (200, DEFAULTS)


@pytest.mark.parametrize(
    "changes",
    [{"draw_by": "mind"}, {"draw_by": 1}, {"send_by_itself": None}, {"confirm_by_double_click": "maybe"}, [1]],
)
def test_wrong_values_are_refused_and_change_nothing(ada: ApiWorker, changes: Any) -> None:
    status, answer = ada.call("PATCH", "preferences/", changes)
    assert status == 400 and answer["code"] == "invalid" and ada.call("GET", "preferences/") == (200, DEFAULTS)


@row({"draw_by": "two clicks"}, {"confirm_by_double_click": True})
@row({"confirm_by_double_click": True}, {"draw_by": "two clicks"})
@row({}, {"confirm_by_double_click": True, "draw_by": "two clicks"})
def test_double_clicks_never_confirm_where_two_clicks_draw(first: Any, then: Any, ada: ApiWorker) -> None:
    assert ada.call("PATCH", "preferences/", first)[0] == 200
    status, answer = ada.call("PATCH", "preferences/", then)
    assert (status, answer["message"]) == (400, "A double-click cannot confirm boxes that two clicks draw.")


def test_unknown_names_are_ignored(ada: ApiWorker) -> None:
    assert ada.call("PATCH", "preferences/", {"colour": "red"}) == (200, DEFAULTS)
    assert Preferences.from_json({"colour": "red", "send_by_itself": True}) == Preferences(send_by_itself=True)
