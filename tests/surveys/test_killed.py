"""A survey whose processes are killed at every point: no vote is lost, and none counts twice."""

from pathlib import Path
from typing import Any

import pytest

from annotation.models import Project
from pipeline.asking.lease_assignment import lease_assignment
from pipeline.asking.receipt import Given
from pipeline.asking.submit_assignment import submit_assignment
from pipeline.models import Judgment, Question
from pipeline.record.fold_judgments import fold_judgments
from pipeline.record.replay import replay
from pipeline.rules.tasks.task import QuestionState
from tests.support.killed import is_killed
from tests.support.projects import worker
from tests.support.surveys import CHECK, export, foil, survey
from upkeep.marked_points import POINTS
from workers.models import Worker

pytestmark = [pytest.mark.both_engines, pytest.mark.django_db(transaction=True)]
ANSWER = Given({"verdict": "correct"})
ON_THE_WAY = [point for point in POINTS if point.partition(":")[0] in ("lease", "submit", "fold")]
"""The points that a vote passes, in the web process and in the job runner."""


def work(project: Project, who: Worker) -> None:
    """Answer everything that is open to the worker, and fold it, as the web process and the job runner do."""
    fold_judgments(project_id=project.pk)
    while assignment := lease_assignment(project_id=project.pk, worker_id=who.pk, task=CHECK, size=2):
        answers = dict.fromkeys(assignment.questions, ANSWER)
        submit_assignment(assignment_id=assignment.id, worker_id=who.pk, answers=answers)
        fold_judgments(project_id=project.pk)


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
    fold_judgments(project_id=project.pk)
    assert set(Question.objects.values_list("state", "outcome")) == {(QuestionState.CLOSED.value, "correct")}
    assert Judgment.objects.count() == len(export(project, tmp_path)) == 3 * 4
    assert not list(replay(project))
