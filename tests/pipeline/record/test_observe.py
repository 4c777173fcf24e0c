"""Facts of the moment: an entry keeps those that its rules need, and a project of the paper looks none up."""

import json
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from annotation.models import Project
from belief.annotators import skill
from belief.boxes.box_answers import BoxTask
from belief.boxes.box_prior import DEFAULT
from belief.links.answer_model import PAPER_ERRORS
from belief.links.link_prior import WORDLESS
from exchange.export_dataset import export_dataset
from pipeline.models import Entry, Progress
from pipeline.protocol.tasks.task import Task
from pipeline.record.apply_judgments import apply_judgments
from pipeline.record.read_record import replay
from pipeline.settings.of_belief import BoxPolicyName, LinkStrategy
from tests.support.projects import answer, box, lease, phrases, project_of, submit, worker
from tests.support.settings_with import settings_with
from workers.models import SkillEstimate

pytestmark = pytest.mark.django_db

LINK, DRAW, JUDGE, ASK = Task.COREFERENCE_LINK, Task.BOX_DRAWING, Task.BOX_QUALITY, Task.BOX_REQUIREMENT
SKILLS = "skillestimate"
"""In each statement that reads the table of skills."""


def men(**values: Any) -> Project:
    """Two images with a link each; words say nothing."""
    images = [phrases("people: a man", "people: the man", name=name) for name in ("1", "2")]
    return project_of(*images, settings=settings_with(link_stop=0.02, link_prior=WORDLESS.to_json(), **values))


def man(**values: Any) -> Project:
    return project_of(phrases("people: a man"), settings=settings_with(box_sure=0.97, **values))


def measured(project: Project, name: str, task: Task, accuracy: float, answers: int = 60) -> None:
    values = {"accuracy": accuracy, "low": 0.0, "high": 1.0, "answers": answers, "known_answers": answers}
    place = {"project_id": project.pk, "task": task.value, "computed_at": timezone.now()}
    SkillEstimate.objects.create(worker=worker(project, name), **place, **values)


def contexts() -> list[dict[str, Any] | None]:
    """Return the contexts of all judgments, as they are stored."""
    return list(Entry.objects.filter(kind="judgment").order_by("id").values_list("context", flat=True))


ADAPTIVE, GREEDY = (men, {"strategy": LinkStrategy.ADAPTIVE}), (men, {"strategy": LinkStrategy.GREEDY})
BELIEF, PAPER = (man, {"box_policy": BoxPolicyName.BELIEF}), (man, {"box_policy": BoxPolicyName.PAPER})
BOX = box(10, 10, 60, 60)


@pytest.mark.smoke
@pytest.mark.both_engines
@pytest.mark.parametrize(
    ("made", "task", "said", "skill_at", "kept", "statements"),
    [
        (ADAPTIVE, LINK, "same", (LINK, 0.8, 60), skill(0.8, 60, PAPER_ERRORS.mean), 1),
        (ADAPTIVE, LINK, "same", (LINK, 1.0, 60), skill(1.0, 60, PAPER_ERRORS.mean), 1),
        (ADAPTIVE, LINK, "same", (LINK, 0.5, 0), None, 1),
        (ADAPTIVE, LINK, "same", (JUDGE, 0.5, 60), None, 1),
        (BELIEF, DRAW, BOX, (DRAW, 0.6, 60), skill(0.6, 60, DEFAULT.error_of(BoxTask.DRAWING)), 1),
        (BELIEF, DRAW, BOX, (ASK, 0.6, 60), None, 1),
        (GREEDY, LINK, "same", (LINK, 0.6, 60), None, 0),
        (PAPER, DRAW, BOX, (DRAW, 0.6, 60), None, 0),
    ],
)
def test_a_judgment_keeps_the_skill_of_its_worker_where_it_weighs_and_else_nobody_asks_for_it(
    made: Any, task: Task, said: Any, skill_at: tuple[Task, float, int], kept: float | None, statements: int
) -> None:
    make, values = made
    project = make(**values)
    measured(project, "ada", *skill_at)
    submit(lease(project, worker(project, "ada"), task, size=1), said)
    with CaptureQueriesContext(connection) as asked:
        assert apply_judgments([task], project_id=project.pk).judgments == 1
    assert sum(SKILLS in query["sql"] for query in asked) == statements
    assert contexts() == [None if kept is None else {"skill": round(kept, 3)}]
    SkillEstimate.objects.update(accuracy=0.9)
    assert list(replay(project)) == [], "the record keeps what an estimate was"


@pytest.mark.smoke
@pytest.mark.both_engines
def test_the_skills_of_all_workers_of_a_fold_are_read_in_one_statement() -> None:
    project = men(strategy=LinkStrategy.ADAPTIVE)
    for name in ("ada", "bob"):
        measured(project, name, LINK, 0.8)
        submit(lease(project, worker(project, name), LINK, size=1), "same")
    with CaptureQueriesContext(connection) as asked:
        assert apply_judgments([LINK], project_id=project.pk).judgments == 2
    assert sum(SKILLS in query["sql"] for query in asked) == 1
    assert contexts() == [{"skill": round(skill(0.8, 60, PAPER_ERRORS.mean), 3)}] * 2


@pytest.mark.smoke
def test_votes_and_exports_have_the_skill_and_the_answer_of_an_average_worker_has_none(tmp_path: Path) -> None:
    project = men(strategy=LinkStrategy.ADAPTIVE)
    measured(project, "ada", LINK, 0.8)
    for name in ("ada", "cleo"):
        answer(project, worker(project, name), LINK, "same")
    kept = round(skill(0.8, 60, PAPER_ERRORS.mean), 3)
    votes = [vote for row in Progress.objects.all() for *_, cast in row.state["votes"] for vote in cast]
    assert sorted(tuple(vote[3:]) for vote in votes) == [(), (kept,)]
    export_dataset(
        project=project, target=tmp_path / "out.jsonl", export_format="jsonl", card=False, include_unmerged=True
    )
    images = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()[1:]]
    shown = [entry["data"] for image in images for entry in image["record"] if entry["kind"] == "judgment"]
    assert sorted(data.get("skill", 0.0) for data in shown) == [0.0, kept]


STATEMENTS = {"lease": 6, "submit": 7, "fold": 14}
"""Statements of each verb in a project of the paper, for ten drawings of ten images."""


@pytest.mark.smoke
def test_a_project_of_the_paper_runs_as_few_statements_as_ever_and_keeps_no_context() -> None:
    project = project_of(*(phrases("people: a man", name=str(number)) for number in range(10)))
    who, counts = worker(project, "ada"), dict[str, int]()
    with CaptureQueriesContext(connection) as asked:
        held = lease(project, who, DRAW, size=10)
    counts["lease"] = len(asked)
    with CaptureQueriesContext(connection) as asked:
        submit(held, *[BOX] * 10)
    counts["submit"] = len(asked)
    with CaptureQueriesContext(connection) as asked:
        assert apply_judgments(project_id=project.pk).judgments == 10
    counts["fold"] = len(asked)
    assert counts == STATEMENTS
    assert not Entry.objects.filter(context__isnull=False).exists()
