"""Nothing that the API sends or does tells a verification question from a real one."""

from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from annotation.models import Project
from pipeline.models import Assignment
from pipeline.settings.settings import Settings
from tests.support.api import ApiWorker
from tests.support.kept import Kept, kept_rows
from tests.support.trusting import ASK, kennel, newcomer

pytestmark = pytest.mark.django_db(transaction=True)
# Half of what bob says is wrong, and nobody loses trust for it.
LENIENT = dict.fromkeys(Settings().minimum, 0.001)
REWARDS = dict.fromkeys(Settings().reward_cents, 20)
SETTINGS = Settings(test_questions=0, trusted_rate=0.06, minimum=LENIENT, reward_cents=REWARDS)


kept = kept_rows(lambda: kennel(240, stock=60, settings=SETTINGS))


@pytest.fixture
def project(kept: Kept, transactional_db: None) -> Project:
    kept.write()
    return Project.objects.get()


def shape(value: Any) -> Any:
    """The same value with its numbers and words taken out: names, kinds and how many."""
    if isinstance(value, dict):
        return {name: shape(one) for name, one in value.items()}
    if isinstance(value, list):
        return [shape(one) for one in value]
    return type(value).__name__


def known_places(assignment: dict[str, Any]) -> set[int]:
    return {int(place) for place in Assignment.objects.get(token=assignment["token"]).known}


@pytest.mark.slow
def test_both_kinds_have_the_same_fields_in_the_same_order(bob: ApiWorker) -> None:
    real: list[dict[str, Any]] = []
    known: list[dict[str, Any]] = []
    while len(known) < 3 or len(real) < 100:  # the places of verification questions are drawn at random
        assignment = bob.ask(ASK)
        hidden = known_places(assignment)
        for place, question in enumerate(assignment["questions"]):
            (known if place in hidden else real).append(question)
        bob.submit(assignment, *[1] * 10)
    assert {str(shape(question)) for question in known} == {str(shape(question)) for question in real}
    assert {tuple(question) for question in known} == {tuple(question) for question in real}


def test_asking_and_submitting_cost_the_same_statements_whatever_is_in_the_assignment(bob: ApiWorker, monkeypatch: Any):
    monkeypatch.setattr("labelling.api.views.enqueue_questions", lambda task, project: None)
    bob.submit(bob.ask(ASK), *[1] * 10)  # the first one makes the row and reads the stock
    costs: dict[bool, set[tuple[int, int]]] = {True: set(), False: set()}
    for _ in range(20):
        with CaptureQueriesContext(connection) as asked:
            assignment = bob.ask(ASK)
        with CaptureQueriesContext(connection) as submitted:
            bob.submit(assignment, *[1] * 10)
        costs[bool(known_places(assignment))].add((len(asked), len(submitted)))
    assert costs[True] == costs[False] == {(7 + 2, 5 + 2)}  # BEGIN and COMMIT


def test_probation_looks_like_work(client: Client, project: Project, bob: ApiWorker) -> None:
    probation, work = ApiWorker(client, newcomer(project, "ada")).ask(ASK), bob.ask(ASK)
    assert len(known_places(probation)) == 10 and len(known_places(work)) < 5
    changing = ("token", "questions", "seconds_left")
    assert {name: probation[name] for name in probation if name not in changing} == {
        name: work[name] for name in work if name not in changing
    }
    assert shape(probation) == shape(work)


def test_receipts_and_reports_take_both_kinds_alike(bob: ApiWorker, project: Project) -> None:
    while len(hidden := known_places(assignment := bob.ask(ASK))) == 0:
        bob.submit(assignment, *[1] * 10)
    place = hidden.pop()
    real = next(number for number in range(10) if number != place)
    said = [bob.on(assignment, "reports", {"question": one, "what": "image", "comment": ""}) for one in (place, real)]
    assert said[0] == said[1] and said[0][0] == 200
    answers: list[Any] = [{"answer": 1}] * 10
    answers[place] = answers[real] = {"skip": "unclear"}
    status, receipt = bob.on(assignment, "submit", {"answers": answers})
    assert (status, receipt["stored"], receipt["skipped"], receipt["too_late"]) == (200, 8, 2, 0)
    assert receipt["earned_cents"] == 16
    assert bob.on(assignment, "submit", {"answers": answers})[1] == receipt | {"repeated": True}


def test_wrong_answers_are_refused_alike(bob: ApiWorker) -> None:
    while not (hidden := known_places(assignment := bob.ask(ASK))):
        bob.submit(assignment, *[1] * 10)
    place = hidden.pop()
    real = next(number for number in range(10) if number not in {place, *hidden})
    refused = []
    for one in (place, real):
        answers: list[Any] = [{"answer": 1}] * 10
        answers[one] = {"answer": "maybe"}
        refused.append(bob.on(assignment, "submit", {"answers": answers}))
    assert refused[0] == refused[1] and refused[0][0] == 400
