"""Thirty simulated workers who are right with a chance of 92 %: majorities and unanimity are as chance has it."""

import random
from math import sqrt
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from pipeline.models import Question
from pipeline.record.fold_judgments import fold_judgments
from pipeline.rules.tasks.survey import is_unanimous
from pipeline.rules.tasks.task import QuestionState
from tests.support.api import ApiWorker
from tests.support.projects import worker
from tests.support.surveys import CHECK, export, foil, survey

pytestmark = pytest.mark.django_db
WORKERS, ITEMS, RIGHT = 30, 150, 0.92


def answer(question: dict[str, Any], lot: random.Random) -> dict[str, Any]:
    """Answer with the right verdict in 92 of 100 cases; the right one is in the caption itself."""
    is_foil = "dog" in question["survey"]["caption"]
    says_wrong = is_foil if lot.random() < RIGHT else not is_foil
    return {"verdict": "wrong", "word": 1} if says_wrong else {"verdict": "correct"}


@pytest.mark.slow
def test_three_votes_are_right_together_as_often_as_their_chance_says(tmp_path: Path, client: Client) -> None:
    project = survey(tmp_path, [foil(number) for number in range(ITEMS)])
    lot = random.Random(7)
    crowd = [ApiWorker(client, worker(project, f"w{number}", CHECK), project=project.name) for number in range(WORKERS)]
    while working := [one for one in crowd if _works(one, lot)]:
        crowd = working
        fold_judgments(project_id=project.pk)
    outcomes = dict(Question.objects.values_list("number", "state"))
    assert set(outcomes.values()) == {QuestionState.CLOSED.value}
    votes: dict[str, list[bool]] = {}
    for vote in export(project, tmp_path):
        votes.setdefault(vote["item"], []).append(vote["answer"] == _truth(vote["item"]))
    assert {len(one) for one in votes.values()} == {3} and len(votes) == 2 * ITEMS
    p = RIGHT
    assert _share(votes, lambda one: sum(one) >= 2) == near(p**3 + 3 * p**2 * (1 - p))
    assert _share(votes, lambda one: is_unanimous(one) and one[0]) == near(p**3)


def _works(one: ApiWorker, lot: random.Random) -> bool:
    """Take a batch and answer it; return whether there was one."""
    work = one.ask(CHECK)
    if work is None:
        return False
    one.submit(work, *(answer(question, lot) for question in work["questions"]))
    return True


def _truth(item: str) -> str:
    return "wrong" if item.endswith(":foil") else "correct"


def _share(votes: dict[str, list[bool]], test: Any) -> float:
    return sum(map(test, votes.values())) / len(votes)


def near(chance: float) -> Any:
    """Match shares within two standard errors of the chance."""
    return pytest.approx(chance, abs=2 * sqrt(chance * (1 - chance) / (2 * ITEMS)))
