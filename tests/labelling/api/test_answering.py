"""The API: answering, skipping, returning and reporting, every refusal in words, and the words of a receipt."""

from typing import Any
from uuid import uuid4

import pytest
from django.test import Client

from annotation.models import Chain, Image, Project
from labelling.api.payload import receipt_in_words
from pipeline.asking.receipt import Receipt
from pipeline.models import Assignment, Judgment, Skip
from pipeline.record.starve_questions import starved_questions
from pipeline.rules.tasks.task import Task
from tests.support.api import ApiWorker, run_out
from tests.support.projects import box, lease, phrases, project_of, states, submit, worker

# Transactions are real: what follows from an answer follows after the commit.
pytestmark = pytest.mark.django_db(transaction=True)
ASK, DRAW, LINK = Task.BOX_REQUIREMENT, Task.BOX_DRAWING, Task.COREFERENCE_LINK


class TestSubmitting:
    def test_answers_are_stored_and_act(self, ada: ApiWorker, project: Project) -> None:
        receipt = ada.submit(ada.ask(ASK), 1, 1, 1, 3)
        assert receipt == {
            "stored": 4,
            "too_late": 0,
            "skipped": 0,
            "repeated": False,
            "differs": False,
            "message": "",
            "earned_cents": 12,
            "test": None,
            "session": None,
        }
        assert states(project, ASK) == ["closed"] * 3 + ["open"]
        assert states(project, DRAW) == ["open"] * 3

    def test_the_same_submission_again_counts_once_and_answers_the_same(self, ada: ApiWorker) -> None:
        assignment = ada.ask(ASK)
        first, second = ada.submit(assignment, 1, 1), ada.submit(assignment, 1, 1)
        assert second == first | {"repeated": True}
        assert Judgment.objects.count() == 2

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
    def test_a_tab_learns_from_its_heartbeat_that_another_one_has_ended_the_assignment(
        self, ada: ApiWorker, verb: str, state: str
    ) -> None:
        assignment = ada.ask(ASK)
        assert ada.on(assignment, "heartbeat")[1]["state"] == "active"
        ada.on(assignment, verb, {"answers": [None] * 4})
        assert ada.on(assignment, "heartbeat")[1]["state"] == state
        assert ada.on(assignment, "draft", {"draft": [1]}, method="PUT")[1]["state"] == state

    def test_what_is_left_out_goes_to_others_and_is_not_paid(self, ada: ApiWorker, bob: ApiWorker) -> None:
        assert ada.submit(ada.ask(ASK), 3)["earned_cents"] == 3
        assert len(bob.ask(ASK)["questions"]) == 4

    def test_a_skip_with_its_reason_goes_to_others_and_never_comes_back(self, ada: ApiWorker, bob: ApiWorker) -> None:
        assignment = ada.ask(ASK)
        entries = [{"skip": "unclear", "comment": "which dog?"}, None, None, None]
        _, receipt = ada.on(assignment, "submit", {"answers": entries})
        assert (receipt["stored"], receipt["skipped"], receipt["earned_cents"]) == (0, 1, 0)
        skip = Skip.objects.get()
        assert (skip.reason, skip.comment, skip.worker) == ("unclear", "which dog?", ada.worker)
        assert len(ada.ask(ASK)["questions"]) == 3
        assert len(bob.ask(ASK)["questions"]) == 1

    def test_a_question_that_everybody_skipped_is_starved_and_shown_to_the_requester(
        self, ada: ApiWorker, bob: ApiWorker, project: Project
    ) -> None:
        for who in (ada, bob):
            who.on(who.ask(ASK), "submit", {"answers": [{"skip": "picture"}, None, None, None]})
        assert len(starved_questions(project.id)) == 1

    def test_a_late_submission_is_taken_where_it_is_needed_and_plainly_answered_where_not(
        self, ada: ApiWorker, bob: ApiWorker
    ) -> None:
        late = ada.ask(ASK)
        run_out(late)
        bob.submit(bob.ask(ASK), 1, 1)
        receipt = ada.submit(late, 3, 3, 3, 3)
        assert (receipt["stored"], receipt["too_late"]) == (2, 2)
        assert "2 answers came too late: others had answered first" in receipt["message"]
        assert ada.submit(late, 3, 3, 3, 3) == receipt | {"repeated": True}

    def test_no_question_gets_more_judgments_than_its_rule_needs(self, ada: ApiWorker, bob: ApiWorker) -> None:
        late = ada.ask(ASK)
        run_out(late)
        bob.submit(bob.ask(ASK), 1, 1, 1, 1)
        receipt = ada.submit(late, 1, 1, 1, 1)
        assert (receipt["stored"], receipt["too_late"]) == (0, 4)
        assert Judgment.objects.count() == 4

    @pytest.mark.parametrize(
        "answers",
        [
            [],
            [{"answer": 1}],
            [{"answer": 7}] * 4,
            [{"answer": "1"}] * 4,
            [{"answer": True}] * 4,
            [{}] * 4,
            [{"answer": 1, "skip": "other"}] * 4,
            [{"skip": "bored"}] * 4,
            [{"answer": 1, "seconds": -1}] * 4,
            [{"answer": 1, "comment": "x" * 1001}] * 4,
            [{"answer": 1, "comment": "\0"}] * 4,
            [1, 2, 3, 3],
            "text",
            None,
        ],
        ids=lambda value: str(value)[:40],
    )
    def test_an_answer_that_fits_nothing_is_refused_whole_and_nothing_is_stored(
        self, ada: ApiWorker, answers: Any
    ) -> None:
        assignment = ada.ask(ASK)
        status, refusal = ada.on(assignment, "submit", {"answers": answers})
        assert status == 400 and refusal["code"] in ("invalid", "bad_answer") and refusal["message"]
        assert not Judgment.objects.exists()
        assert ada.ask(ASK)["token"] == assignment["token"]

    @pytest.mark.parametrize("edges", [[0, 0, 0, 10], [0, 0, 201, 10], [-1, 0, 5, 5], [0, 0, 1.5, 3], [1, 2, 3]])
    def test_a_box_outside_its_picture_is_refused(self, client: Client, edges: list[float]) -> None:
        project = project_of(phrases("people: a man"), name="boxes")
        eve = ApiWorker(client, worker(project, "eve"), "boxes")
        status, refusal = eve.on(eve.ask(DRAW), "submit", {"answers": [{"answer": {"box": edges}}]})
        assert (status, refusal["code"]) == (400, "bad_answer")

    def test_nobody_judges_the_box_they_drew(self, client: Client) -> None:
        project = project_of(phrases("people: a man"), name="boxes")
        eve = ApiWorker(client, worker(project, "eve"), "boxes")
        eve.submit(eve.ask(DRAW), box(0, 0, 50, 50))
        _, work = eve.call("POST", "projects/boxes/assignments/", {"task": "box_quality"})
        assert work["assignment"] is None and "Only other people can answer" in work["message"]


