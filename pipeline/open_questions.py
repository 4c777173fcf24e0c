"""Open questions that a worker may be asked, found by the database itself, however many there are."""

from typing import Any

from django.db.models import BooleanField, F, Func, IntegerField, QuerySet, Value

from pipeline.models import Question
from pipeline.rules.tasks.task import QuestionState, Task


class Holds(Func):
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


def holds(field: str, number: int) -> Holds:
    """`field`: a column with a JSON list of numbers."""
    return Holds(F(field), Value(number, output_field=IntegerField()))


def free_questions(project_id: int, task: Task) -> QuerySet[Question]:
    """Open and leased to nobody, oldest first."""
    return Question.objects.filter(
        project_id=project_id, task=task.value, state=QuestionState.OPEN.value, assignment=None
    ).order_by("id")


def open_for(project_id: int, task: Task, worker_id: int, *, for_people: bool = True) -> QuerySet[Question]:
    """Free questions that this worker may answer and has not skipped. `for_people`: only those with pixels to show."""
    free = free_questions(project_id, task)
    if for_people:
        free = free.filter(for_people=True)
    return free.exclude(holds("barred", worker_id)).exclude(holds("skipped", worker_id))
