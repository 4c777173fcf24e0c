"""A survey from its items to its votes: import, answers over the API, the majority, the file."""

from pathlib import Path

import pytest
from django.test import Client

from pipeline.models import Question
from pipeline.record.fold_judgments import fold_judgments
from pipeline.record.replay import replay
from pipeline.rules.tasks.task import QuestionState
from tests.support.api import ApiWorker
from tests.support.projects import worker
from tests.support.surveys import ATOM, CHECK, atom, export, foil, survey

pytestmark = [pytest.mark.both_engines, pytest.mark.django_db]


def test_three_answers_close_a_caption_check_with_the_majority(tmp_path: Path, client: Client) -> None:
    project = survey(tmp_path, [foil(0), foil(1)])
    said = ({"verdict": "correct"}, {"verdict": "wrong", "word": 1, "right": "boy"}, {"verdict": "correct"})
    for name, answer in zip(("ada", "bob", "cyd"), said, strict=True):
        api = ApiWorker(client, worker(project, name, CHECK), project=project.name)
        work = api.ask(CHECK)
        [first, second] = work["questions"]
        assert first["survey"]["caption"] != second["survey"]["caption"]
        assert [first["survey"]["caption"][a:b] for a, b in first["survey"]["words"]][:3] == [
            "a",
            first["survey"]["caption"].split()[1],
            "rides",
        ]
        api.submit(work, answer, answer)
        fold_judgments(project_id=project.pk)
    states = Question.objects.values_list("state", "outcome").order_by("id")
    assert list(states)[:2] == [(QuestionState.CLOSED.value, "correct")] * 2
    assert [state for state, _ in states[2:]] == [QuestionState.OPEN.value] * 2
    assert not list(replay(project))
    votes = export(project, tmp_path)
    assert len(votes) == 6
    assert {vote["right"] for vote in votes if vote["item"].endswith(":correct")} == {True, False}
    bobs = [vote for vote in votes if vote["answer"] == "wrong"]
    assert {(vote["place"], vote["replacement"]) for vote in bobs} == {(1, "boy")} and len(bobs) == 2
    assert all(vote["word"] == ("dog" if vote["item"].endswith(":foil") else "man") for vote in bobs)


def test_a_foil_is_judged_right_whatever_word_is_named(tmp_path: Path, client: Client) -> None:
    project = survey(tmp_path, [foil(0)])
    for name, word in (("ada", 0), ("bob", 1), ("cyd", 2)):
        api = ApiWorker(client, worker(project, name, CHECK), project=project.name)
        api.submit(api.ask(CHECK), {"verdict": "wrong", "word": word})
        fold_judgments(project_id=project.pk)
    votes = export(project, tmp_path)
    assert {vote["right"] for vote in votes} == {votes[0]["item"].endswith(":foil")}


def test_three_answers_close_an_atom_with_the_majority(tmp_path: Path, client: Client) -> None:
    project = survey(tmp_path, [atom("dog"), atom("idea")], ATOM)
    for name, answer in zip(("ada", "bob", "cyd"), ("yes", "no", "no"), strict=True):
        api = ApiWorker(client, worker(project, name, ATOM), project=project.name)
        work = api.ask(ATOM)
        assert {len(question["survey"]["examples"]) for question in work["questions"]} == {3}
        api.submit(work, answer, answer)
        fold_judgments(project_id=project.pk)
    assert list(Question.objects.values_list("state", "outcome")) == [(QuestionState.CLOSED.value, "no")] * 2
    assert not list(replay(project))
    assert [vote["right"] for vote in export(project, tmp_path)] == [None] * 6
