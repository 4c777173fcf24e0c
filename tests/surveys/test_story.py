"""A survey from its items to its votes: import, answers over the API, the majority, the file.
Twenty workers at once on one survey: nobody gets two captions of a picture, and no question a vote too many.
A survey whose processes are killed at every point: no vote is lost, and none counts twice.
"""

import random
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from annotation.models import Project
from annotation.rules.states import Survey
from pipeline.asking.end_lease import expire_assignments, return_assignment
from pipeline.asking.lease_assignment import lease_assignment, lease_questions
from pipeline.asking.read_assignment import LeasedAssignment
from pipeline.asking.receipt import GivenAnswer, Reply, Skipped
from pipeline.asking.submit_assignment import submit_assignment
from pipeline.errors import AssignmentEndedError, NotTrustedError
from pipeline.models import Assignment, Judgment, Question
from pipeline.project.settings_versions import open_project
from pipeline.protocol.tasks.task import QuestionState
from pipeline.record.apply_judgments import apply_judgments
from pipeline.record.replay import replay
from pipeline.settings.settings import Settings
from runtime import clock
from runtime.marked_points import POINTS
from tests.support.api import ApiWorker
from tests.support.projects import worker
from tests.support.race import NOTHING, Race, is_killed
from tests.support.surveys import ATOM, CHECK, atom, export, foil, pictures_with_two_captions, survey
from workers.models import Worker

pytestmark = [pytest.mark.both_engines, pytest.mark.django_db]


def test_three_answers_close_a_caption_check_with_the_majority(tmp_path: Path, client: Client) -> None:
    project = survey(tmp_path, [foil(0), foil(1)])
    said = ({"verdict": "correct"}, {"verdict": "wrong", "word": 1, "right": "boy"}, {"verdict": "correct"})
    for name, answer in zip(("ada", "bob", "cyd"), said, strict=True):
        api = ApiWorker(client, worker(project, name, CHECK), project=project.name)
        work = api.ask(CHECK)
        [first, second] = work["questions"]
        assert first["survey"]["caption"] != second["survey"]["caption"]
        caption, words = first["survey"]["caption"], first["survey"]["words"]
        assert [caption[a:b] for a, b in words][:3] == ["a", caption.split()[1], "rides"]
        api.submit(work, answer, answer)
        apply_judgments(project_id=project.pk)
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
        apply_judgments(project_id=project.pk)
    votes = export(project, tmp_path)
    assert {vote["right"] for vote in votes} == {votes[0]["item"].endswith(":foil")}


def test_three_answers_close_an_atom_with_the_majority(tmp_path: Path, client: Client) -> None:
    project = survey(tmp_path, [atom("dog"), atom("idea")], ATOM)
    for name, answer in zip(("ada", "bob", "cyd"), ("yes", "no", "no"), strict=True):
        api = ApiWorker(client, worker(project, name, ATOM), project=project.name)
        work = api.ask(ATOM)
        assert {len(question["survey"]["examples"]) for question in work["questions"]} == {3}
        api.submit(work, answer, answer)
        apply_judgments(project_id=project.pk)
    assert list(Question.objects.values_list("state", "outcome")) == [(QuestionState.CLOSED.value, "no")] * 2
    assert not list(replay(project))
    assert [vote["right"] for vote in export(project, tmp_path)] == [None] * 6


WORKERS, PICTURES = 20, 4
ANSWER = GivenAnswer({"verdict": "correct"}, 1.0)


