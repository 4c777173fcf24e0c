"""Find the open questions that a worker may be asked, in the database, however many there are."""

from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

from django.db import connection
from django.db.models import BooleanField, Count, F, Func, IntegerField, Q, QuerySet, Value
from django.db.models.expressions import RawSQL

from pipeline.models import Question
from pipeline.protocol.tasks.task import QuestionState, Task
from runtime.database import Slot

# Assignments name their questions in JSON. They are read in the database: a worker may have had thousands.
POSTGRESQL = {
    "questions": "CROSS JOIN LATERAL jsonb_array_elements_text(given.questions) AS each(value)",
    "known": "CROSS JOIN LATERAL jsonb_each_text(given.known) AS each(place, value)",
}
SQLITE = {
    "questions": "CROSS JOIN json_each(given.questions) AS each",
    "known": "CROSS JOIN json_each(given.known) AS each",
}
CAPTION_SHOWN_SQL = f"""
    SELECT {{table}}.id, {{table}}.image_id FROM pipeline_assignment given {{each}}
    JOIN {{table}} ON {{table}}.id = CAST(each.value AS bigint)
    WHERE given.worker_id = %s AND given.project_id = %s AND given.task = '{Task.CAPTION_CHECK.value}'
"""


class Met(NamedTuple):
    """The captions that a worker was shown in a project."""

    known: frozenset[int]
    """Ids of verification questions."""
    images: frozenset[int]
    """Ids of the images of these, and of the real questions."""

    def leaves_free(self, known: int, image: int) -> bool:
        """Return whether the worker may be asked this verification question of this image."""
        return known in self.known or image not in self.images


def met_captions(worker_id: int, project_id: int) -> Met:
    """Read what the worker was shown, in one statement."""
    statement = (
        f"SELECT id, 0, image_id FROM ({_of_real()}) AS real UNION ALL SELECT 0, id, image_id FROM ({_of_known()}) k"
    )
    with connection.cursor() as cursor:
        cursor.execute(statement, [worker_id, project_id] * 2)
        rows = cursor.fetchall()
    return Met(frozenset(known for _, known, _ in rows if known), frozenset(image for *_, image in rows))


def is_first_caption(worker_id: int | Slot, project_id: int | Slot) -> RawSQL:
    """Return the condition on a row of pipeline_question that the worker has met no other caption of its image."""
    condition = f"""(
        pipeline_question.id IN (SELECT id FROM ({_of_real()}) AS same)
        OR pipeline_question.image_id NOT IN (
            SELECT image_id FROM ({_of_real()}) AS real UNION ALL SELECT image_id FROM ({_of_known()}) AS checked
        )
    )"""
    return RawSQL(condition, (worker_id, project_id) * 3, output_field=BooleanField())


def _of_real() -> str:
    return CAPTION_SHOWN_SQL.format(table="pipeline_question", each=_each()["questions"])


def _of_known() -> str:
    return CAPTION_SHOWN_SQL.format(table="pipeline_knownquestion", each=_each()["known"])


def _each() -> dict[str, Any]:
    return POSTGRESQL if connection.vendor == "postgresql" else SQLITE


class ListContains(Func):
    """Whether a JSON list of numbers holds a number, on SQLite and PostgreSQL alike."""

    output_field = BooleanField()
    arity = 2

    def as_postgresql(self, compiler: Any, connection: Any, **context: Any) -> Any:
        return self.as_sql(
            compiler, connection, template="(%(expressions)s::text::jsonb)", arg_joiner=" @> ", **context
        )

    def as_sqlite(self, compiler: Any, connection: Any, **context: Any) -> Any:
        template = "EXISTS (SELECT 1 FROM json_each(%(expressions)s))"
        return self.as_sql(compiler, connection, template=template, arg_joiner=") WHERE value = (", **context)


class ListLength(Func):
    """The length of a JSON list. PostgreSQL stays on the index of free questions where they are few of this length."""

    output_field = IntegerField()
    function = "jsonb_array_length"

    def as_sqlite(self, compiler: Any, connection: Any, **context: Any) -> Any:
        return self.as_sql(compiler, connection, function="json_array_length", **context)


def holds(field: str, number: int | Slot) -> ListContains:
    """Return whether the column `field`, a JSON list of numbers, holds the number."""
    return ListContains(F(field), number if isinstance(number, Slot) else Value(number, output_field=IntegerField()))


