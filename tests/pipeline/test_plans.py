"""Leasing, keeping, submitting, folding, the sweep and a payment read few rows, whenever statistics were taken.

The planner of PostgreSQL goes by statistics. They may be those of empty tables, as after a restore, or of tiny ones.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection, transaction
from django.db.models import Model
from django.utils import timezone

from annotation.models import Box, Chain, Image, Mention, Project
from annotation.rules.mention_type import MentionType
from pipeline.asking.draw_items import FreeQuestions
from pipeline.asking.end_lease import return_assignment
from pipeline.asking.keep_lease import keep_lease
from pipeline.asking.lease_assignment import lease_questions
from pipeline.asking.read_assignment import LeasedAssignment
from pipeline.asking.receipt import GivenAnswer
from pipeline.asking.submit_assignment import submit_assignment
from pipeline.models import Assignment, Judgment, KnownQuestion, Question
from pipeline.money.pay_worker import pay_worker
from pipeline.project.open_questions import free_questions, is_any, open_for
from pipeline.project.settings_versions import open_project
from pipeline.protocol.tasks.task import PROTOCOL_TASKS, Task
from pipeline.settings.settings import Settings
from pipeline.tick import tick
from studies.http_load import loads
from studies.http_load.loads import clone_image, make_template
from tests.support.projects import worker
from workers.models import Worker

pytestmark = [pytest.mark.services, pytest.mark.django_db]

TASK = Task.BOX_QUALITY
ROWS = 20_000
"""Images, questions, assignments and judgments, of each: reading a small table as a whole may be the best plan."""
PAID = Settings(reward_cents={task.value: 100 for task in PROTOCOL_TASKS})
OF_EACH = 8
"""Open questions of an image."""
STOCK = 100
MOST_ROWS = 3_000
"""Rows that one statement may read."""


class Read(list[tuple[int, str]]):
    """The statements of a block, each with the rows that its plan read in tables and indexes."""

    @property
    def costly(self) -> list[str]:
        return [f"{rows} rows: {statement}" for rows, statement in self if rows > MOST_ROWS]


@pytest.fixture(autouse=True)
def _open_questions_of_an_image(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(loads.CAPTIONS, TASK, [[MentionType.PEOPLE] * OF_EACH])


@contextmanager
def rows_read() -> Iterator[Read]:
    """Explain every statement of the block with the rows that it really reads, then run it."""
    read = Read()

    def explain(execute: Callable[..., Any], sql: str, params: Any, *rest: Any) -> Any:
        many, context = rest
        if not many and sql.lstrip().startswith(("SELECT", "UPDATE", "DELETE")):
            with transaction.atomic(), connection.cursor() as cursor:
                execute(f"EXPLAIN (ANALYZE, FORMAT JSON) {sql}", params, many, {**context, "cursor": cursor})
                plan = context["cursor"].fetchone()[0][0]["Plan"]
                transaction.set_rollback(True)
            read.append((_rows(plan), " ".join(sql.split())))
        return execute(sql, params, many, context)

    with connection.execute_wrapper(explain):
        yield read


def _rows(plan: dict[str, Any]) -> int:
    """Add up the rows that the scans of a plan read, with those that a filter dropped."""
    own = 0
    if "Scan" in plan["Node Type"]:
        dropped = plan.get("Rows Removed by Filter", 0) + plan.get("Rows Removed by Index Recheck", 0)
        own = round((plan["Actual Rows"] + dropped) * plan["Actual Loops"])
    return own + sum(map(_rows, plan.get("Plans", ())))


def analyze() -> None:
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")


def big_project(taken: str) -> Project:
    """Make a project with ROWS images, questions, assignments and judgments. `taken`: when statistics were taken."""
    with connection.cursor() as cursor:  # what the server has seen of earlier tests is left to chance
        cursor.execute(
            "DELETE FROM pg_statistic WHERE starelid IN"
            " (SELECT oid FROM pg_class WHERE relnamespace = 'public'::regnamespace)"
        )
    if taken == "of returned work":
        _statistics_of_returned_work()
    with connection.cursor() as cursor:  # tables of earlier tests keep their size, and statistics go by it
        cursor.execute("TRUNCATE annotation_project, workers_worker CASCADE")
    if taken in ("empty", "of returned work"):
        analyze()
    project, own = open_project(name="big", settings=PAID), open_project(name="template")
    template = make_template(own, TASK)
    with connection.cursor() as cursor:  # rows are made in SQL, and looking up whom each belongs to takes long
        cursor.execute("SET LOCAL session_replication_role = replica")
    if taken == "tiny":
        _old_work(own, 3)
        _stock(own)
        analyze()
    clone_image(template, project, ROWS // OF_EACH, 0)
    image = Image(project=project, name="x", position=100_000, width=500, height=375)
    _insert(image, ROWS - ROWS // OF_EACH, {"name": "'x' || n", "position": "100000 + n"})
    if taken == "before the work":
        analyze()
    _old_work(project, ROWS)
    if taken == "full":
        analyze()
    return project


def _statistics_of_returned_work() -> None:
    """Let statistics say that no assignment was ever submitted. Those of columns stay when tables are emptied."""
    _assignments(open_project(name="former"), 500, "returned", "n %% 5")
    analyze()
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")  # tables with checks left to do cannot be emptied
        cursor.execute("SET CONSTRAINTS ALL DEFERRED")


def _stock(project: Project) -> None:
    """Store STOCK verification questions."""
    common = {"project": project, "task": TASK.value, "image": project.images.first(), "source": "gold"}
    common |= {"truth": "good"}
    KnownQuestion.objects.bulk_create(
        KnownQuestion(**common, key=f"{project.name} {n}", shown={"n": n, "box": [1, 1, 9, 9]}) for n in range(STOCK)
    )


def _old_work(project: Project, count: int) -> None:
    """Store assignments of the past, with one judgment each, by workers who had 100 of them each."""
    made = _assignments(project, count, "submitted", "n / 100")
    question = Question.objects.filter(project=project).earliest("id").id
    judgment = Judgment(question_id=question, worker=made.worker, assignment=made, answer="good")
    judgment.created_at = made.created_at
    ids = {"question_id": f"{question} + n", "assignment_id": f"{made.pk} + n"}
    _insert(judgment, count, {**ids, "worker_id": f"{made.worker_id} + n / 100"})


def _assignments(project: Project, count: int, state: str, worker_of: str) -> Assignment:
    """Store assignments of the past, and return the first. `worker_of`: which worker had assignment n, in SQL."""
    workers = Worker.objects.bulk_create(Worker(name=f"{project.name} {n}") for n in range(count // 100 + 1))
    old = Assignment(project=project, worker=workers[0], task=TASK.value, state=state, questions=[])
    old.created_at = old.expires_at = old.ended_at = timezone.now()
    _insert(old, count, {"worker_id": f"{workers[0].pk} + {worker_of}", "token": "gen_random_uuid()"})
    return Assignment.objects.filter(worker=workers[0]).earliest("id")


def _insert(row: Model, count: int, changed: dict[str, str]) -> None:
    """Store `count` rows like this one. `changed`: by column, a value in SQL, which may hold n, counted from 0."""
    fields = [field for field in row._meta.concrete_fields if field.column not in {"id", *changed}]
    columns = ", ".join(f'"{name}"' for name in (*changed, *(field.column for field in fields)))
    marks = ", ".join([*changed.values(), *["%s"] * len(fields)])
    values = [field.get_db_prep_save(field.pre_save(row, True), connection) for field in fields]
    with connection.cursor() as cursor:
        table = row._meta.db_table
        cursor.execute(f"INSERT INTO {table} ({columns}) SELECT {marks} FROM generate_series(0, {count - 1}) n", values)


def ask(project: Project, who: Worker) -> LeasedAssignment:
    lease = lease_questions(project_id=project.name, worker_id=who.id, task=TASK)
    assert lease is not None
    return lease


def submit(lease: LeasedAssignment, who: Worker, answers: Sequence[str]) -> None:
    given = [GivenAnswer(answer) for answer in answers]
    submit_assignment(assignment_id=lease.assignment.token, worker_id=who.id, answers=given)


@pytest.mark.slow
@pytest.mark.smoke
@pytest.mark.parametrize("taken", ["empty", "of returned work", "tiny", "before the work", "full"])
def test_no_answer_reads_a_whole_table_whenever_statistics_were_taken(real_services: None, taken: str) -> None:
    project = big_project(taken)
    assert min(rows.objects.count() for rows in (Image, Mention, Chain, Box, Question, Judgment, Assignment)) >= ROWS
    ada, bob, _ = (worker(project, name) for name in ("ada", "bob", "cleo"))
    with rows_read() as first:
        _work(project, ada)
    _stock(project)
    with rows_read() as second:
        _work(project, bob)
    assert Question.objects.filter(project=project, state="closed").exists()
    Assignment.objects.filter(worker=bob, state="submitted").update(acceptance="waiting")
    with rows_read() as batches:
        tick(project_id=project.id, now=timezone.now() + timedelta(days=2))
    assert not Assignment.objects.filter(acceptance="waiting").exists()
    assert first.costly + second.costly + batches.costly == []


@pytest.mark.smoke
@pytest.mark.parametrize("taken", ["empty", "after the younger"])
def test_work_of_a_younger_project_reads_nothing_of_the_older_ones(real_services: None, taken: str) -> None:
    big_project(taken)
    ones = Settings(batch={task.value: 1 for task in PROTOCOL_TASKS})
    younger = open_project(name="younger", settings=ones)
    ada = worker(younger, "ada")
    clone_image(Image.objects.get(project__name="template"), younger, ROWS // OF_EACH, 0)
    if taken == "after the younger":
        analyze()
    with rows_read() as read:
        assert len(ask(younger, ada).questions) == 1 and FreeQuestions(younger.id, TASK, ada.id, True).window(300)
        assert is_any(free_questions(younger.id, TASK)) and open_for(younger.id, TASK, ada.id)[:1000].count() == 1000
    assert read.costly == []


def _work(project: Project, who: Worker) -> None:
    """Answer, return, let a lease run out, and be paid."""
    lease = ask(project, who)
    keep_lease(token=lease.assignment.token, worker_id=who.id, draft=[1])
    keep_lease(token=lease.assignment.token, worker_id=who.id, now=timezone.now() + timedelta(minutes=5))
    assert ask(project, who).assignment.id == lease.assignment.id
    submit(lease, who, ["good"] * 10)
    submit(lease, who, ["good"] * 10)
    tick(project_id=project.id)
    return_assignment(assignment_id=ask(project, who).assignment.token, worker_id=who.id)
    ask(project, who)
    tick(project_id=project.id, now=timezone.now() + timedelta(hours=1))
    pay_worker(worker_id=who.id, project_id=project.id, cents=1, reference=f"r{who.id}", actor="ann")