class TestReturning:
    @pytest.mark.both_engines
    def test_returned_questions_go_to_others_at_once(self, ada: ApiWorker, bob: ApiWorker) -> None:
        assignment = ada.ask(ASK)
        assert ada.on(assignment, "return") == (200, {"returned": True})
        assert ada.on(assignment, "return") == (200, {"returned": False})
        assert len(bob.ask(ASK)["questions"]) == 4
        status, refusal = ada.on(assignment, "submit", {"answers": [{"answer": 1}] * 4})
        assert (status, refusal["code"]) == (409, "assignment_ended") and "returned" in refusal["message"]

    @pytest.mark.parametrize(
        ("verb", "method", "body"),
        [
            ("", "GET", None),
            ("heartbeat", "POST", None),
            ("draft", "PUT", {"draft": 1}),
            ("submit", "POST", {"answers": [{"answer": 1}] * 4}),
            ("return", "POST", None),
            ("reports", "POST", {"question": 0, "what": "image"}),
        ],
    )
    def test_nobody_touches_the_assignment_of_another(
        self, ada: ApiWorker, bob: ApiWorker, verb: str, method: str, body: Any
    ) -> None:
        status, refusal = bob.on(ada.ask(ASK), verb, body, method)
        assert (status, refusal["code"]) == (403, "not_yours")
        status, refusal = bob.on({"token": uuid4()}, verb, body, method)
        assert (status, refusal["code"]) == (404, "not_found")