class OfProject(Func):
    """The condition that a row is the project's, in a form that keeps PostgreSQL on the index which begins with it.

    With `project_id = 3 ... ORDER BY id LIMIT 1` PostgreSQL may walk along the primary key instead, past all questions
    of older projects, because it takes the wanted ones to lie evenly in the table. `= ANY` is no constant to it, so
    that rows in the order of that index come from it alone.
    """

    output_field = BooleanField()

    def as_postgresql(self, compiler: Any, connection: Any, **context: Any) -> Any:
        return self.as_sql(compiler, connection, template="(%(expressions)s]))", arg_joiner=" = ANY(ARRAY[", **context)

    def as_sqlite(self, compiler: Any, connection: Any, **context: Any) -> Any:
        return self.as_sql(compiler, connection, template="(%(expressions)s)", arg_joiner=" = ", **context)


IN_TURN = ("project_id", "task", "-value", "id")
"""The order of the index of free questions: within a project and a task, the largest value first, then the oldest.

Only links that are asked adaptively have a value; so all others go by age.
"""


def free_questions(project_id: int | Slot, task: Task) -> QuerySet[Question]:
    """Return the questions that are open and lent to nobody, in the order in which they are asked.

    Without this order PostgreSQL may read the whole table for a few rows: slice, rather than call `exists`.
    """
    number = project_id if isinstance(project_id, Slot) else Value(project_id, output_field=IntegerField())
    of_task = Question.objects.filter(task=task.value, state=QuestionState.OPEN.value, assignment=None)
    return of_task.filter(OfProject(F("project_id"), number)).order_by(*IN_TURN)


LARGE_CREW = 3
"""The workers from whom on a question that all are barred from or skipped has one of the two counts at 2."""


def few_free_questions(project_id: int | Slot, tasks: Sequence[str]) -> QuerySet[Question]:
    """Return the free questions of these tasks that two workers may not answer, or two skipped: few, with an index."""
    two = Q(barred_count__gte=2) | Q(skipped_count__gte=2)
    free = {"state": QuestionState.OPEN.value, "assignment": None}
    return Question.objects.filter(two, project_id=project_id, task__in=tasks, **free).order_by("task", "id")


def is_any(rows: QuerySet[Question]) -> bool:
    """Tell whether there is a row, in the order of the rows: `exists` would drop it."""
    return bool(rows.values_list("id")[:1])


def open_by_task(project_id: int) -> Counter[str]:
    """Count the project's open questions by task: the free ones, and those on loan. Each part has an index."""
    of_project = Question.objects.filter(project_id=project_id)
    free = of_project.filter(state=QuestionState.OPEN.value, assignment=None)
    lent = of_project.filter(assignment__isnull=False)
    counts = Counter[str]()
    for part in (free, lent):
        counts.update(dict(part.order_by().values("task").annotate(number=Count("id")).values_list("task", "number")))
    return counts


def links_on_their_way(project_id: int) -> int:
    """Return how many link questions are answered but not folded yet, or on loan to workers."""
    links = Question.objects.filter(project_id=project_id, task=Task.COREFERENCE_LINK.value)
    lent = Q(state=QuestionState.OPEN.value, assignment__isnull=False)
    return links.filter(lent | Q(state=QuestionState.ANSWERED.value)).count()


def open_for(
    project_id: int | Slot, task: Task, worker_id: int | Slot, *, for_people: bool = True
) -> QuerySet[Question]:
    """Return the free questions that this worker may answer and has not skipped.

    `protocol.image.chain_steps.barred_from` says who is barred, and `one_caption` which captions a worker is not shown.
    With `for_people`, only questions with pixels to show.
    """
    free = free_questions(project_id, task)
    if for_people:
        free = free.filter(for_people=True)
    free = free.exclude(holds("barred", worker_id)).exclude(holds("skipped", worker_id))
    return free.filter(is_first_caption(worker_id, project_id)) if task is Task.CAPTION_CHECK else free


def is_free_for(question: Question, worker_id: int) -> bool:
    """Return whether a question that was just read is open, lent to nobody, and this worker may still answer it."""
    free = question.state == QuestionState.OPEN.value and question.assignment_id is None
    return free and worker_id not in question.barred and worker_id not in question.skipped
