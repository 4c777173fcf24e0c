"""Find the open questions that a worker may be asked, in the database, however many there are."""

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
    """Return whether the column `field`, a JSON list of numbers, holds the number."""
    return Holds(F(field), Value(number, output_field=IntegerField()))


def free_questions(project_id: int, task: Task) -> QuerySet[Question]:
    """Return the questions that are open and lent to nobody, oldest first."""
    return Question.objects.filter(
        project_id=project_id, task=task.value, state=QuestionState.OPEN.value, assignment=None
    ).order_by("id")


def open_for(project_id: int, task: Task, worker_id: int, *, for_people: bool = True) -> QuerySet[Question]:
    """Return the free questions that this worker may answer and has not skipped.

    `rules/image/who_may_answer.py` says who is barred. With `for_people`, only questions with pixels to show.
    """
    free = free_questions(project_id, task)
    if for_people:
        free = free.filter(for_people=True)
    return free.exclude(holds("barred", worker_id)).exclude(holds("skipped", worker_id))