class TestReporting:
    def report(self, who: ApiWorker, **values: Any) -> tuple[int, Any]:
        return who.on(who.ask(ASK), "reports", {"question": 0, "comment": "two phrases in one", **values})

    @pytest.mark.parametrize(("what", "number"), [("mention", 0), ("caption", 0), ("image", None)])
    def test_two_workers_reports_send_it_to_an_expert(
        self, ada: ApiWorker, bob: ApiWorker, what: str, number: int | None
    ) -> None:
        status, said = self.report(ada, what=what, number=number)
        assert status == 200 and "requester" in said["message"]
        assert not Chain.objects.filter(state="review").exists()
        ada.on(ada.ask(ASK), "return")
        self.report(bob, what=what, number=number)
        chain = Chain.objects.get(state="review")
        assert chain.review == f"{what} reported as wrong"
        assert chain.image == Image.objects.get(position=0)

    @pytest.mark.parametrize("wrong", [{"what": "mention", "number": 9}, {"what": "caption"}, {"question": 9}], ids=str)
    def test_what_was_not_shown_cannot_be_reported(self, ada: ApiWorker, wrong: dict[str, Any]) -> None:
        status, refusal = self.report(ada, **{"what": "image", **wrong})
        assert (status, refusal["code"]) == (400, "bad_answer")


def test_the_box_that_was_sent_is_the_box_that_is_stored(client: Client) -> None:
    project = project_of(phrases("people: a man"), name="boxes")
    eve = ApiWorker(client, worker(project, "eve"), "boxes")
    eve.submit(eve.ask(DRAW), box(3, 5, 41, 97))
    assert Judgment.objects.get().answer == {"box": [3, 5, 41, 97]}
    stored = Image.objects.get().boxes.get()
    assert (stored.x0, stored.y0, stored.x1, stored.y1) == (3, 5, 41, 97)


def test_the_next_questions_are_open_before_anybody_asks(ada: ApiWorker, project: Project) -> None:
    submit(lease(project, ada.worker, ASK), 1)
    assert "answered" in states(project)
    assignment = ada.ask(ASK)
    ada.submit(assignment, 1)
    assert "answered" not in states(project)


def words(*, stored: tuple[int, ...], late: tuple[int, ...], acceptance: str = "", earned: int = 20) -> str:
    assignment = Assignment(questions=[1, 2, 3], acceptance=acceptance)
    receipt = Receipt(assignment, stored, too_late=late, late_places=late, answered=len(stored), earned_cents=earned)
    return receipt_in_words(receipt)


@pytest.mark.parametrize(
    ("stored", "late", "expected"),
    [
        ((1, 2, 3), (), ""),
        (
            (1, 2),
            (3,),
            "1 answer came too late: others had answered first. The rest is stored. You are paid for all of them.",
        ),
        ((1,), (2, 3), "2 answers came too late"),
        ((), (1, 2, 3), "others have answered these questions in the meantime. You are paid for all of them."),
    ],
)
def test_a_worker_reads_which_answers_came_too_late(
    stored: tuple[int, ...], late: tuple[int, ...], expected: str
) -> None:
    message = words(stored=stored, late=late)
    assert expected in message and bool(message) == bool(expected)


def test_a_worker_who_lost_trust_midway_reads_that_the_work_is_paid_and_not_used() -> None:
    message = words(stored=(), late=(1, 2, 3), acceptance="refused")
    assert "paid" in message and "not used" in message and "time" not in message


@pytest.mark.parametrize("acceptance", ["", "refused"])
def test_no_pay_is_promised_where_nothing_was_earned(acceptance: str) -> None:
    assert "paid" not in words(stored=(1,), late=(2, 3), acceptance=acceptance, earned=0)