class Crowd(Race):
    """Workers who each take batches until every question is closed."""

    def start(self, workers: list[Worker]) -> None:
        self.run(*map(self._body, workers), self._fold)

    def _fold(self) -> object:
        return None if apply_judgments(project_id=self.project.pk).judgments else NOTHING

    def _body(self, who: Worker) -> Callable[[], object]:
        lot = random.Random(who.name)

        def body() -> object:
            lease = self._lease(who)
            if lease is None:
                return NOTHING  # others hold what is left
            ahead = self._lease(who, lease) if lot.random() < 0.5 else None
            self._end(lease, who, lot)
            if ahead and lot.random() < 0.3:
                self._end(ahead, who, lot)
            return None

        return body

    def _lease(self, who: Worker, current: LeasedAssignment | None = None) -> LeasedAssignment | None:
        of: dict[str, Any] = {"project_id": self.project.pk, "worker_id": who.pk, "task": CHECK}
        try:
            return lease_questions(**of, size=3, ahead_of=current.assignment.token if current else None)
        except NotTrustedError:
            return None

    def _end(self, lease: LeasedAssignment, who: Worker, lot: random.Random) -> None:
        """Answer, answer and skip, give back, or let the time run out and answer too late."""
        number, way = lease.assignment.id, lot.random()
        replies: list[Reply | None] = [ANSWER] * lease.assignment.size
        if way < 0.15:
            return_assignment(assignment_id=number, worker_id=who.pk)
            return
        if way < 0.3:
            replies[0] = Skipped("unclear")
        elif way < 0.45:
            Assignment.objects.filter(id=number).update(expires_at=clock.now())
            expire_assignments(worker_id=who.pk)
            self._lease(who)
        with suppress(AssignmentEndedError):
            submit_assignment(assignment_id=number, worker_id=who.pk, answers=replies)


@pytest.mark.django_db(transaction=True)
@pytest.mark.slow
@pytest.mark.smoke
@pytest.mark.parametrize("known", [0, 3])
def test_nobody_gets_two_captions_of_a_picture_and_no_question_a_vote_too_many(tmp_path: Path, known: int) -> None:
    settings = Settings(test_questions=0, trusted_rate=0.3)
    open_project(name="survey", survey=Survey.CAPTION_CHECK, settings=settings)
    lines = [foil(number, image=f"{number % PICTURES}.jpg") for number in range(PICTURES + known)]
    project = survey(tmp_path, lines, known=known)
    workers = [worker(project, f"w{number}", CHECK) for number in range(WORKERS)]
    Crowd(project).start(workers)
    apply_judgments(project_id=project.pk)
    assert pictures_with_two_captions(project) == []
    real = Judgment.objects.filter(question__project=project)
    votes = Counter(real.values_list("question", flat=True))
    closed = Question.objects.filter(project=project, state=QuestionState.CLOSED.value)
    assert set(votes.values()) <= {1, 2, 3}
    assert {votes[number] for number in closed.values_list("id", flat=True)} == {3}
    assert closed.count() == Question.objects.filter(project=project).count()
    assert real.filter(entry=None).count() == 0
    assert not list(replay(project))


ANSWER_ALL = GivenAnswer({"verdict": "correct"})
ON_THE_WAY = [point for point in POINTS if point.partition(":")[0] in ("lease", "submit", "fold")]
"""The points that a vote passes, in the web process and in the job runner."""


def work(project: Project, who: Worker) -> None:
    """Answer everything that is open to the worker, and fold it, as the web process and the job runner do."""
    apply_judgments(project_id=project.pk)
    while assignment := lease_assignment(project_id=project.pk, worker_id=who.pk, task=CHECK, size=2):
        answers = dict.fromkeys(assignment.questions, ANSWER_ALL)
        submit_assignment(assignment_id=assignment.id, worker_id=who.pk, answers=answers)
        apply_judgments(project_id=project.pk)


@pytest.mark.django_db(transaction=True)
@pytest.mark.slow
@pytest.mark.parametrize("point", ON_THE_WAY)
def test_a_process_killed_here_loses_and_doubles_no_vote(point: str, tmp_path: Path, settings: Any) -> None:
    project = survey(tmp_path, [foil(0), foil(1)])
    crew = [worker(project, f"w{number}", CHECK) for number in range(6)]
    settings.FAULTS = tmp_path
    killed = 0
    for who in crew:
        (tmp_path / point).touch()
        while is_killed(lambda who=who: work(project, who)):  # type: ignore[misc]
            killed += 1
    assert killed >= 2
    (tmp_path / point).unlink(missing_ok=True)
    apply_judgments(project_id=project.pk)
    assert set(Question.objects.values_list("state", "outcome")) == {(QuestionState.CLOSED.value, "correct")}
    assert Judgment.objects.count() == len(export(project, tmp_path)) == 3 * 4
    assert not list(replay(project))
