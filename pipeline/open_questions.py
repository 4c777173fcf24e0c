"""Find the open questions that a worker may be asked, in the database, however many there are."""

from collections import Counter
from typing import Any

from django.db.models import BooleanField, Count, F, Func, IntegerField, Q, QuerySet, Value

from pipeline.models import Question
from pipeline.prepared_query import Slot
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


def holds(field: str, number: int | Slot) -> Holds:
    """Return whether the column `field`, a JSON list of numbers, holds the number."""
    return Holds(F(field), number if isinstance(number, Slot) else Value(number, output_field=IntegerField()))


def free_questions(project_id: int | Slot, task: Task) -> QuerySet[Question]:
    """Return the questions that are open and lent to nobody, oldest first."""
    return Question.objects.filter(
        project_id=project_id, task=task.value, state=QuestionState.OPEN.value, assignment=None
    ).order_by("id")


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

    `rules/image/who_may_answer.py` says who is barred. With `for_people`, only questions with pixels to show.
    """
    free = free_questions(project_id, task)
    if for_people:
        free = free.filter(for_people=True)
    return free.exclude(holds("barred", worker_id)).exclude(holds("skipped", worker_id))


def is_free_for(question: Question, worker_id: int) -> bool:
    """Return whether a question that was just read is open, lent to nobody, and this worker may still answer it."""
    free = question.state == QuestionState.OPEN.value and question.assignment_id is None
    return free and worker_id not in question.barred and worker_id not in question.skipped
