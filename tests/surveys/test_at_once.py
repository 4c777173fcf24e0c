"""Twenty workers at once on one survey: nobody gets two captions of a picture, and no question a vote too many."""

import random
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from annotation.rules.states import Survey
from pipeline.asking.end_lease import expire_assignments, return_assignment
from pipeline.asking.lease_assignment import lease_questions
from pipeline.asking.read_assignment import Lease
from pipeline.asking.receipt import Given, Reply, Skipped
from pipeline.asking.submit_assignment import submit_assignment
from pipeline.errors import AssignmentEndedError, NotTrustedError
from pipeline.models import Assignment, Judgment, Question
from pipeline.project.settings_versions import open_project
from pipeline.record.fold_judgments import fold_judgments
from pipeline.record.replay import replay
from pipeline.rules.settings.protocol import ProtocolSettings
from pipeline.rules.tasks.task import QuestionState
from tests.support.projects import worker
from tests.support.race import NOTHING, Race
from tests.support.surveys import CHECK, foil, pictures_with_two_captions, survey
from upkeep import clock
from workers.models import Worker

pytestmark = [pytest.mark.both_engines, pytest.mark.django_db(transaction=True)]
WORKERS, PICTURES = 20, 4
ANSWER = Given({"verdict": "correct"}, 1.0)


class Crowd(Race):
    """Workers who each take batches until every question is closed."""

    def start(self, workers: list[Worker]) -> None:
        self.run(*map(self._body, workers), self._fold)

    def _fold(self) -> None:
        fold_judgments(project_id=self.project.pk)

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

    def _lease(self, who: Worker, current: Lease | None = None) -> Lease | None:
        of: dict[str, Any] = {"project_id": self.project.pk, "worker_id": who.pk, "task": CHECK}
        try:
            return lease_questions(**of, size=3, ahead_of=current.assignment.token if current else None)
        except NotTrustedError:
            return None

    def _end(self, lease: Lease, who: Worker, lot: random.Random) -> None:
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


@pytest.mark.parametrize("known", [0, 3])
def test_nobody_gets_two_captions_of_a_picture_and_no_question_a_vote_too_many(tmp_path: Path, known: int) -> None:
    settings = ProtocolSettings(test_questions=0, trusted_rate=0.3)
    open_project(name="survey", survey=Survey.CAPTION_CHECK, settings=settings)
    lines = [foil(number, image=f"{number % PICTURES}.jpg") for number in range(PICTURES + known)]
    project = survey(tmp_path, lines, known=known)
    workers = [worker(project, f"w{number}", CHECK) for number in range(WORKERS)]
    Crowd(project).start(workers)
    fold_judgments(project_id=project.pk)
    assert pictures_with_two_captions(project) == []
    real = Judgment.objects.filter(question__project=project)
    votes = Counter(real.values_list("question", flat=True))
    closed = Question.objects.filter(project=project, state=QuestionState.CLOSED.value)
    assert set(votes.values()) <= {1, 2, 3}
    assert {votes[number] for number in closed.values_list("id", flat=True)} == {3}
    assert closed.count() == Question.objects.filter(project=project).count()
    assert real.filter(entry=None).count() == 0
    assert not list(replay(project))
